import { expect, test } from 'vitest';
import { AnswerSound, type SoundShare } from './answer-sound.server.ts';
import { RealtimeResponse } from './realtime-response.server.ts';

const never = new AbortController().signal;
/** 50 ms for each letter. */
const leastOf = (sentence: string): number => sentence.length * 50 * 16;

async function lengthOf(sound: AnswerSound, share: SoundShare, signal = never): Promise<number> {
  let length = 0;
  for await (const pcm of sound.read(share, signal)) length += pcm.length;
  return length;
}

test('where text runs ahead of the sound sentences share it by their length, and one that got none is a moment long', async () => {
  const sound = new AnswerSound();
  const shares = ['One two.', 'Three four.', 'Five.'].map((sentence) => sound.share(sentence, 0));
  sound.settle();
  const [one, two, three] = shares as [SoundShare, SoundShare, SoundShare];
  sound.push(new Int16Array(leastOf('One two.') + 700));
  sound.end();
  expect(await lengthOf(sound, one)).toBe(leastOf('One two.'));
  expect(await lengthOf(sound, two)).toBe(700);
  expect(await lengthOf(sound, three)).toBe(160);
});

test('where the sound is there with the text a sentence has what had come; one that nobody asks for is passed over', async () => {
  const sound = new AnswerSound();
  const shares: SoundShare[] = [];
  for (const [samples, sentence] of [
    [20_000, 'One two.'],
    [30_000, 'Three.'],
    [10_000, 'Four.'],
  ] as const) {
    sound.push(new Int16Array(samples));
    shares.push(sound.share(sentence, sound.received));
  }
  sound.settle();
  sound.push(new Int16Array(500));
  sound.end();
  const [first, , last] = shares as [SoundShare, SoundShare, SoundShare];
  expect(await lengthOf(sound, first)).toBe(20_000);
  expect(await lengthOf(sound, last)).toBe(10_500);
});

test('the last sentence so far is read on until it is known whether another one follows', async () => {
  for (const follows of [true, false]) {
    const sound = new AnswerSound();
    sound.push(new Int16Array(20_000));
    const reading = lengthOf(sound, sound.share('One two.', 20_000));
    sound.push(new Int16Array(500));
    if (follows) sound.share('Three.', 20_500);
    else sound.settle();
    sound.end();
    expect(await reading).toBe(follows ? 20_000 : 20_500);
  }
});

test('sound that never came is an error, except for whoever does not listen any more; sound without an end is cut off', async () => {
  const sound = new AnswerSound();
  const share = sound.share('One two.', 0);
  const gone = new AbortController();
  const left = lengthOf(sound, share, gone.signal);
  gone.abort();
  expect(await left).toBe(0);
  sound.fail();
  await expect(lengthOf(sound, share)).rejects.toThrow('broke off');
  expect(new AnswerSound().push(new Int16Array(5 * 60 * 16_000 + 1))).toBe(false);
});

test('an answer without an end fails, and of one that calls tools without an end six are taken', async () => {
  const endless = new RealtimeResponse('one', true);
  const of = { response_id: 'r', item_id: 'i' };
  for (let round = 0; round < 5; round += 1)
    endless.handle({ type: 'response.output_audio_transcript.delta', ...of, delta: 'a'.repeat(5000) });
  const read = async (response: RealtimeResponse): Promise<string[]> => {
    const kinds: string[] = [];
    for await (const { kind } of response.pieces(never)) kinds.push(kind);
    return kinds;
  };
  await expect(read(endless)).rejects.toThrow('has no end');
  const calling = new RealtimeResponse('two', true);
  for (let round = 0; round < 9; round += 1)
    calling.handle({
      type: 'response.function_call_arguments.done',
      ...{ response_id: 'r', item_id: `i${round}`, call_id: `c${round}`, name: 'ring', arguments: '{}' },
    });
  calling.end();
  expect(await read(calling)).toEqual(Array(6).fill('call'));
});
