import type { Recognised } from '../engines.server.ts';
import type { RecogniserRequest } from './recogniser-messages.server.ts';

const NOTHING: Recognised = { text: '', confidence: 0 };

interface SentUtterance {
  readonly id: number;
  /** All that a recogniser has to be told of it, in order. */
  readonly requests: RecogniserRequest[];
  answer: ((heard: Recognised) => void) | undefined;
  /** A recogniser ended while it had this one. */
  lostOnce: boolean;
}

/** The utterances of one call that have no text yet, kept so that they can be told again. */
export class SentUtterances {
  #utterances: SentUtterance[] = [];
  #lastId = 0;

  /** Whether there are any. */
  get any(): boolean {
    return this.#utterances.length > 0;
  }

  /** Whether the text of one is waited for. */
  get waits(): boolean {
    return this.#utterances.some(({ answer }) => answer !== undefined);
  }

  /** The number of an utterance that begins; one that was never ended is given up. */
  next(): number {
    this.#utterances = this.#utterances.filter(({ answer }) => answer !== undefined);
    this.#utterances.push({ id: ++this.#lastId, requests: [], answer: undefined, lostOnce: false });
    return this.#lastId;
  }

  /** Whether this is the one that is being said. */
  isOpen(id: number): boolean {
    const last = this.#utterances.at(-1);
    return last?.id === id && last.answer === undefined;
  }

  /** Keeps what was sent of the utterance that is being said. */
  note(request: RecogniserRequest): void {
    this.#utterances.at(-1)?.requests.push(request);
  }

  /** Its text. */
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

  /** What another recogniser has to be told. */
  again(): readonly RecogniserRequest[] {
    return this.#utterances.flatMap(({ requests }) => requests);
  }

  /**
   * The recogniser is gone.
   *
   * @param again whether another one may be asked; an utterance that was lost before is not told again
   */
  lose(again: boolean): void {
    const kept = this.#utterances.filter((one) => again && !one.lostOnce);
    for (const one of this.#utterances) {
      if (!kept.includes(one)) one.answer?.(NOTHING);
      one.lostOnce = true;
    }
    this.#utterances = kept;
  }
}
