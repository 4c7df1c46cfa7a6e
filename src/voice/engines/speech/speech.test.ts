import path from 'node:path';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { showsSettings } from '../../../../tests/support/claims.ts';
import { SoundCache } from './sound-cache.server.ts';
import {
  createSpeaker,
  ownVoiceNamed,
  type Speaker,
  type SpeakerOptions,
  type SpokenAs,
} from './speech-client.server.ts';
import type { SpeechReply, SpeechRequest } from './speech-messages.server.ts';
import { SpeechQueue } from './speech-queue.server.ts';

const RATE = 16_000;
const speaker = createSpeaker();
// The voice's process does not keep this one alive; this timer does.
const awake = setInterval(() => {}, 60_000);
afterAll(async () => {
  clearInterval(awake);
  await speaker.close();
});

async function said(sentence: string, spoken: SpokenAs = {}, by: Speaker = speaker): Promise<Int16Array[]> {
  const pieces: Int16Array[] = [];
  for await (const pcm of by.open(spoken).speak(sentence, new AbortController().signal)) pieces.push(pcm);
  return pieces;
}

const whole = (pieces: readonly Int16Array[]): number[] => pieces.flatMap((pcm) => [...pcm]);

function openSpeaker(options: SpeakerOptions): Speaker {
  const opened = createSpeaker(options);
  onTestFinished(() => opened.close());
  return opened;
}

/** A process for tests that answers without any model. */
const SIMPLE = path.join(import.meta.dirname, '../../../../tests/support/voice/simple-speech.ts');

/** Root mean square of the 10 ms at `at`. */
function levelAt(pcm: readonly number[], at: number): number {
  const part = pcm.slice(at, at + RATE / 100);
  return Math.sqrt(part.reduce((sum, sample) => sum + sample * sample, 0) / part.length);
}

describe('the embedded voice', () => {
  test('begins softly and soon, and ends softly: no click, no hesitation', async () => {
    const pcm = whole(await said('Yes, of course.'));
    expect(Math.abs(pcm[0] ?? 1e6)).toBeLessThan(400);
    expect(Math.abs(pcm.at(-1) ?? 1e6)).toBeLessThan(400);
    const first = Array.from({ length: 20 }, (_, at) => levelAt(pcm, (at * RATE) / 100));
    expect(first.findIndex((level) => level > 160)).toBeGreaterThanOrEqual(1);
    expect(first.findIndex((level) => level > 160)).toBeLessThan(6);
    expect(pcm.length / RATE).toBeLessThan(2);
  });

  test('says a word as long as a word, and a number that it was given', async () => {
    const seconds = async (text: string) => whole(await said(text)).length / RATE;
    expect(await seconds('Okay.')).toBeGreaterThan(0.2);
    expect(await seconds('Okay.')).toBeLessThan(1);
    expect(await seconds('01632 960145')).toBeGreaterThan(2);
  });

  test('leaves a breath between two sentences', async () => {
    const pcm = whole(await said('I answer day and night. My colleagues are there on weekdays.'));
    const quiet = Array.from({ length: pcm.length / 160 }, (_, at) => levelAt(pcm, at * 160) < 80);
    expect(quiet.join('')).toContain('true'.repeat(18));
  });

  test('is the same sound again, out of what is kept', async () => {
    const [once, again] = [await said('One moment, please.'), await said('One moment, please.')];
    expect(whole(again)).toEqual(whole(once));
    expect(once.length).toBeGreaterThan(again.length);
  });

  test('speaks faster, and words as their owner wrote', async () => {
    showsSettings('assistant', 'pronunciations.*');
    const usual = whole(await said('We are open from Monday to Friday.')).length;
    expect(whole(await said('We are open from Monday to Friday.', { speed: 1.25 })).length).toBeLessThan(
      0.92 * usual,
    );
    const how = { pronunciations: { Xyloq: 'zeye lock' } };
    expect(whole(await said('Xyloq.', how))).toEqual(whole(await said('zeye lock.')));
  });

  test('stops within a piece when the caller speaks, and goes on with the next sentence', async () => {
    const stop = new AbortController();
    const heard: Int16Array[] = [];
    const long =
      'This is a rather long sentence, which is made in many parts, and nobody hears the last one of them.';
    for await (const pcm of speaker.open({}).speak(long, stop.signal)) {
      heard.push(pcm);
      stop.abort();
    }
    expect(heard).toHaveLength(1);
    expect(whole(await said('And now?')).length).toBeGreaterThan(0);
    for await (const _ of speaker.open({}).speak(long, AbortSignal.abort())) expect.unreachable();
  });

  test('is meant by its name and by those of earlier versions, not by names of others', () => {
    const named = (voice: object) => ownVoiceNamed({ voice: voice as never }, speaker);
    expect(named({ provider: 'embedded', voiceId: 'emma' })).toBe('emma');
    expect(named({ provider: 'embedded', voiceId: 'slt' })).toBe('slt');
    expect(named({ provider: 'embedded', voiceId: 'nobody' })).toBeUndefined();
    expect(named({ provider: 'openai', voiceId: 'emma' })).toBeUndefined();
    expect(ownVoiceNamed({}, speaker)).toBeUndefined();
  });
});

