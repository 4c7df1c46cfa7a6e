import { FRAME } from '@northline/telephone-audio/frame-pacing';

/** Sound of one person that waits: more than a fifth of a second is dropped, oldest first. */
const MOST_WAITING = 10 * FRAME.samples;

/** Everybody's sound as one: what the assistant of a room hears. 16-bit mono of 16 kHz. */
export class SoundMix {
  readonly #waiting = new Map<string, Int16Array>();

  push(person: string, pcm: Int16Array): void {
    const before = this.#waiting.get(person) ?? new Int16Array(0);
    const all = new Int16Array(before.length + pcm.length);
    all.set(before);
    all.set(pcm, before.length);
    this.#waiting.set(person, all.length > MOST_WAITING ? all.slice(-MOST_WAITING) : all);
  }

  leave(person: string): void {
    this.#waiting.delete(person);
  }

  /** The next 20 ms of all who have them, cut off where they are too loud together; silence where nobody has. */
  next(): Int16Array {
    const sum = new Int32Array(FRAME.samples);
    for (const [person, pcm] of this.#waiting) {
      if (pcm.length < FRAME.samples) continue;
      for (let at = 0; at < FRAME.samples; at += 1) sum[at] = (sum[at] ?? 0) + (pcm[at] ?? 0);
      this.#waiting.set(person, pcm.slice(FRAME.samples));
    }
    return Int16Array.from(sum, (sample) => Math.max(-32_768, Math.min(32_767, sample)));
  }
}
