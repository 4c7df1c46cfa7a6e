import type { IncomingCall, SipCall, SipCallEvents } from '../../../packages/sip/src/dialog/sip-call.ts';
import { parseSipUri, printSipUri } from '../../../packages/sip/src/message/sip-uri.ts';
import type { SipClock } from '../../../packages/sip/src/transaction/sip-clock.ts';
import { openUserAgent, type SipUserAgent } from '../../../packages/sip/src/user-agent.ts';
import { openRtpLeg, type RtpLeg } from '../../../packages/telephone-audio/src/rtp-leg.ts';

/** How a telephone handles an incoming call; `early` sends sound first, then answers. */
export type PickUp = 'answer' | 'early' | 'ring' | number;

/** One call of a telephone in a test. */
export interface TelephoneCall {
  readonly call: SipCall;
  readonly leg: RtpLeg;
  /** Events in order: `ringing 180`, `established`, `failed 486`, `ended remote`. */
  readonly seen: string[];
  /** Keys received in the sound. */
  readonly keys: string[];
  /** All received sound, 16 kHz. */
  readonly heard: Int16Array[];
}

/** A telephone on the loopback for tests, made from the product's own signalling and sound. */
export interface Telephone {
  readonly agent: SipUserAgent;
  readonly port: number;
  readonly calls: TelephoneCall[];
  /** Headers of the received INVITEs. */
  readonly invites: IncomingCall[];
  pickUp: PickUp;
  dial(uri: string, from?: string, headers?: Readonly<Record<string, string>>): Promise<TelephoneCall>;
  close(): Promise<void>;
}

/**
 * Opens a telephone at a free UDP port of 127.0.0.1.
 *
 * @param clock the clock of its signalling; by default the machine's
 * @param line a simulated line for the sound of each call; by default none
 */
export async function openTelephone(
  clock?: SipClock,
  line: (leg: RtpLeg) => RtpLeg | Promise<RtpLeg> = (leg) => leg,
): Promise<Telephone> {
  const calls: TelephoneCall[] = [];
  const invites: IncomingCall[] = [];
  const agent = await openUserAgent({
    addresses: [{ protocol: 'udp', host: '127.0.0.1', port: 0 }],
    log: () => {},
    admits: () => true,
    called: (call) => void receive(call),
    ...(clock === undefined ? {} : { clock }),
  });
  const telephone: Telephone = {
    agent,
    port: agent.listeners[0]?.port ?? 0,
    calls,
    invites,
    pickUp: 'answer',
    async dial(uri, from = 'sip:+12025550199@127.0.0.1', headers = {}) {
      const port = Number(/:(\d+)$/.exec(uri)?.[1]);
      const { leg, seen, ...rest } = await newCall(line);
      const place = { protocol: 'udp' as const, address: '127.0.0.1', port };
      const options = {
        to: uri,
        place,
        from: { text: from, name: 'Ann Caller' },
        sdp: leg.offer(),
        ringSeconds: 30,
        headers,
      };
      const call = agent.invite(options, 'ann', { ...eventsOf(leg, seen), referred });
      const made = { ...rest, call, leg, seen };
      calls.push(made);
      return made;
    },
    async close() {
      await Promise.all(calls.map(({ leg }) => leg.close()));
      await agent.close();
    },
  };
  /** Acts like an exchange that was referred: calls the new target with the call to be replaced. */
  async function referred(target: string): Promise<number> {
    const uri = parseSipUri(target);
    if (uri === undefined) return 400;
    const { leg, seen, ...rest } = await newCall(line);
    const outcome = Promise.withResolvers<number>();
    const options = {
      to: printSipUri(uri),
      place: { protocol: 'udp' as const, address: uri.host, port: uri.port ?? 5060 },
      from: { text: 'sip:+12025550199@127.0.0.1' },
      sdp: leg.offer(),
      ringSeconds: 30,
      headers: { replaces: uri.headers.replaces ?? '' },
    };
    const call = agent.invite(options, 'ann', {
      ...eventsOf(leg, seen),
      established: () => outcome.resolve(200),
      failed: (status) => outcome.resolve(status),
    });
    calls.push({ ...rest, call, leg, seen });
    return outcome.promise;
  }
  async function receive(call: IncomingCall): Promise<void> {
    invites.push(call);
    if (call.replaces !== undefined) return call.replaces.giveTo(call);
    const { leg, seen, ...rest } = await newCall(line);
    call.listen({
      ...eventsOf(leg, seen),
      replaced(by) {
        seen.push('replaced');
        by.listen(eventsOf(leg, seen));
        by.accept(by.offer === undefined ? leg.offer() : leg.answer(by.offer));
      },
    });
    calls.push({ ...rest, call, leg, seen });
    const { pickUp } = telephone;
    if (typeof pickUp === 'number') return call.hangUp(pickUp);
    const early = pickUp === 'early' && call.offer !== undefined ? leg.answer(call.offer) : undefined;
    call.ring(early);
    if (early !== undefined) call.accept(early);
    if (pickUp === 'answer') call.accept(call.offer === undefined ? leg.offer() : leg.answer(call.offer));
  }
  return telephone;
}

async function newCall(line: (leg: RtpLeg) => RtpLeg | Promise<RtpLeg>) {
  const leg = await line(await openRtpLeg({ address: '127.0.0.1', log: () => {} }));
  const [seen, keys, heard]: [string[], string[], Int16Array[]] = [[], [], []];
  leg.onTone((digit) => void keys.push(digit));
  leg.session.onPcm16k((pcm) => void heard.push(pcm));
  return { leg, seen, keys, heard };
}

function eventsOf(leg: RtpLeg, seen: string[]): SipCallEvents {
  let agreed = '';
  const accept = (sdp: string): void => {
    if (sdp !== agreed) leg.accept(sdp);
    agreed = sdp;
  };
  return {
    ringing(status, sdp) {
      seen.push(`ringing ${status}`);
      if (sdp !== undefined) accept(sdp);
    },
    answered: accept,
    established: () => void seen.push('established'),
    failed: (status) => void seen.push(`failed ${status}`),
    ended: (how) => void seen.push(`ended ${how}`),
    offer: (sdp) => (sdp === undefined ? leg.offer() : leg.answer(sdp)),
    tone: (digit) => void seen.push(`info ${digit}`),
  };
}
