import { expect, test } from 'vitest';
import type { MediaSession } from '../media/media-transport.server.ts';
import { SpeechPlayer } from './speech-player.server.ts';

/**
 * A player on a session that keeps what is written to it, with a voice that speaks every sentence in one loud
 * piece.
 */
function player(spoken: string[] = []) {
  const written: Int16Array[] = [];
  let queued = 0;
  const session = {
    writePcm(pcm: Int16Array) {
      written.push(pcm);
      queued += pcm.length / 16;
    },
    queuedMs: () => queued,
    flush: () => {
      queued = 0;
      return 0;
    },
    hold() {},
  } satisfies Partial<MediaSession> as unknown as MediaSession;
  const failures: unknown[] = [];
  const listener = {
    synthesised() {},
    audible() {},
    played() {},
    failed: (error: unknown) => failures.push(error),
  };
  const voice = {
    name: 'loud',
    async *speak(sentence: string) {
      spoken.push(sentence);
      if (sentence === 'Mm-hm.' && spoken.length > 1) throw new Error('broken');
      yield new Int16Array(3200).fill(10_000);
    },
    close() {},
  };
  return { player: new SpeechPlayer(session, voice, listener, { now: () => 0 }), written, spoken, failures };
}
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('the sign that one listens is made once, is low, and is played where nothing else is heard', async () => {
  const { player: own, written, spoken } = player();
  own.showListening();
  expect(written).toEqual([]);
  own.prepareListening();
  own.prepareListening();
  await settled();
  expect(spoken).toEqual(['Mm-hm.']);
  expect(own.characters).toBe(6);
  own.showListening();
  expect(written.map((pcm) => [pcm.length, pcm[0]])).toEqual([[3200, 3500]]);
  // While it is heard, and while a sentence waits, it is not played again.
  own.showListening();
  expect(written).toHaveLength(1);
});

test('a call goes on where it cannot be made', async () => {
  const { player: own, written, failures } = player(['something said before']);
  own.prepareListening();
  await settled();
  own.showListening();
  expect(written).toEqual([]);
  expect(failures).toEqual([]);
  own.speak(1, 'Hello.', 0);
  await settled();
  expect(written).toHaveLength(1);
});
