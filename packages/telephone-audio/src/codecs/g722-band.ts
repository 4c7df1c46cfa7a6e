/**
 * The quantiser of one band of ITU-T G.722: the logarithm of its scale factor, and a predictor with two poles
 * and six zeros.
 */
export interface BandRules {
  /** Logarithm of the scale factor: what each code adds to it, and its limit (blocks 3L and 3H). */
  readonly steps: readonly number[];
  readonly highest: number;
  /** Bits that the logarithm is shifted by. */
  readonly shift: number;
  /** The initial scale factor. */
  readonly scale: number;
}

/** The low band: codes of four bits drive the adaptation, whatever the quantiser's size (G.722 table 11). */
export const LOW_BAND: BandRules = {
  steps: [-60, 3042, 1198, 538, 334, 172, 58, -30, 3042, 1198, 538, 334, 172, 58, -30, -60],
  highest: 18_432,
  shift: 8,
  scale: 32,
};
/** The high band: codes of two bits. */
export const HIGH_BAND: BandRules = { steps: [798, -214, 798, -214], highest: 22_528, shift: 10, scale: 8 };

/** Fractional powers of two for the scale factor, 11 bits (G.722 table 15). */
const POWERS = Int16Array.from({ length: 32 }, (_, n) => Math.round(2048 * 2 ** (n / 32)));

const saturate = (value: number): number => Math.max(-32768, Math.min(32767, value));

/** The state of one band in one direction. Encoder and decoder keep identical states. */
export class AdaptiveBand {
  readonly #rules: BandRules;
  /** The expected next sample. */
  prediction = 0;
  /** Step size of the quantiser. */
  scale: number;
  #log = 0;
  #zerosPart = 0;
  /** Coefficients and past differences of the zeros, newest first. */
  readonly #zeros = new Int32Array(6);
  readonly #differences = new Int32Array(7);
  #pole1 = 0;
  #pole2 = 0;
  /** Reconstructed signal and partial signal, newest first. */
  readonly #signal = new Int32Array(3);
  readonly #partial = new Int32Array(3);

  constructor(rules: BandRules) {
    this.#rules = rules;
    this.scale = rules.scale;
  }

  /** Advances by one sample: `code` changes the scale, `difference` is the quantised prediction error. */
  adapt(code: number, difference: number): void {
    const { steps, highest, shift } = this.#rules;
    this.#log = Math.max(0, Math.min(highest, ((this.#log * 127) >> 7) + (steps[code] ?? 0)));
    const places = shift - (this.#log >> 11);
    const power = POWERS[(this.#log >> 6) & 31] ?? 0;
    this.scale = (places < 0 ? power << -places : power >> places) << 2;
    this.#predict(difference);
  }

  #predict(difference: number): void {
    const [signal, partial, past] = [this.#signal, this.#partial, this.#differences];
    past[0] = difference;
    signal[0] = saturate(this.prediction + difference);
    partial[0] = saturate(this.#zerosPart + difference);
    this.#adaptPoles();
    this.#adaptZeros(difference);
    signal.copyWithin(1, 0, 2);
    partial.copyWithin(1, 0, 2);
    past.copyWithin(1, 0, 6);
    const pole1 = (this.#pole1 * saturate(2 * (signal[1] ?? 0))) >> 15;
    const pole2 = (this.#pole2 * saturate(2 * (signal[2] ?? 0))) >> 15;
    let zeros = 0;
    for (let n = 0; n < 6; n += 1) zeros += ((this.#zeros[n] ?? 0) * saturate(2 * (past[n + 1] ?? 0))) >> 15;
    this.#zerosPart = saturate(zeros);
    this.prediction = saturate(saturate(pole1 + pole2) + this.#zerosPart);
  }

  /**
   * Blocks UPPOL2 and UPPOL1: the poles follow the signs, within the region in which the filter is stable.
   */
  #adaptPoles(): void {
    const [sign0 = 0, sign1 = 0, sign2 = 0] = this.#partial.map((value) => (value < 0 ? -1 : 1));
    const lead = saturate(this.#pole1 * 4);
    const turned = Math.min(32767, sign0 === sign1 ? -lead : lead);
    const second = (turned >> 7) + (sign0 === sign2 ? 128 : -128) + ((this.#pole2 * 32_512) >> 15);
    this.#pole2 = Math.max(-12_288, Math.min(12_288, second));
    const first = saturate((sign0 === sign1 ? 192 : -192) + ((this.#pole1 * 32_640) >> 15));
    const most = saturate(15_360 - this.#pole2);
    this.#pole1 = Math.max(-most, Math.min(most, first));
  }

  /** Block UPZERO: each zero follows whether its past difference had the same sign as this one. */
  #adaptZeros(difference: number): void {
    const step = difference === 0 ? 0 : 128;
    for (let n = 0; n < 6; n += 1) {
      const same = (this.#differences[n + 1] ?? 0) < 0 === difference < 0;
      this.#zeros[n] = saturate((same ? step : -step) + (((this.#zeros[n] ?? 0) * 32_640) >> 15));
    }
  }
}
