/** Taps of the low-pass on each side of its middle, in samples of the finer clock. */
const HALF = 24;

/**
 * Resamples a stream from 24 000 to 16 000 samples a second: it picks samples on a common clock of 48 000,
 * after a low-pass at 8 kHz (windowed sinc), because higher frequencies would come back as noise.
 */
export class Downsampler {
  #samples: number[] = new Array<number>(HALF).fill(0);
  /** Where the next output lies, on the clock of 48 000, counted from the first kept sample. */
  #next = HALF;
  #odd: number | null = null;

  /** @param bytes 16-bit samples, little-endian; a piece may end in the middle of one */
  push(bytes: Uint8Array): Int16Array {
    this.#take(bytes);
    const out: number[] = [];
    // One input sample is two steps of the finer clock, one output sample is three.
    while ((this.#next + HALF) / 2 < this.#samples.length) {
      out.push(Math.max(-32768, Math.min(32767, Math.round(this.#at(this.#next)))));
      this.#next += 3;
    }
    const done = Math.max(0, Math.floor((this.#next - HALF) / 2) - 1);
    this.#samples = this.#samples.slice(done);
    this.#next -= done * 2;
    return Int16Array.from(out);
  }

  #take(bytes: Uint8Array): void {
    let at = 0;
    if (this.#odd !== null && bytes.length > 0) {
      this.#samples.push(signed(this.#odd, bytes[at++] ?? 0));
      this.#odd = null;
    }
    for (; at + 1 < bytes.length; at += 2) this.#samples.push(signed(bytes[at] ?? 0, bytes[at + 1] ?? 0));
    if (at < bytes.length) this.#odd = bytes[at] ?? 0;
  }

  #at(fine: number): number {
    let sum = 0;
    for (let offset = -HALF; offset <= HALF; offset++) {
      const place = fine + offset;
      if (place % 2 === 0) sum += (this.#samples[place / 2] ?? 0) * (FILTER[offset + HALF] ?? 0);
    }
    return sum;
  }
}

/**
 * Resamples a stream from 16 000 to 24 000 samples a second, on the same common clock of 48 000, of whose
 * samples every third is known, and through the same low-pass.
 */
export class Upsampler {
  #samples: number[] = new Array<number>(HALF / 3).fill(0);
  /** Where the next output lies, on the clock of 48 000, counted from the first kept sample. */
  #next = HALF;

  /** @returns 16-bit samples, little-endian */
  push(pcm: Int16Array): Buffer {
    for (const sample of pcm) this.#samples.push(sample);
    const out: number[] = [];
    // One input sample is three steps of the finer clock, one output sample is two.
    while ((this.#next + HALF) / 3 < this.#samples.length) {
      out.push(Math.max(-32768, Math.min(32767, Math.round(this.#at(this.#next)))));
      this.#next += 2;
    }
    const done = Math.max(0, Math.floor((this.#next - HALF) / 3) - 1);
    this.#samples = this.#samples.slice(done);
    this.#next -= done * 3;
    const bytes = Buffer.alloc(out.length * 2);
    for (const [at, sample] of out.entries()) bytes.writeInt16LE(sample, at * 2);
    return bytes;
  }

  #at(fine: number): number {
    let sum = 0;
    for (let place = Math.ceil((fine - HALF) / 3) * 3; place <= fine + HALF; place += 3)
      sum += (this.#samples[place / 3] ?? 0) * (FILTER[place - fine + HALF] ?? 0);
    // The filter's gain is set for a clock on which every second sample is known; here every third is.
    return sum * 1.5;
  }
}

function signed(low: number, high: number): number {
  return ((high << 24) >> 16) | low;
}

/**
 * Low-pass at a sixth of the finer clock, Hann window; its gain is doubled, since every other fine sample is
 * zero.
 */
const FILTER = Array.from({ length: HALF * 2 + 1 }, (_, at) => {
  const x = (at - HALF) / 3;
  const sinc = x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
  return (2 / 3) * sinc * (0.5 + 0.5 * Math.cos((Math.PI * (at - HALF)) / HALF));
});
