/** The number of steps on each side of zero in 16-bit sound: one more than its largest sample. */
export const FULL_SCALE = 32_768;

/** Loudness of 16-bit sound: the root of the mean square, 0 to 1. */
export function loudness(pcm: Int16Array): number {
  if (pcm.length === 0) return 0;
  return Math.sqrt(pcm.reduce((sum, sample) => sum + sample * sample, 0) / pcm.length) / FULL_SCALE;
}
