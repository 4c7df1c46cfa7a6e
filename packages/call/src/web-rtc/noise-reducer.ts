import { transformFourier } from './fourier-transform.ts';

const SIZE = 512;
const HOP = SIZE / 2;
/** The lowest gain of a bin (−18 dB): total silence sounds broken. */
const FLOOR = 0.125;
/** How many times the estimated noise is subtracted; more than once, because the estimate lags behind. */
const OVERSUBTRACTION = 3;
/**
 * The first 160 ms count as noise. After that the estimate rises slowly, so that speech does not count, and
 * falls fast.
 */
const FIRST_HOPS = 30;
const RISE = 1.006;
const FALL = 0.9;
/** Power is smoothed for the estimate, since a single moment says little. */
const POWER_SMOOTHING = 0.85;
const SMOOTHING = 0.6;
/** Rumble below this bin (about 90 Hz at 48 kHz) contains no speech. */
const FIRST_BIN = 1;

/**
 * Removes steady noise from speech by spectral subtraction: a Fourier transform over windows that overlap by
 * half, a noise estimate for each bin, and a gain between −18 dB and 1. The output is delayed by 512 samples
 * (11 ms at 48 kHz).
 */
export class NoiseReducer {
  readonly #window = Float64Array.from({ length: SIZE }, (_, n) => Math.sin((Math.PI * (n + 0.5)) / SIZE));
  readonly #input = new Float64Array(SIZE);
  readonly #overlap = new Float64Array(SIZE);
  readonly #power = new Float64Array(HOP + 1);
  readonly #noise = new Float64Array(HOP + 1).fill(1e-9);
  readonly #gain = new Float64Array(HOP + 1).fill(1);
  readonly #out: number[] = new Array<number>(HOP).fill(0);
  #filled = 0;
  #hops = 0;

  /** Reduces the noise of `samples` (-1 to 1), any number of them; the result has the same length. */
  process(samples: Float32Array): Float32Array {
    for (const sample of samples) {
      this.#input[HOP + this.#filled] = sample;
      this.#filled += 1;
      if (this.#filled === HOP) this.#transform();
    }
    return Float32Array.from(this.#out.splice(0, samples.length));
  }

  #transform(): void {
    this.#filled = 0;
    this.#hops += 1;
    const real = this.#input.map((sample, n) => sample * (this.#window[n] ?? 0));
    const imaginary = new Float64Array(SIZE);
    transformFourier(real, imaginary, 'forward');
    for (let bin = 0; bin <= HOP; bin += 1) {
      const gain = this.#gainOf(bin, (real[bin] ?? 0) ** 2 + (imaginary[bin] ?? 0) ** 2);
      for (const place of bin === 0 || bin === HOP ? [bin] : [bin, SIZE - bin]) {
        real[place] = (real[place] ?? 0) * gain;
        imaginary[place] = (imaginary[place] ?? 0) * gain;
      }
    }
    transformFourier(real, imaginary, 'inverse');
    for (let n = 0; n < SIZE; n += 1)
      this.#overlap[n] = (this.#overlap[n] ?? 0) + ((real[n] ?? 0) / SIZE) * (this.#window[n] ?? 0);
    this.#out.push(...this.#overlap.subarray(0, HOP));
    this.#overlap.copyWithin(0, HOP);
    this.#overlap.fill(0, HOP);
    this.#input.copyWithin(0, HOP);
  }

  #gainOf(bin: number, power: number): number {
    const smooth = (this.#power[bin] ?? 0) * POWER_SMOOTHING + power * (1 - POWER_SMOOTHING);
    this.#power[bin] = smooth;
    const before = this.#noise[bin] ?? 0;
    const tracked = smooth > before ? Math.min(smooth, before * RISE) : before * FALL + smooth * (1 - FALL);
    const noise = this.#hops <= FIRST_HOPS ? smooth : Math.max(1e-9, tracked);
    this.#noise[bin] = noise;
    const wanted =
      bin < FIRST_BIN ? 0 : Math.max(FLOOR, 1 - (OVERSUBTRACTION * noise) / Math.max(power, 1e-12));
    const gain = (this.#gain[bin] ?? 1) * SMOOTHING + wanted * (1 - SMOOTHING);
    this.#gain[bin] = gain;
    return gain;
  }
}
