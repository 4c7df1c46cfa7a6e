/**
 * The frequencies of such tones. Two tones at once, as of a telephone key, have at most half of the power
 * each.
 */
const HERTZ = { least: 350, most: 2100, step: 12 } as const;
const RATE = 16_000;
/** Share of a window's power that has to be in one frequency. */
const PURE = 0.75;
/** Root mean square below which a window has no tone. */
const FAINT = 150;
/** A shorter tone is a click. */
const LEAST_MS = 96;

/** Finds tones of a single frequency, as answering machines play them. There is one for each call. */
export class BeepDetection {
  #ms = 0;

  /**
   * Takes the next window of a caller's sound, 16 000 samples a second.
   *
   * @returns milliseconds of a tone that has just ended
   */
  take(window: Int16Array): number | undefined {
    if (isTone(window)) {
      this.#ms += (window.length * 1000) / RATE;
      return undefined;
    }
    const ms = this.#ms;
    this.#ms = 0;
    return ms >= LEAST_MS ? ms : undefined;
  }
}

function isTone(window: Int16Array): boolean {
  let power = 0;
  for (const sample of window) power += sample * sample;
  if (power < window.length * FAINT ** 2) return false;
  for (let hertz: number = HERTZ.least; hertz <= HERTZ.most; hertz += HERTZ.step)
    if (powerAt(window, hertz) >= PURE * power) return true;
  return false;
}

/** Power of one frequency (Goertzel), on the scale of the whole power. */
function powerAt(window: Int16Array, hertz: number): number {
  const turn = 2 * Math.cos((2 * Math.PI * hertz) / RATE);
  let [before, last] = [0, 0];
  for (const sample of window) [before, last] = [last, sample + turn * last - before];
  return (2 * (last * last + before * before - turn * last * before)) / window.length;
}
