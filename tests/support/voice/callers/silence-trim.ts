/** One window of 10 ms at 16 000 samples a second. */
const WINDOW = 160;
/** Root mean square below which a window counts as silent (some -52 dBFS). */
const QUIET = 80;
/** Windows kept before the first and after the last sound, so that no consonant is clipped. */
const LEAD_WINDOWS = 2;
const TAIL_WINDOWS = 8;

/**
 * Cuts silence off both ends: synthesisers start with some 200 ms of it, which a caller would hear
 * as hesitation (docs/contracts/voice.md §0).
 *
 * @param pcm 16 000 samples a second
 */
export function trimSilence(pcm: Int16Array<ArrayBuffer>): Int16Array<ArrayBuffer> {
  const windows = Math.ceil(pcm.length / WINDOW);
  let first = 0;
  while (first < windows && isQuiet(pcm, first)) first++;
  let last = windows;
  while (last > first && isQuiet(pcm, last - 1)) last--;
  if (first === last) return new Int16Array(0);
  return pcm.slice(Math.max(0, first - LEAD_WINDOWS) * WINDOW, (last + TAIL_WINDOWS) * WINDOW);
}

function isQuiet(pcm: Int16Array, window: number): boolean {
  const part = pcm.subarray(window * WINDOW, (window + 1) * WINDOW);
  const energy = part.reduce((sum, sample) => sum + sample * sample, 0);
  return Math.sqrt(energy / Math.max(1, part.length)) < QUIET;
}
