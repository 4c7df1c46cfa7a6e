import type { SipRequest, SipResponse } from '../message/sip-message.ts';
import { repeatWithBackoff, type SipClock, T2, T4, TIMEOUT } from './sip-clock.ts';

/** What a server transaction needs. */
export interface ServerTransactionParts {
  readonly clock: SipClock;
  readonly reliable: boolean;
  readonly request: SipRequest;
  send(response: SipResponse): void;
  /** The transaction has ended; also where the refusal of an INVITE was never acknowledged. */
  gone(): void;
}

/**
 * A server transaction (RFC 3261 §17.2, with the accepted state of RFC 6026). It repeats the last answer to a
 * repeated request, so that its user sees the request once.
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

  /** Whether a final answer was sent. */
  get finished(): boolean {
    return this.#state !== 'proceeding';
  }

  /** The last answer. */
  get last(): SipResponse | undefined {
    return this.#last;
  }

  /**
   * Sends an answer. After a final answer nothing more is sent, except the 2xx of an INVITE, which the user
   * repeats.
   */
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
    if (invite && !accepted && !reliable)
      this.#stopRepeat = repeatWithBackoff(clock, () => send(response), T2);
    const wait = !invite && reliable ? 0 : TIMEOUT;
    this.#stopWait = clock.after(wait, () => this.close());
  }

  /** Takes a repetition of the request, or the ACK of a refusal. */
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

  /** Ends all timers. */
  close(): void {
    if (this.#state === 'terminated') return;
    this.#state = 'terminated';
    this.#stopRepeat();
    this.#stopWait();
    this.#parts.gone();
  }
}
