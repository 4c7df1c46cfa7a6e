import { expect } from 'vitest';
import { spokenText } from '../text/spoken-text.ts';
import { joinedSamples, SAMPLES_PER_SECOND } from './sound-shaping.ts';
import type { SpeechOptions, Voice } from './voice.ts';

/** Seconds that a phoneme takes at least and at most, and the pause of a mark. */
const SHORTEST = 0.03;
const LONGEST = 0.25;
const PAUSE = 0.45;

/** All pieces of a text. */
export async function spokenPieces(
  voice: Voice,
  text: string,
  options?: SpeechOptions,
): Promise<Float32Array[]> {
  const pieces: Float32Array[] = [];
  const utterance = voice.utter(text, options);
  for (let piece = await utterance.next(); piece !== undefined; piece = await utterance.next())
    pieces.push(piece);
  return pieces;
}

/** A text is said: with sound if it has words, as long as its phonemes, and smooth where pieces meet. */
export async function expectSound(voice: Voice, text: string): Promise<void> {
  const phonemes = await voice.phonemes(text);
  const pieces = await spokenPieces(voice, text);
  expect([text, phonemes !== '']).toEqual([text, /[A-Za-z]/.test(spokenText(text))]);
  if (phonemes === '') return;
  const sounds = phonemes.replace(/[^\p{L}]/gu, '').length;
  const pauses = (phonemes.match(/[.,;:!?]/g)?.length ?? 0) * PAUSE;
  const seconds = pieces.reduce((sum, { length }) => sum + length, 0) / SAMPLES_PER_SECOND;
  const { within, joint } = steps(pieces);
  expect([text, seconds > sounds * SHORTEST]).toEqual([text, true]);
  expect([text, seconds - pauses <= sounds * LONGEST]).toEqual([text, true]);
  expect([text, joint <= within]).toEqual([text, true]);
}

/** The largest step between two neighbouring samples, and the largest one where two pieces meet. */
function steps(pieces: readonly Float32Array[]): { within: number; joint: number } {
  const whole = joinedSamples(pieces);
  let [at, within, joint] = [0, 0, 0];
  const ends = new Set(
    pieces.map(({ length }) => {
      at += length;
      return at;
    }),
  );
  for (let n = 1; n < whole.length; n++) {
    const step = Math.abs((whole[n] ?? 0) - (whole[n - 1] ?? 0));
    if (ends.has(n)) joint = Math.max(joint, step);
    else within = Math.max(within, step);
  }
  return { within, joint };
}
