/** Taps of the low-pass on each side of its middle, in samples of the finer clock. */
const HALF = 24;

/**
 * Brings 24 000 samples a second down to 16 000, as they stream: two out of three on a clock of
 * 48 000, through a low-pass at 8 kHz (windowed sinc), since what lies above would come back as noise.
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
    // Two finer steps are one sample in, three are one sample out.
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
 * Brings 16 000 samples a second up to 24 000, as they stream: on the same clock of 48 000, every third of whose
 * samples is there, through the same low-pass.
 */
export class Upsampler {
  #samples: number[] = new Array<number>(HALF / 3).fill(0);
  /** Where the next output lies, on the clock of 48 000, counted from the first kept sample. */
  #next = HALF;

  /** @returns 16-bit samples, little-endian */
  push(pcm: Int16Array): Buffer {
    for (const sample of pcm) this.#samples.push(sample);
    const out: number[] = [];
    // Three finer steps are one sample in, two are one sample out.
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
    // The filter is made for every second sample.
    return sum * 1.5;
  }
}

function signed(low: number, high: number): number {
  return ((high << 24) >> 16) | low;
}

/** Cut-off at a sixth of the finer clock, Hann window; doubled, as every other fine sample is nought. */
const FILTER = Array.from({ length: HALF * 2 + 1 }, (_, at) => {
  const x = (at - HALF) / 3;
  const sinc = x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
  return (2 / 3) * sinc * (0.5 + 0.5 * Math.cos((Math.PI * (at - HALF)) / HALF));
});
