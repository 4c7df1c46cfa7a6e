import type { Recognised } from '../engines.server.ts';
import type { RecogniserRequest } from './recogniser-messages.server.ts';

const NOTHING: Recognised = { text: '', confidence: 0 };
const LOST: Recognised = { ...NOTHING, lost: true };

interface SentUtterance {
  readonly id: number;
  /** All the requests about it that a recogniser needs, in order. */
  readonly requests: RecogniserRequest[];
  answer: ((heard: Recognised) => void) | undefined;
  /** Whether a recogniser ended while it had this utterance. */
  lostOnce: boolean;
}

/** The utterances of one call that have no text yet, kept so that they can be sent again. */
export class SentUtterances {
  #utterances: SentUtterance[] = [];
  #lastId = 0;

  /** Whether any utterance has no text yet. */
  get any(): boolean {
    return this.#utterances.length > 0;
  }

  /** Whether somebody waits for a text. */
  get waits(): boolean {
    return this.#utterances.some(({ answer }) => answer !== undefined);
  }

  /** Begins an utterance and returns its number; one that was never ended is given up. */
  next(): number {
    this.#utterances = this.#utterances.filter(({ answer }) => answer !== undefined);
    this.#utterances.push({ id: ++this.#lastId, requests: [], answer: undefined, lostOnce: false });
    return this.#lastId;
  }

  /** Whether this is the utterance that is being spoken. */
  isOpen(id: number): boolean {
    const last = this.#utterances.at(-1);
    return last?.id === id && last.answer === undefined;
  }

  /** Keeps a request that was sent about the utterance that is being spoken. */
  note(request: RecogniserRequest): void {
    this.#utterances.at(-1)?.requests.push(request);
  }

  /** The text of the utterance that is being spoken. */
  ask(): Promise<Recognised> {
    const last = this.#utterances.at(-1);
    if (!last || last.answer) return Promise.resolve(NOTHING);
    return new Promise((resolve) => {
      last.answer = resolve;
    });
  }

  answer(id: number, heard: Recognised): void {
    this.#utterances.find((one) => one.id === id)?.answer?.(heard);
    this.#utterances = this.#utterances.filter((one) => one.id !== id);
  }

  /** All the requests that another recogniser has to be sent. */
  again(): readonly RecogniserRequest[] {
    return this.#utterances.flatMap(({ requests }) => requests);
  }

  /**
   * The recogniser has ended.
   *
   * @param again whether another one may be asked; an utterance that was lost before is not sent again
   */
  lose(again: boolean): void {
    const kept = this.#utterances.filter((one) => again && !one.lostOnce);
    for (const one of this.#utterances) {
      if (!kept.includes(one)) one.answer?.(LOST);
      one.lostOnce = true;
    }
    this.#utterances = kept;
  }
}
