/** The largest sample of 16-bit sound, and one more. */
export const FULL_SCALE = 32_768;

/** How loud 16-bit sound is: the root of the mean square, 0 to 1. */
export function loudness(pcm: Int16Array): number {
  if (pcm.length === 0) return 0;
  return Math.sqrt(pcm.reduce((sum, sample) => sum + sample * sample, 0) / pcm.length) / FULL_SCALE;
}
