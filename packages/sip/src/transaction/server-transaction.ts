import type { SipRequest, SipResponse } from '../message/sip-message.ts';
import { GIVE_UP, repeatSlower, type SipClock, T2, T4 } from './sip-clock.ts';

/** What a server transaction works with. */
export interface ServerTransactionParts {
  readonly clock: SipClock;
  readonly reliable: boolean;
  readonly request: SipRequest;
  send(response: SipResponse): void;
  /** A refusal of an INVITE was never acknowledged; there is nothing more to do about it. */
  gone(): void;
}

/**
 * A server transaction (RFC 3261 §17.2, with the accepted state of RFC 6026): answers a repeated request with
 * what it was answered before, so that its user sees it once.
 */
export class ServerTransaction {
  readonly request: SipRequest;
  readonly #parts: ServerTransactionParts;
  #state: 'proceeding' | 'completed' | 'accepted' | 'confirmed' | 'terminated' = 'proceeding';
  #last: SipResponse | undefined;
  #stopRepeat = (): void => {};
  #stopWait = (): void => {};

  constructor(parts: ServerTransactionParts) {
    this.#parts = parts;
    this.request = parts.request;
  }

  /** Whether a final answer was given. */
  get finished(): boolean {
    return this.#state !== 'proceeding';
  }

  /** What was answered last. */
  get last(): SipResponse | undefined {
    return this.#last;
  }

  /** Answers; after a final answer nothing more is sent, but the 2xx of an INVITE, which its user repeats. */
  respond(response: SipResponse): void {
    const { send, reliable, clock, request } = this.#parts;
    const invite = request.method === 'INVITE';
    if (this.#state === 'accepted' && response.status < 300) return void send(response);
    if (this.#state !== 'proceeding') return;
    this.#last = response;
    send(response);
    if (response.status < 200) return;
    const accepted = invite && response.status < 300;
    this.#state = accepted ? 'accepted' : 'completed';
    if (invite && !accepted && !reliable) this.#stopRepeat = repeatSlower(clock, () => send(response), T2);
    const wait = !invite && reliable ? 0 : GIVE_UP;
    this.#stopWait = clock.after(wait, () => this.close());
  }

  /** The same request once more, or the ACK of a refusal. */
  receive(request: SipRequest): void {
    const { send, clock, reliable } = this.#parts;
    if (request.method === 'ACK') {
      if (this.#state !== 'completed') return;
      this.#state = 'confirmed';
      this.#stopRepeat();
      this.#stopWait();
      this.#stopWait = clock.after(reliable ? 0 : T4, () => this.close());
    } else if (this.#last !== undefined && (this.#state === 'proceeding' || this.#state === 'completed')) {
      send(this.#last);
    }
  }

  /** Ends every timer. */
  close(): void {
    if (this.#state === 'terminated') return;
    this.#state = 'terminated';
    this.#stopRepeat();
    this.#stopWait();
    this.#parts.gone();
  }
}
