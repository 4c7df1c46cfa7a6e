import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createActivityDetection } from '../activity/open-detector.server.ts';
import { createSpeaker, type FliteVoice } from '../speech/open-voice.server.ts';
import { findRecogniser } from './find-recogniser.server.ts';
import { openRecogniser } from './open-recogniser.server.ts';
import { prepareModels } from './prepare-models.server.ts';

/** 320 ms. */
const BEFORE_ONSET = 5120;
const speaker = createSpeaker();
const detection = createActivityDetection();
const files = findRecogniser();
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'recognition-'));
});

afterAll(async () => {
  await speaker.close();
  await detection.close();
  await rm(folder, { recursive: true });
});

async function spoken(text: string, voice: FliteVoice = 'rms'): Promise<Int16Array> {
  const parts: number[] = [];
  for await (const pcm of speaker.open(voice).speak(text, new AbortController().signal)) parts.push(...pcm);
  return Int16Array.from(parts);
}

describe('speech of the embedded synthesiser', () => {
  test('starts within 40 ms of its first sample', async () => {
    const pcm = await spoken('Hello, how can I help you?');
    const first = pcm.findIndex((sample) => Math.abs(sample) > 300);

    expect(pcm.length).toBeGreaterThan(16_000);
    expect(first).toBeLessThan(16 * 40);
  });

  test('ends when the caller speaks', async () => {
    const stop = new AbortController();
    const heard: Int16Array[] = [];
    const long =
      'This is a rather long sentence, which is made in two parts, the second of which nobody hears.';
    for await (const pcm of speaker.open('slt').speak(long, stop.signal)) {
      heard.push(pcm);
      stop.abort();
    }
    expect(heard).toHaveLength(1);
  });

  test('says why a voice cannot speak', async () => {
    const asked = speaker.open('nobody' as FliteVoice).speak('Hello.', new AbortController().signal);
    await expect(asked[Symbol.asyncIterator]().next()).rejects.toThrow('The voice nobody has');
  });
});

test('the detector tells speech from silence and from noise', async () => {
  const detector = detection.open();
  const highest = async (pcm: Int16Array) => {
    let most = 0;
    for (let at = 0; at + 512 <= pcm.length; at += 512) {
      most = Math.max(most, await detector.probability(pcm.subarray(at, at + 512)));
    }
    detector.reset();
    return most;
  };
  const noise = Int16Array.from({ length: 16_000 }, (_, at) => ((at * 7919) % 801) - 400);

  expect(await highest(await spoken('How much is the pro plan?'))).toBeGreaterThan(0.9);
  expect(await highest(new Int16Array(16_000))).toBeLessThan(0.2);
  expect(await highest(noise)).toBeLessThan(0.4);
});

describe.skipIf(!files)('the embedded recogniser (skipped where PocketSphinx is not installed)', () => {
  async function open(sentences: readonly string[] = []) {
    if (!files) throw new Error('unreachable');
    const knowledge = { plans: ['basic', 'pro', 'premium'], services: ['lead generation'], sentences };
    const warnings: string[] = [];
    const models = await prepareModels(files, knowledge, folder);
    const recogniser = openRecogniser(files, models, (line) => warnings.push(line));
    const hear = (pcm: Int16Array) => {
      recogniser.beginUtterance();
      // As in a call, where sound from before the onset comes first.
      recogniser.push(new Int16Array(BEFORE_ONSET));
      for (let at = 0; at < pcm.length; at += 512) recogniser.push(pcm.subarray(at, at + 512));
      return recogniser.endUtterance();
    };
    return { recogniser, hear, warnings };
  }

  test('understands what a caller asks, in free words too, and tells it while it is being said', async () => {
    const { recogniser, hear } = await open();
    const partials: string[] = [];
    recogniser.onPartial(({ text }) => partials.push(text));

    expect((await hear(await spoken('How much is the pro plan?'))).text).toBe('how much is the pro plan');
    expect(partials.some((text) => 'how much is the pro plan'.startsWith(text) && text !== '')).toBe(true);
    expect((await hear(await spoken('My name is Daniel Miller.'))).text).toBe('my name is daniel miller');
    const free = await hear(await spoken('I would rather wait until the weather gets better.'));
    expect(free.text).toContain('weather');
    recogniser.close();
  });

  test('knows a name that no dictionary has once the assistant knows it', async () => {
    const { recogniser, hear } = await open(['Tell me about Zantoprix.', 'What is Zantoprix?']);
    expect((await hear(await spoken('Tell me about Zantoprix.'))).text).toBe('tell me about zantoprix');
    recogniser.close();
  });

  test('hears nothing in silence', async () => {
    const { recogniser, hear } = await open();
    expect((await hear(new Int16Array(8000))).text).toBe('');
    recogniser.close();
  });

  test('answers a lost process with nothing and goes on with a new one', async () => {
    if (!files) throw new Error('unreachable');
    const models = await prepareModels(
      files,
      { plans: ['pro'], services: ['chat bots'], sentences: [] },
      folder,
    );
    const warnings: string[] = [];
    const recogniser = openRecogniser({ ...files, models: '/nowhere' }, models, (line) =>
      warnings.push(line),
    );
    recogniser.beginUtterance();

    expect(await recogniser.endUtterance()).toEqual({ text: '', confidence: 0 });
    expect(warnings).toEqual(['The recogniser ended (1).']);
    recogniser.close();
  });
});
