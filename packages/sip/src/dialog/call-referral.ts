import { parseNameAddress } from '../message/sip-addresses.ts';
import { commandSequence, reasonOf } from '../message/sip-message.ts';
import type { IncomingRequest } from '../transaction/transaction-layer.ts';
import { referStatus } from './call-bodies.ts';
import type { DialogRequests } from './dialog-requests.ts';
import type { CallContextOfAgent, CallEnding, SipCallEvents } from './sip-call.ts';

/** How long the outcome of a referral is waited for. */
const REFER_MS = 60_000;

/** What referrals need. */
export interface ReferralParts {
  readonly requests: DialogRequests;
  /** Decides on referrals of the other side. */
  readonly events: Pick<SipCallEvents, 'referred'>;
  /** Our address in the dialog. */
  readonly local: string;
}

/**
 * REFER within a call, in both directions (RFC 3515): our referrals of the other side, and its referrals of
 * us.
 */
export class CallReferral {
  readonly #agent: Pick<CallContextOfAgent, 'clock' | 'log'>;
  readonly #parts: ReferralParts;
  #referred: ((status: number) => void) | undefined;
  #received = 0;
  /**
   * The functions that report referred calls to the other side, as long as the final status is outstanding.
   */
  readonly #untold = new Set<(status: number) => void>();

  constructor(agent: Pick<CallContextOfAgent, 'clock' | 'log'>, parts: ReferralParts) {
    this.#agent = agent;
    this.#parts = parts;
  }

  /** Asks the other side to call somebody. Resolves with the last status that it reports for that call. */
  ask(to: string): Promise<number> {
    return new Promise((resolve) => {
      const cancel = this.#agent.clock.after(REFER_MS, () => done(408));
      const done = (status: number): void => {
        cancel();
        if (this.#referred === done) this.#referred = undefined;
        resolve(status);
      };
      this.#referred = done;
      const asked = this.#parts.requests.ask('REFER', {
        headers: { 'refer-to': `<${to}>`, 'referred-by': this.#parts.local },
      });
      asked.then(
        ({ status, headers: answered }) => {
          if (status >= 300) done(status);
          // Without a subscription the other side sends no reports (RFC 4488).
          else if (/^false$/i.test(answered.get('refer-sub') ?? '')) done(200);
        },
        () => done(408),
      );
    });
  }

  /** Takes a report about the call that the other side was asked to make. */
  notified(incoming: IncomingRequest): void {
    const { headers, body } = incoming.request;
    const told = this.#referred;
    if (!/^refer\b/i.test(headers.get('event') ?? '') || told === undefined)
      return void incoming.respond(481);
    incoming.respond(200);
    const status = referStatus(body) ?? 0;
    if (status >= 200) told(status);
    // The reports end before the call had a final status.
    else if (/^terminated\b/i.test(headers.get('subscription-state') ?? '')) told(408);
  }

  /** Handles a referral of the other side. It is declined where nobody decides on referrals. */
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

  /** Returns a function that reports the referred call to the other side, with one final status. */
  #teller(incoming: IncomingRequest): (status: number) => void {
    this.#received += 1;
    // From the second one on, the REFER's number tells subscriptions apart (RFC 3515 §2.4.6).
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

  /** This call is being left for the one that the other side referred us to; it is told before the BYE. */
  left(): void {
    for (const tell of [...this.#untold]) tell(200);
  }

  /** The call is over. A side that hangs up after our referral has gone to the new call. */
  ended(how: CallEnding): void {
    this.#referred?.(how === 'remote' ? 200 : 487);
  }
}
