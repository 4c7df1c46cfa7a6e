import { randomInt } from 'node:crypto';
import { ServiceError } from '@northline/service-error/service-error';
import type { CommandSequence } from '../message/sip-message.ts';
import { repeatWithBackoff, type SipClock, TIMEOUT } from '../transaction/sip-clock.ts';
import type { IncomingRequest } from '../transaction/transaction-layer.ts';
import { sdpOf } from './sip-call.ts';

/** What reliable answers need. */
export interface ProgressParts {
  readonly clock: SipClock;
  /** The INVITE that they answer. */
  readonly invite: CommandSequence;
  /**
   * Takes the description of a PRACK, an answer or an offer. Returns the answer to an offer, or an empty
   * text.
   */
  described(sdp: string): string;
  /** An answer was not acknowledged in time. */
  expired(): void;
}

interface Sent {
  readonly number: number;
  /** Whether it has a description: no 2xx may be sent before it is acknowledged (RFC 3262 §3). */
  readonly described: boolean;
  readonly stop: () => void;
}

/**
 * The provisional answers of an incoming call that are repeated until they are acknowledged, one after
 * another (RFC 3262 §3).
 */
export class ReliableProgress {
  readonly #parts: ProgressParts;
  #next = randomInt(1, 1_000_000);
  #sent: Sent | undefined;
  #waiting: (() => void)[] = [];

  constructor(parts: ProgressParts) {
    this.#parts = parts;
  }

  /** Sends an answer once the one before it is acknowledged. `respond` sends it with the given headers. */
  send(respond: (headers: Readonly<Record<string, string>>) => void, described: boolean): void {
    if (this.#sent !== undefined) {
      this.#waiting.push(() => this.send(respond, described));
      return;
    }
    const number = this.#next;
    this.#next += 1;
    const repeat = (): void => respond({ require: '100rel', rseq: String(number) });
    repeat();
    const stopRepeat = repeatWithBackoff(this.#parts.clock, repeat);
    const stopWait = this.#parts.clock.after(TIMEOUT, () => this.#parts.expired());
    this.#sent = {
      number,
      described,
      stop: () => {
        stopRepeat();
        stopWait();
      },
    };
  }

  /** Runs `run` as soon as a final answer may be sent: at once, unless a description waits for its PRACK. */
  beforeAnswer(run: () => void): void {
    if (this.#sent?.described === true) this.#waiting.push(() => this.beforeAnswer(run));
    else run();
  }

  /** Answers a PRACK; 481 if it does not acknowledge anything. */
  acknowledge(incoming: IncomingRequest): void {
    const { headers } = incoming.request;
    const [number = '', sequence = '', method] = (headers.get('rack') ?? '').trim().split(/\s+/);
    const { invite } = this.#parts;
    const sent = this.#sent;
    const fits = Number(sequence) === invite.number && method === invite.method;
    if (sent === undefined || !fits || Number(number) !== sent.number) return void incoming.respond(481);
    sent.stop();
    this.#sent = undefined;
    const description = sdpOf(incoming.request);
    try {
      const body = description === undefined ? '' : this.#parts.described(description);
      const type = body === '' ? {} : { headers: { 'content-type': 'application/sdp' } };
      incoming.respond(200, { body, ...type });
    } catch (error) {
      incoming.respond(error instanceof ServiceError ? 488 : 500);
    }
    for (const run of this.#waiting.splice(0)) run();
  }

  /** A final answer was given: nothing is repeated any more, but a late PRACK is still answered. */
  stop(): void {
    this.#sent?.stop();
    this.#waiting = [];
  }
}
