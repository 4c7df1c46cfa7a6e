/**
 * Steady noise of a room or a line is taken out of the caller's sound before it is recognised: a
 * Wiener gain on short spectra, the noise learnt from the sound before the first word (Boll 1979;
 * Scalart and Filho 1996: decision-directed estimate of what is speech). Quiet rooms are left alone.
 */

const SIZE = 512;
const HOP = SIZE / 2;
const BINS = SIZE / 2 + 1;
/** Spectra before the first word of a call that are noise alone. */
const LEARNING = 12;
/** Mean power of noise (square of a sample) from which it is worth taking out: some -60 dBFS. */
const LEAST_NOISE = 900;
/** Above it (some -33 dBFS) it is speech: an utterance that begins with its first word teaches nothing. */
const MOST_NOISE = 490_000;
/** Noise is never taken out altogether: what is left sounds like the room, not like holes. */
const FLOOR = 0.15;
const SMOOTH = 0.96;
/** Noise swings about its mean. */
const OVER = 1.3;
const PEAK = 32767;

const WINDOW = Float64Array.from({ length: SIZE }, (_, at) => Math.sin((Math.PI * (at + 0.5)) / SIZE));
const COSINE = Float64Array.from({ length: SIZE / 2 }, (_, at) => Math.cos((2 * Math.PI * at) / SIZE));
const SINE = Float64Array.from({ length: SIZE / 2 }, (_, at) => -Math.sin((2 * Math.PI * at) / SIZE));

/** Takes noise out of one caller's utterances, as they stream. What is learnt stays for the next one. */
export class NoiseReduction {
  #input = new Float64Array(SIZE);
  #output = new Float64Array(SIZE);
  #filled = 0;
  #noise = new Float64Array(BINS);
  #speech = new Float64Array(BINS);
  #learnt = 0;

  /** Another utterance begins. */
  begin(): void {
    this.#input = new Float64Array(SIZE);
    this.#output = new Float64Array(SIZE);
    this.#speech = new Float64Array(BINS);
    this.#filled = 0;
  }

  /** Another caller begins. */
  forget(): void {
    this.#noise = new Float64Array(BINS);
    this.#learnt = 0;
  }

  /** The same number of samples as came in, half a spectrum late. */
  reduce(pcm: Int16Array): Int16Array {
    const out = new Int16Array(pcm.length);
    for (let at = 0; at < pcm.length; at++) {
      out[at] = Math.max(-PEAK, Math.min(PEAK, Math.round(this.#output[this.#filled] ?? 0)));
      this.#input[HOP + this.#filled] = pcm[at] ?? 0;
      this.#filled++;
      if (this.#filled === HOP) this.#step();
    }
    return out;
  }

  #step(): void {
    const real = this.#input.map((sample, at) => sample * (WINDOW[at] ?? 0));
    const imaginary = new Float64Array(SIZE);
    transform(real, imaginary);
    this.#weigh(real, imaginary);
    // The conjugate's transform is the way back.
    for (let at = 0; at < SIZE; at++) imaginary[at] = -(imaginary[at] ?? 0);
    transform(real, imaginary);
    const next = new Float64Array(SIZE);
    next.set(this.#output.subarray(HOP));
    for (let at = 0; at < SIZE; at++)
      next[at] = (next[at] ?? 0) + ((real[at] ?? 0) / SIZE) * (WINDOW[at] ?? 0);
    this.#output = next;
    this.#input.copyWithin(0, HOP);
    this.#filled = 0;
  }

  #weigh(real: Float64Array, imaginary: Float64Array): void {
    const powers = Float64Array.from(
      { length: BINS },
      (_, bin) => (real[bin] ?? 0) ** 2 + (imaginary[bin] ?? 0) ** 2,
    );
    this.#learn(powers);
    const total = this.#noise.reduce((sum, power) => sum + power, 0);
    // Parseval: the window halves the power, and only half of the spectrum is counted.
    if (total / ((SIZE * SIZE) / 4) < LEAST_NOISE) return;
    for (let bin = 0; bin < BINS; bin++) {
      const noise = (this.#noise[bin] ?? 0) * OVER + 1;
      const ratio = (powers[bin] ?? 0) / noise;
      const prior = SMOOTH * ((this.#speech[bin] ?? 0) / noise) + (1 - SMOOTH) * Math.max(0, ratio - 1);
      const gain = Math.max(FLOOR, prior / (1 + prior));
      this.#speech[bin] = gain * gain * (powers[bin] ?? 0);
      for (const at of bin === 0 || bin === SIZE / 2 ? [bin] : [bin, SIZE - bin]) {
        real[at] = (real[at] ?? 0) * gain;
        imaginary[at] = (imaginary[at] ?? 0) * gain;
      }
    }
  }

  /** The beginning is noise alone; after that only what is weaker than the noise so far teaches more. */
  #learn(powers: Float64Array): void {
    const power = powers.reduce((sum, one) => sum + one, 0) / (SIZE * SIZE * 0.25);
    this.#learnt = power > MOST_NOISE ? Math.max(LEARNING, this.#learnt) + 1 : this.#learnt + 1;
    for (let bin = 0; bin < BINS; bin++) {
      const before = this.#noise[bin] ?? 0;
      const power = powers[bin] ?? 0;
      if (this.#learnt <= LEARNING) this.#noise[bin] = before + (power - before) / this.#learnt;
      else if (power < before * 2) this.#noise[bin] = before + (power - before) * 0.02;
    }
  }
}

/** Fourier transform in place (Cooley and Tukey 1965). */
function transform(real: Float64Array, imaginary: Float64Array): void {
  for (let at = 1, mirror = 0; at < SIZE; at++) {
    let bit = SIZE >> 1;
    for (; mirror & bit; bit >>= 1) mirror ^= bit;
    mirror ^= bit;
    if (at < mirror) {
      [real[at], real[mirror]] = [real[mirror] ?? 0, real[at] ?? 0];
      [imaginary[at], imaginary[mirror]] = [imaginary[mirror] ?? 0, imaginary[at] ?? 0];
    }
  }
  for (let length = 2; length <= SIZE; length <<= 1) {
    const step = SIZE / length;
    for (let from = 0; from < SIZE; from += length) {
      for (let at = 0; at < length / 2; at++) {
        const one = from + at;
        const other = one + length / 2;
        const cosine = COSINE[at * step] ?? 0;
        const sine = SINE[at * step] ?? 0;
        const re = (real[other] ?? 0) * cosine - (imaginary[other] ?? 0) * sine;
        const im = (real[other] ?? 0) * sine + (imaginary[other] ?? 0) * cosine;
        real[other] = (real[one] ?? 0) - re;
        imaginary[other] = (imaginary[one] ?? 0) - im;
        real[one] = (real[one] ?? 0) + re;
        imaginary[one] = (imaginary[one] ?? 0) + im;
      }
    }
  }
}
