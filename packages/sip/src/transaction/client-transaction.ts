import type { SipResponse } from '../message/sip-message.ts';
import { repeatWithBackoff, type SipClock, T2, T4, TIMEOUT } from './sip-clock.ts';

/** Timer D: how long repeated refusals of an INVITE are acknowledged. */
const ACKNOWLEDGE_MS = 32_000;

/** What a client transaction needs. */
export interface ClientTransactionParts {
  readonly clock: SipClock;
  /** True for TCP and TLS: nothing has to be repeated. */
  readonly reliable: boolean;
  readonly invite: boolean;
  /** Sends the request; called again for each repetition. */
  send(): void;
  /** Sends the ACK of a final answer other than a 2xx. */
  acknowledge(response: SipResponse): void;
  /**
   * Called with answers for the transaction's user; for an INVITE with every 2xx, so that each is
   * acknowledged.
   */
  answered(response: SipResponse): void;
  /** No answer came in time, or the request could not be sent. */
  failed(): void;
  /** The transaction has ended. */
  gone(): void;
}

/**
 * A client transaction (RFC 3261 §17.1, with the accepted state of RFC 6026). It repeats its request until it
 * is answered, and does not pass repeated answers on to its user.
 */
export class ClientTransaction {
  readonly #parts: ClientTransactionParts;
  #state: 'calling' | 'proceeding' | 'completed' | 'accepted' | 'terminated' = 'calling';
  #stopRepeat: () => void;
  #stopWait: () => void;

  constructor(parts: ClientTransactionParts) {
    const { clock, reliable, invite } = parts;
    this.#parts = parts;
    this.#stopRepeat = reliable
      ? () => {}
      : repeatWithBackoff(clock, () => parts.send(), invite ? Infinity : T2);
    this.#stopWait = clock.after(TIMEOUT, () => this.fail());
    parts.send();
  }

  /** The request cannot be sent, or nobody answers. */
  fail(): void {
    if (this.#state !== 'calling' && this.#state !== 'proceeding') return;
    this.#terminate();
    this.#parts.failed();
  }

  /** Takes an answer that belongs to this transaction. */
  receive(response: SipResponse): void {
    const { invite } = this.#parts;
    if (this.#state === 'completed' && invite && response.status >= 300) this.#parts.acknowledge(response);
    if (this.#state === 'accepted' && response.status >= 200 && response.status < 300)
      this.#parts.answered(response);
    if (this.#state !== 'calling' && this.#state !== 'proceeding') return;
    if (response.status < 200) this.#proceed(response);
    else this.#complete(response);
  }

  #proceed(response: SipResponse): void {
    this.#state = 'proceeding';
    if (this.#parts.invite) {
      // The transaction's user decides how long the call may ring.
      this.#stopRepeat();
      this.#stopWait();
    }
    this.#parts.answered(response);
  }

  #complete(response: SipResponse): void {
    const { invite, reliable, clock } = this.#parts;
    this.#stop();
    const accepted = invite && response.status < 300;
    this.#state = accepted ? 'accepted' : 'completed';
    const refused = reliable ? 0 : ACKNOWLEDGE_MS;
    const wait = accepted ? TIMEOUT : invite ? refused : reliable ? 0 : T4;
    if (invite && !accepted) this.#parts.acknowledge(response);
    this.#stopWait = clock.after(wait, () => this.#terminate());
    this.#parts.answered(response);
  }

  /** Ends all timers, for example when the process stops. */
  close(): void {
    this.#terminate();
  }

  #stop(): void {
    this.#stopRepeat();
    this.#stopWait();
  }

  #terminate(): void {
    if (this.#state === 'terminated') return;
    this.#state = 'terminated';
    this.#stop();
    this.#parts.gone();
  }
}
