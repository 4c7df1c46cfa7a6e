/**
 * White noise by xorshift. Its sequence repeats after 2^32 - 1 numbers, 74 hours of sound at 16 kHz, which is
 * random enough for noise.
 */
export class WhiteNoise {
  #state: number;

  /** @param seed any number; 0 counts as 1 */
  constructor(seed: number) {
    this.#state = seed | 0 || 1;
  }

  /** The next number, between -1 and 1. */
  next(): number {
    this.#state ^= this.#state << 13;
    this.#state ^= this.#state >>> 17;
    this.#state ^= this.#state << 5;
    return this.#state / 0x80000000;
  }
}
