/** The number of steps on each side of zero in 16-bit sound: one more than its largest sample. */
export const FULL_SCALE = 32_768;

/** Loudness of 16-bit sound: the root of the mean square, 0 to 1. */
export function loudness(pcm: Int16Array): number {
  if (pcm.length === 0) return 0;
  return Math.sqrt(pcm.reduce((sum, sample) => sum + sample * sample, 0) / pcm.length) / FULL_SCALE;
}

/** The level of the embedded voice's speech, and the highest peak that a made-louder sound may have, dBFS. */
const VOICE_LEVEL = -16.5;
const HIGHEST_PEAK = -1;
/** A quiet recording is made this much louder at most, dB: its noise becomes louder too. */
const MOST_LOUDER = 12;
/** Frames that are this much quieter than the loudest one are pauses, dB. */
const PAUSE = 30;
const FRAMES_PER_SECOND = 50;

/**
 * The factor that brings a sound to the level of the assistant's voice, pauses aside, so that nobody has to turn the
 * telephone louder or holds it away. No sample is clipped by it.
 */
export function gainToVoice(pcm: Int16Array, samplesPerSecond: number): number {
  const length = Math.max(1, Math.round(samplesPerSecond / FRAMES_PER_SECOND));
  const squares: number[] = [];
  let peak = 0;
  for (let at = 0; at < pcm.length; at += length) {
    const frame = pcm.subarray(at, at + length);
    for (const sample of frame) peak = Math.max(peak, Math.abs(sample));
    squares.push(loudness(frame) ** 2);
  }
  const loudest = squares.reduce((most, one) => Math.max(most, one), 0);
  if (loudest === 0) return 1;
  const heard = squares.filter((one) => one >= loudest * 10 ** (-PAUSE / 10));
  const level = Math.sqrt(heard.reduce((sum, one) => sum + one, 0) / heard.length);
  const most = (10 ** (HIGHEST_PEAK / 20) * FULL_SCALE) / peak;
  return Math.min(10 ** (VOICE_LEVEL / 20) / level, 10 ** (MOST_LOUDER / 20), most);
}
