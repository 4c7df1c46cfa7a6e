import { parseNameAddress } from '../message/sip-addresses.ts';
import { commandSequence, reasonOf } from '../message/sip-message.ts';
import type { IncomingRequest } from '../transaction/transaction-layer.ts';
import { referStatus } from './call-bodies.ts';
import type { DialogRequests } from './dialog-requests.ts';
import type { CallContextOfAgent, CallEnding, SipCallEvents } from './sip-call.ts';

/** What the other side tells of a call that it was asked to make is waited for so long. */
const REFER_MS = 60_000;

/** What referrals are made of. */
export interface ReferralParts {
  readonly requests: DialogRequests;
  /** Who judges whom we are sent to. */
  readonly events: Pick<SipCallEvents, 'referred'>;
  /** Our address, as the dialog has it. */
  readonly local: string;
}

/** REFER within a call, in both directions (RFC 3515): whom we send the other side to, and whom it sends us to. */
export class CallReferral {
  readonly #agent: Pick<CallContextOfAgent, 'clock' | 'log'>;
  readonly #parts: ReferralParts;
  #referred: ((status: number) => void) | undefined;
  #received = 0;
  /** Each tells the other side how a call that it asked for goes. */
  readonly #untold = new Set<(status: number) => void>();

  constructor(agent: Pick<CallContextOfAgent, 'clock' | 'log'>, parts: ReferralParts) {
    this.#agent = agent;
    this.#parts = parts;
  }

  /** Asks the other side to call somebody. Resolves with the last status that it told of that call. */
  ask(to: string, headers: Readonly<Record<string, string>>): Promise<number> {
    return new Promise((resolve) => {
      const cancel = this.#agent.clock.after(REFER_MS, () => done(408));
      const done = (status: number): void => {
        cancel();
        if (this.#referred === done) this.#referred = undefined;
        resolve(status);
      };
      this.#referred = done;
      const asked = this.#parts.requests.ask('REFER', {
        headers: { 'refer-to': `<${to}>`, 'referred-by': this.#parts.local, ...headers },
      });
      asked.then(
        ({ status, headers: answered }) => {
          if (status >= 300) done(status);
          // Without a subscription nothing more is told (RFC 4488).
          else if (/^false$/i.test(answered.get('refer-sub') ?? '')) done(200);
        },
        () => done(408),
      );
    });
  }

  /** What the other side tells of the call that it was asked to make. */
  notified(incoming: IncomingRequest): void {
    const { headers, body } = incoming.request;
    const told = this.#referred;
    if (!/^refer\b/i.test(headers.get('event') ?? '') || told === undefined)
      return void incoming.respond(481);
    incoming.respond(200);
    const status = referStatus(body) ?? 0;
    if (status >= 200) told(status);
    // Nothing more is told, though the call had not come to an end.
    else if (/^terminated\b/i.test(headers.get('subscription-state') ?? '')) told(408);
  }

  /** Whom we are sent to is for whoever has the call to judge: without one that does, nobody is. */
  receive(incoming: IncomingRequest): void {
    const { headers } = incoming.request;
    if (this.#parts.events.referred === undefined) return void incoming.respond(603);
    const given = headers.all('refer-to');
    const target = given.length === 1 ? parseNameAddress(given[0] ?? '')?.text : undefined;
    if (target === undefined) return void incoming.respond(400);
    const silent = /^false$/i.test(headers.get('refer-sub') ?? '');
    incoming.respond(202, silent ? { headers: { 'refer-sub': 'false' } } : {});
    const tell = silent ? () => {} : this.#teller(incoming);
    tell(100);
    this.#parts.events.referred(target).then(tell, (error: unknown) => {
      this.#agent.log(`a call was not moved: ${String(error)}`);
      tell(500);
    });
  }

  /** Tells the other side how it goes, and the end of it once. */
  #teller(incoming: IncomingRequest): (status: number) => void {
    this.#received += 1;
    // From the second on a subscription is told from others by its REFER (RFC 3515 §2.4.6).
    const event = this.#received === 1 ? 'refer' : `refer;id=${commandSequence(incoming.request).number}`;
    const tell = (status: number): void => {
      if (!this.#untold.has(tell)) return;
      if (status >= 200) this.#untold.delete(tell);
      const state = status < 200 ? 'active;expires=60' : 'terminated;reason=noresource';
      const headers = { event, 'subscription-state': state, 'content-type': 'message/sipfrag' };
      const body = `SIP/2.0 ${status} ${reasonOf(status)}\r\n`;
      this.#parts.requests.ask('NOTIFY', { headers, body }).catch(() => {});
    };
    this.#untold.add(tell);
    return tell;
  }

  /** The call is left for whom the other side sent us to: it hears of that before the BYE. */
  left(): void {
    for (const tell of [...this.#untold]) tell(200);
  }

  /** The call is over: who hangs up after being sent away has gone there. */
  ended(how: CallEnding): void {
    this.#referred?.(how === 'remote' ? 200 : 487);
  }
}
