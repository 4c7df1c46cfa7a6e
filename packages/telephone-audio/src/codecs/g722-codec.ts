import { AdaptiveBand, HIGH_BAND, LOW_BAND } from './g722-band.ts';

/** One half of the mirror filter that separates 0-4 kHz from 4-8 kHz (G.722 table 11/clause 3.1). */
const MIRROR = [3, -11, 12, 32, -210, 951, 3876, -805, 362, -156, 53, -11] as const;
const TAPS = 24;

/** Decision levels of the low band's six bits, followed by their codes below and above zero. */
const LEVELS = [
  0, 35, 72, 110, 150, 190, 233, 276, 323, 370, 422, 473, 530, 587, 650, 714, 786, 858, 940, 1023, 1121, 1219,
  1339, 1458, 1612, 1765, 1980, 2195, 2557, 2919,
] as const;
const codeBelow = (level: number): number => (level < 3 ? 64 - level : 34 - level);

const LOW_4 = [
  0, -20456, -12896, -8968, -6288, -4240, -2584, -1200, 20456, 12896, 8968, 6288, 4240, 2584, 1200, 0,
] as const;
const LOW_6_SIZES = [
  24808, 21904, 19008, 16704, 14984, 13512, 12280, 11192, 10232, 9360, 8576, 7856, 7192, 6576, 6000, 5456,
  4944, 4464, 4008, 3576, 3168, 2776, 2400, 2032, 1688, 1360, 1040, 728,
] as const;
/** Quantised differences for the low band's six bits; an encoder never produces the first four codes. */
const LOW_6 = [
  ...[-136, -136, -136, -136],
  ...LOW_6_SIZES.map((size) => -size),
  ...LOW_6_SIZES,
  ...[432, 136, -432, -136],
];
const HIGH_2 = [-7408, -1616, 7408, 1616] as const;
const HIGH_LEVEL = 564;

const saturate = (value: number): number => Math.max(-32768, Math.min(32767, value));
const within15 = (value: number): number => Math.max(-16384, Math.min(16383, value));

/** Two bands and the delay line of their mirror filter: one direction of ITU-T G.722 at 64 kbit/s. */
class Direction {
  readonly low = new AdaptiveBand(LOW_BAND);
  readonly high = new AdaptiveBand(HIGH_BAND);
  readonly #line = new Int32Array(TAPS);

  /** Takes two values into the delay line; returns the sums over its even and its odd places. */
  filter(first: number, second: number): [even: number, odd: number] {
    this.#line.copyWithin(0, 2);
    this.#line[TAPS - 2] = first;
    this.#line[TAPS - 1] = second;
    let [even, odd] = [0, 0];
    for (let n = 0; n < TAPS / 2; n += 1) {
      even += (this.#line[2 * n] ?? 0) * (MIRROR[n] ?? 0);
      odd += (this.#line[2 * n + 1] ?? 0) * (MIRROR[TAPS / 2 - 1 - n] ?? 0);
    }
    return [even, odd];
  }

  /** Advances both bands by one code. */
  adapt(low: number, high: number): void {
    this.low.adapt(low >> 2, (this.low.scale * (LOW_4[low >> 2] ?? 0)) >> 15);
    this.high.adapt(high, (this.high.scale * (HIGH_2[high] ?? 0)) >> 15);
  }
}

/** Makes an encoder: an even number of 16 kHz samples to one byte for each two. */
export function createG722Encoder(): (pcm: Int16Array) => Uint8Array {
  const direction = new Direction();
  const { low, high } = direction;
  return (pcm) => {
    const codes = new Uint8Array(pcm.length >> 1);
    for (let n = 0; n < codes.length; n += 1) {
      const [even, odd] = direction.filter(pcm[2 * n] ?? 0, pcm[2 * n + 1] ?? 0);
      const lowCode = quantiseLow(saturate(((odd + even) >> 14) - low.prediction), low.scale);
      const highCode = quantiseHigh(saturate(((odd - even) >> 14) - high.prediction), high.scale);
      codes[n] = (highCode << 6) | lowCode;
      direction.adapt(lowCode, highCode);
    }
    return codes;
  };
}

/** Makes a decoder: each byte becomes two samples of 16 kHz. */
export function createG722Decoder(): (codes: Uint8Array) => Int16Array {
  const direction = new Direction();
  const { low, high } = direction;
  return (codes) => {
    const pcm = new Int16Array(codes.length * 2);
    codes.forEach((code, n) => {
      const [lowCode, highCode] = [code & 0x3f, code >> 6];
      const lowSample = within15(low.prediction + ((low.scale * (LOW_6[lowCode] ?? 0)) >> 15));
      const highSample = within15(high.prediction + ((high.scale * (HIGH_2[highCode] ?? 0)) >> 15));
      direction.adapt(lowCode, highCode);
      const [even, odd] = direction.filter(lowSample + highSample, lowSample - highSample);
      pcm[2 * n] = saturate(odd >> 11);
      pcm[2 * n + 1] = saturate(even >> 11);
    });
    return pcm;
  };
}

function quantiseLow(error: number, scale: number): number {
  const size = error >= 0 ? error : -(error + 1);
  let level = 1;
  while (level < LEVELS.length && size >= ((LEVELS[level] ?? 0) * scale) >> 12) level += 1;
  return error < 0 ? codeBelow(level) : 62 - level;
}

function quantiseHigh(error: number, scale: number): number {
  const size = error >= 0 ? error : -(error + 1);
  const outer = size >= (HIGH_LEVEL * scale) >> 12;
  if (error < 0) return outer ? 0 : 1;
  return outer ? 2 : 3;
}
