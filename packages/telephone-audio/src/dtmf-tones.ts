import { ServiceError } from '@northline/service-error/service-error';
import { FRAME } from './frame-pacing.ts';

/** Keys in the order of their RFC 4733 numbers (§3.2). */
export const KEYS = '0123456789*#ABCD';
/** Frequencies of rows and columns, Hz (ITU-T Q.23). */
const ROWS = [697, 770, 852, 941] as const;
const COLUMNS = [1209, 1336, 1477, 1633] as const;
const PAD = ['123A', '456B', '789C', '*0#D'] as const;

/** Frames of a key, of the pause after it, and of the two pauses that can be dialled. */
const KEY_FRAMES = 5;
const GAP_FRAMES = 4;
const PAUSES: Readonly<Record<string, number>> = { w: 25, ',': 50, W: 50 };
const LONGEST = 64;
const RATE = 16_000;
/** Amplitude of each of the two tones; together they are 6 dB below full scale. */
const SIZE = 8000;

/** A frame of 20 ms of dialling: a part of a key, or a pause. */
export type ToneFrame = { readonly key: string; readonly part: number; readonly last: boolean } | 'pause';

/**
 * The frames for dialled keys: 100 ms for a key, and a pause of 80 ms after it.
 *
 * @param digits keys 0-9, *, #, A-D; `w` waits half a second, `W` and `,` a second
 * @throws ServiceError 400 `bad_tones`
 */
export function toneFrames(digits: string): ToneFrame[] {
  const keys = digits.replaceAll(/[a-d]/g, (key) => key.toUpperCase());
  if (keys.length === 0 || keys.length > LONGEST || /[^0-9*#A-DwW,]/.test(keys))
    throw new ServiceError(
      400,
      'bad_tones',
      `Tones are 1 to ${LONGEST} of the keys 0-9, *, #, A-D; w waits half a second and , a second.`,
    );
  return [...keys].flatMap((key): ToneFrame[] => {
    const pause = PAUSES[key];
    if (pause !== undefined) return Array.from({ length: pause }, () => 'pause');
    const parts = Array.from({ length: KEY_FRAMES }, (_, part) => ({
      key,
      part,
      last: part === KEY_FRAMES - 1,
    }));
    return [...parts, ...Array.from({ length: GAP_FRAMES }, () => 'pause' as const)];
  });
}

/** 20 ms of a key as sound. */
export function keySound(key: string, part: number): Int16Array {
  const row = PAD.findIndex((keys) => keys.includes(key));
  const [low, high] = [ROWS[row] ?? 0, COLUMNS[PAD[row]?.indexOf(key) ?? 0] ?? 0];
  return Int16Array.from({ length: FRAME.samples }, (_, n) => {
    const turn = (2 * Math.PI * (part * FRAME.samples + n)) / RATE;
    return Math.round(SIZE * (Math.sin(turn * low) + Math.sin(turn * high)));
  });
}

/**
 * Samples that are judged at once. Their resolution of 39 Hz separates the tones (ITU-T Q.24 requires 1.5 %).
 */
const BLOCK = 410;
/**
 * Least mean amplitude of a tone; the share of the sound's energy that both tones need; and the limit of the
 * second strongest against the strongest.
 */
const LEAST_SIZE = 200;
const LEAST_SHARE = 0.8;
const CLEAR = 0.25;
/** How much louder one tone may be than the other, as energies: 4 and 8 dB (Q.24). */
const HIGH_LOUDER = 2.6;
const LOW_LOUDER = 6.4;

/** Finds keys in sound, for telephones that send them only as tones (Goertzel; ITU-T Q.24). */
export class ToneDetector {
  #rest = new Int16Array(0);
  #before: string | undefined;
  #told: string | undefined;

  /** Takes sound; returns the keys that began in it. A key counts once two blocks of 26 ms contain it. */
  push(pcm: Int16Array): string[] {
    const all = new Int16Array(this.#rest.length + pcm.length);
    all.set(this.#rest);
    all.set(pcm, this.#rest.length);
    const found: string[] = [];
    let at = 0;
    for (; at + BLOCK <= all.length; at += BLOCK) {
      const key = keyIn(all.subarray(at, at + BLOCK));
      if (key !== undefined && key === this.#before && key !== this.#told) {
        found.push(key);
        this.#told = key;
      }
      // A missing block in the middle of a key does not turn it into two keys.
      if (key === undefined && this.#before === undefined) this.#told = undefined;
      this.#before = key;
    }
    this.#rest = all.slice(at);
    return found;
  }
}

function keyIn(block: Int16Array): string | undefined {
  const energy = block.reduce((sum, sample) => sum + sample * sample, 0);
  if (energy < BLOCK * LEAST_SIZE ** 2) return undefined;
  const [rows, columns] = [
    ROWS.map((hertz) => energyAt(block, hertz)),
    COLUMNS.map((hertz) => energyAt(block, hertz)),
  ];
  const [low, high] = [Math.max(...rows), Math.max(...columns)];
  if (low + high < LEAST_SHARE * energy) return undefined;
  if (high > low * HIGH_LOUDER || low > high * LOW_LOUDER) return undefined;
  if (rows.filter((one) => one > low * CLEAR).length > 1) return undefined;
  if (columns.filter((one) => one > high * CLEAR).length > 1) return undefined;
  return PAD[rows.indexOf(low)]?.[columns.indexOf(high)];
}

/** Energy of a block at one frequency; for a pure tone the whole block's. */
function energyAt(block: Int16Array, hertz: number): number {
  const factor = 2 * Math.cos((2 * Math.PI * hertz) / RATE);
  let [one, two] = [0, 0];
  for (const sample of block) [one, two] = [sample + factor * one - two, one];
  return (2 * (one * one + two * two - factor * one * two)) / BLOCK;
}