describe('the process of the voices', () => {
  test('that dies in the middle of a text is replaced, and the rest is said: no sample twice, none lost', async () => {
    const dying = openSpeaker({ entry: SIMPLE });
    expect(whole(await said('dies once', {}, dying))).toEqual(Array.from({ length: 40 }, (_, at) => at));
  });

  test('that dies of a text twice fails that text, and says the next one', async () => {
    const dying = openSpeaker({ entry: SIMPLE });
    await expect(said('dies always', {}, dying)).rejects.toThrow("The voice's process ended (7).");
    expect(whole(await said('hello', {}, dying))).toHaveLength(40);
  });

  test('that hangs is ended', async () => {
    const hanging = openSpeaker({ entry: SIMPLE, patienceMs: 300 });
    await expect(said('hangs', {}, hanging)).rejects.toThrow('The voice did not answer.');
    expect(whole(await said('hello', {}, hanging))).toHaveLength(40);
  });

  test('says why it cannot speak', async () => {
    const unusable = openSpeaker({ entry: SIMPLE, runtime: 'onnxruntime-web' });
    await expect(said('hello', {}, unusable)).rejects.toThrow('It has no weights.');
    await expect(said('fails', {}, openSpeaker({ entry: SIMPLE }))).rejects.toThrow('It cannot be said.');
  });

  test('ends when it was idle, and starts again', async () => {
    const idle = openSpeaker({ entry: SIMPLE, idleMs: 50 });
    const first = whole(await said('which process', {}, idle))[0];
    await expect
      .poll(async () => whole(await said(`which process ${Math.random()}`, {}, idle))[0], { interval: 200 })
      .not.toBe(first);
  });
});

describe('the queue', () => {
  /** Says `pieces` pieces of a second; `log` has the texts in the order in which their pieces were made. */
  function openQueue(log: string[]) {
    const ended = Promise.withResolvers<void>();
    let open = 0;
    const utter = async ({ text }: Extract<SpeechRequest, { kind: 'say' }>) => {
      let left = Number(text.split(' ')[1]);
      return {
        next: async () => {
          log.push(text);
          return left-- > 0 ? new Float32Array(24_000) : undefined;
        },
      };
    };
    const queue = new SpeechQueue(
      utter,
      ({ kind }: SpeechReply) => {
        if (kind === 'said' && --open === 0) ended.resolve();
      },
      () => 0,
    );
    const say = (speech: number, text: string, idle = false): void => {
      open += 1;
      queue.take({ kind: 'say', speech, folder: '', text, speed: 1, pronunciations: {}, idle, skip: 0 });
    };
    return { say, stop: (speech: number) => queue.take({ kind: 'stop', speech }), ended: ended.promise };
  }

  test('makes first pieces before later ones, then what is needed soonest, and idle texts last', async () => {
    const log: string[] = [];
    const { say, ended } = openQueue(log);
    say(1, 'idle 1', true);
    for (const speech of [2, 3, 4]) say(speech, `call${speech} 2`);
    await ended;
    expect(log.slice(0, 3)).toEqual(['call2 2', 'call3 2', 'call4 2']);
    expect(log.slice(3, 6).sort()).toEqual(['call2 2', 'call3 2', 'call4 2']);
    expect(log.slice(-2)).toEqual(['idle 1', 'idle 1']);
  });

  test('makes nothing more of a text that was stopped', async () => {
    const log: string[] = [];
    const { say, stop, ended } = openQueue(log);
    say(1, 'long 1000');
    say(2, 'short 1');
    await new Promise((resolve) => setImmediate(resolve));
    stop(1);
    say(3, 'short 1');
    await Promise.race([ended, expect.poll(() => log.filter((text) => text === 'short 1').length).toBe(4)]);
    expect(log.filter((text) => text === 'long 1000').length).toBeLessThan(10);
  });
});

test('the cache removes what was not used for longest', () => {
  const cache = new SoundCache(400);
  for (const key of ['a', 'b']) cache.put(key, new Int16Array(100));
  expect(cache.get('a')).toBeDefined();
  cache.put('c', new Int16Array(100));
  expect([cache.get('a'), cache.get('b'), cache.get('c')].map((one) => one?.length)).toEqual([
    100,
    undefined,
    100,
  ]);
  cache.put('a', new Int16Array(10));
  cache.put('d', new Int16Array(50));
  expect(['a', 'c', 'd'].every((key) => cache.get(key) !== undefined)).toBe(true);
});
