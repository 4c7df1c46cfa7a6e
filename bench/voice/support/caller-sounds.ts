import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { writeWave } from '@northline/speech/wave-file';
import { type CallerVoice, openCallers } from '../../../tests/support/voice/callers/flite-caller.ts';
import { RATE } from './sound-find.ts';

/** Makes the sounds of callers: sentences in voices other than the assistant's, and noises. */
export interface CallerSounds {
  say(sentence: string, voice?: CallerVoice): Promise<Int16Array>;
  /** Writes a WAV file; `close` removes it. */
  file(pieces: readonly Int16Array[]): Promise<string>;
  close(): Promise<void>;
}

/** Opens the synthesisers for callers. */
export async function openCallerSounds(): Promise<CallerSounds> {
  const callers = openCallers();
  const folder = await mkdtemp(path.join(os.tmpdir(), 'northline-callers-'));
  let files = 0;
  return {
    say: (sentence, voice) => callers.say(sentence, voice),
    async file(pieces) {
      const file = path.join(folder, `microphone-${++files}.wav`);
      await writeFile(file, writeWave(pieces));
      return file;
    },
    async close() {
      await callers.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Silence of `seconds`. */
export const silence = (seconds: number): Int16Array => new Int16Array(Math.round(seconds * RATE));

/**
 * A cough: two bursts of noise that start hard and fade, 0.45 s in total, without any voice. The noise is the
 * same each time.
 */
export function cough(): Int16Array {
  const pcm = new Int16Array(Math.round(0.45 * RATE));
  let state = 1;
  let smooth = 0;
  for (let at = 0; at < pcm.length; at += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    smooth = 0.6 * smooth + 0.4 * (state / 2 ** 31 - 1);
    const second = at / RATE;
    const burst = second < 0.22 ? Math.exp(-second / 0.06) : Math.exp(-(second - 0.22) / 0.07);
    pcm[at] = Math.round(14_000 * burst * smooth);
  }
  return pcm;
}
