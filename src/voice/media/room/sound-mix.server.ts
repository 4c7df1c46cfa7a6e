import { FRAME } from '@northline/telephone-audio/frame-pacing';

/** Most sound of one person that waits: beyond a fifth of a second the oldest is dropped. */
const MOST_WAITING = 10 * FRAME.samples;

/** Mixes everybody's sound for the assistant of a room. 16-bit mono, 16 kHz. */
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

  /**
   * The next 20 ms of everybody who has them, summed and limited to 16 bits; silence where nobody has any.
   */
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
