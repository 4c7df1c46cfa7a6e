import { expect, test } from 'vitest';
import type { SttStream } from '../engines/engines.server.ts';
import { AudioInput } from './audio-input.server.ts';

const WINDOW = 512;
/** Ten seconds. */
const WINDOWS = 312;

test('a detector that answers ten seconds late loses no sound of an utterance, and judges it in order', async () => {
  const heard: number[] = [];
  const judged: number[] = [];
  const recogniser: SttStream = {
    name: 'counting',
    beginUtterance: () => {},
    push: (pcm) => void heard.push(pcm[0] ?? -1),
    onPartial: () => {},
    endUtterance: async () => ({ text: '', confidence: 0 }),
    close: () => {},
  };
  const answer = Promise.withResolvers<void>();
  const detector = {
    windowSamples: WINDOW,
    probabilities: async (windows: readonly Int16Array[]) => {
      await answer.promise;
      return windows.map((window) => (window[0] ?? 0) / 1000);
    },
    reset: () => {},
    close: () => {},
  };
  const everything = Promise.withResolvers<void>();
  const input: AudioInput = new AudioInput(detector, recogniser, {
    window: (_ms, probability) => {
      if (judged.push(Math.round(probability * 1000)) === WINDOWS) everything.resolve();
    },
    partial: () => {},
    final: () => {},
    failed: (what, error) => everything.reject(new Error(what, { cause: error })),
  });
  input.beginUtterance(1, undefined);
  for (let at = 0; at < WINDOWS; at++) input.push(new Int16Array(WINDOW).fill(at));
  answer.resolve();
  await everything.promise;
  const all = Array.from({ length: WINDOWS }, (_, at) => at);
  expect(judged).toEqual(all);
  expect(heard).toEqual(all);
});
