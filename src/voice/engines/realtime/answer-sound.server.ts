import { ProviderArrival } from './provider-arrival.server.ts';

/** The part of an answer's sound that belongs to one sentence, in samples from its beginning. */
export interface SoundShare {
  readonly from: number;
  to: number;
}

const SAMPLES_PER_MS = 16;
/**
 * The text of an answer may arrive before its sound: each sentence is given at least this much time per
 * letter.
 */
const LEAST_MS_PER_CHARACTER = 50;
/** Longest sound of one answer, samples: five minutes. */
const MOST_SAMPLES = 5 * 60_000 * SAMPLES_PER_MS;
/** What is yielded for a sentence whose sound came with the sentence before it: it has been heard. */
const MOMENT = 10 * SAMPLES_PER_MS;

/**
 * The sound of one answer as it arrives, 16 000 samples a second, shared out among the sentences of its text.
 * The sound is read once and in order, so that nothing is lost or repeated between two sentences.
 */
export class AnswerSound {
  #pieces: Int16Array[] = [];
  /** Samples that were read or passed over. */
  #passed = 0;
  #received = 0;
  #shared = 0;
  #last: SoundShare | undefined;
  /** Whether no further sentence is coming. */
  #settled = false;
  #state: 'open' | 'ended' | 'failed' = 'open';
  readonly #arrival = new ProviderArrival();

  /** @returns false where the answer is longer than any may be: it ends there */
  push(pcm: Int16Array): boolean {
    if (this.#state !== 'open') return true;
    if (this.#received + pcm.length > MOST_SAMPLES) {
      this.end();
      return false;
    }
    if (pcm.length > 0) this.#pieces.push(pcm);
    this.#received += pcm.length;
    this.#arrival.notify();
    return true;
  }

  /** All the sound has arrived. */
  end(): void {
    if (this.#state === 'open') this.#state = 'ended';
    this.#arrival.notify();
  }

  /** The sound breaks off: no more of it comes. */
  fail(): void {
    if (this.#state === 'open') this.#state = 'failed';
    this.#arrival.notify();
  }

  /** Samples that have arrived. */
  get received(): number {
    return this.#received;
  }

  /**
   * The share of a sentence: from the end of the sentence before to what had arrived when its text was
   * complete.
   */
  share(sentence: string, upTo: number): SoundShare {
    const from = this.#shared;
    const least = from + sentence.length * LEAST_MS_PER_CHARACTER * SAMPLES_PER_MS;
    this.#last = { from, to: Math.max(upTo, least) };
    this.#shared = this.#last.to;
    this.#arrival.notify();
    return this.#last;
  }

  /** The text is complete: sound that still arrives belongs to its last sentence. */
  settle(): void {
    if (this.#last !== undefined) this.#last.to = Number.POSITIVE_INFINITY;
    this.#settled = true;
    this.#arrival.notify();
  }

  /**
   * The sound of a share as it arrives. An aborted signal ends it without an error.
   *
   * @throws Error where nothing of it came
   */
  async *read(share: SoundShare, signal: AbortSignal): AsyncGenerator<Int16Array, void> {
    let begun = false;
    while (!signal.aborted) {
      const piece = this.#nextPiece(share);
      if (piece !== undefined) {
        begun = true;
        yield piece;
        continue;
      }
      if (this.#isRead(share)) break;
      await this.#arrival.wait(signal, () => this.fail());
    }
    if (begun || signal.aborted) return;
    if (this.#state === 'failed') throw new Error('its sound broke off');
    if (this.#received > 0) yield new Int16Array(MOMENT);
  }

  /** The latest sentence may turn out to be the last of the answer; then all later sound belongs to it. */
  #isRead(share: SoundShare): boolean {
    if (this.#pieces.length === 0 && this.#state !== 'open') return true;
    return this.#passed >= share.to && (this.#settled || share !== this.#last);
  }

  /** The next piece of a share; what lies before it is passed over. */
  #nextPiece({ from, to }: SoundShare): Int16Array | undefined {
    for (let piece = this.#pieces[0]; piece !== undefined; piece = this.#pieces[0]) {
      if (this.#passed >= to) return undefined;
      const skipped = Math.max(0, Math.min(piece.length, from - this.#passed));
      const end = Math.min(piece.length, to - this.#passed);
      if (end < piece.length) this.#pieces[0] = piece.subarray(end);
      else this.#pieces.shift();
      this.#passed += end;
      if (end > skipped) return piece.subarray(skipped, end);
    }
    return undefined;
  }
}
