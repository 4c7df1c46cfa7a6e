import { statSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { overTelephone } from '../../../../bench/voice/support/sound-change.ts';
import { type CallerVoice, openCallers } from '../../../../tests/support/voice/callers/flite-caller.ts';
import { PROJECT_ROOT } from '../../../kernel/config/project-root.ts';
import { createOfficeSound } from '../../calls/background/office-sound.server.ts';
import { readSpokenDigits } from '../../dialogue/spoken/spoken-digits.server.ts';
import { normaliseWords } from '../../dialogue/spoken/word-normalisation.server.ts';
import { createActivityDetection } from '../activity/detector-client.server.ts';
import type { ExpectedWords, SttStream } from '../engines.server.ts';
import { prepareModels } from './model-preparation.server.ts';
import { readWeights } from './moonshine-weights.server.ts';
import { createRecogniser, type Recogniser, type RecogniserOptions } from './recogniser-client.server.ts';
import { levelled } from './utterance-reading.server.ts';

/** 320 ms. */
const BEFORE_ONSET = 5120;
const WINDOW = 512;
/** Samples of silence after which the turn rules regard an utterance as over. */
const PAUSE = 3200;
const callers = openCallers();
const detection = createActivityDetection();
const opened: Recogniser[] = [];
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'recognition-'));
});

afterAll(async () => {
  for (const recogniser of opened) recogniser.close();
  await callers.close();
  await detection.close();
  await rm(folder, { recursive: true });
});

const spoken = (text: string, voice?: CallerVoice): Promise<Int16Array> => callers.say(text, voice);

const KNOWLEDGE = { plans: ['basic', 'pro', 'premium'], services: ['lead generation'], sentences: [] };

function createOne(options: RecogniserOptions = {}): Recogniser {
  const recogniser = createRecogniser(options);
  opened.push(recogniser);
  return recogniser;
}

async function openCall(recogniser: Recogniser, sentences: readonly string[] = []) {
  const log: string[] = [];
  const models = await prepareModels({ ...KNOWLEDGE, sentences }, folder);
  // The words of a prompt are in it.
  expect(statSync(models.ownModel).mode & 0o077).toBe(0);
  return { stream: recogniser.open(models, (level, line) => log.push(`${level} ${line}`)), log };
}

/** As in a call: sound from before the onset first, then windows, then a pause. */
async function hear(stream: SttStream, pcm: Int16Array, expected?: ExpectedWords): Promise<string> {
  stream.beginUtterance(expected);
  stream.push(new Int16Array(BEFORE_ONSET));
  for (let at = 0; at < pcm.length; at += WINDOW) stream.push(pcm.subarray(at, at + WINDOW));
  stream.push(new Int16Array(PAUSE));
  stream.pauseUtterance?.();
  return (await stream.endUtterance()).text;
}

test('the detector tells speech from silence and from noise', async () => {
  const highest = async (pcm: Int16Array) => {
    const detector = detection.open();
    let most = 0;
    for (let at = 0; at + WINDOW <= pcm.length; at += WINDOW) {
      most = Math.max(most, ...(await detector.probabilities([pcm.subarray(at, at + WINDOW)])));
    }
    detector.close();
    return most;
  };
  const noise = Int16Array.from({ length: 16_000 }, (_, at) => ((at * 7919) % 801) - 400);

  expect(await highest(await spoken('How much is the pro plan?'))).toBeGreaterThan(0.9);
  expect(await highest(new Int16Array(16_000))).toBeLessThan(0.2);
  expect(await highest(noise)).toBeLessThan(0.4);
});

describe('the embedded recogniser', () => {
  const recogniser = createOne();

  test('understands what a caller asks, in free words too, and tells it while it is being said', async () => {
    const { stream, log } = await openCall(recogniser);
    const paused = Promise.withResolvers<string>();
    stream.onPartial(({ text }) => paused.resolve(text));
    stream.beginUtterance();
    stream.push(new Int16Array(BEFORE_ONSET));
    stream.push(await spoken('How much is the pro plan?'));
    stream.pauseUtterance?.();
    // Without a final mark, since the caller may go on.
    expect(await paused.promise).toBe('How much is the pro plan');
    expect((await stream.endUtterance()).text).toBe('How much is the pro plan?');
    expect(await hear(stream, await spoken('My name is Daniel Miller.'))).toBe('My name is Daniel Miller.');
    expect(await hear(stream, await spoken('I would rather wait until the weather gets better.'))).toMatch(
      /wait until the weather gets better/,
    );
    expect(log.some((line) => /^INFO recogniser loaded: onnxruntime-\w+, \d+ MB$/.test(line))).toBe(true);
    stream.close();
  });

  test('understands sound of a telephone', async () => {
    const { stream } = await openCall(recogniser);
    const line = overTelephone(await spoken('I would like to book a call for Tuesday.', 'slt'));
    expect(await hear(stream, line)).toMatch(/book a call for Tuesday/i);
    stream.close();
  });

  test('knows a name that no dictionary has once the assistant knows it', async () => {
    const { stream } = await openCall(recogniser, ['Tell me about Zantoprix.', 'What is Zantoprix?']);
    expect(await hear(stream, await spoken('Tell me about Zantoprix.'))).toMatch(/^tell me about zantoprix/i);
    stream.close();
  });

  test('writes the digits of a number that was asked for', async () => {
    const { stream } = await openCall(recogniser);
    const number = await spoken('zero seven seven, zero one two, three four five six', 'slt');
    const heard = await hear(stream, number, 'digits');
    expect(readSpokenDigits(normaliseWords(heard))).toBe('0770123456');
    stream.close();
  });

  test('hears nothing in silence', async () => {
    const { stream } = await openCall(recogniser);
    expect(await hear(stream, new Int16Array(16_000))).toBe('');
    stream.beginUtterance();
    expect(await stream.endUtterance()).toEqual({ text: '', confidence: 0 });
    stream.close();
  });

  test('hears two callers at once, each for himself', async () => {
    const calls = await Promise.all([openCall(recogniser), openCall(recogniser)]);
    const said = await Promise.all([spoken('What are your opening hours?'), spoken('Goodbye.', 'slt')]);
    const heard = await Promise.all(
      calls.map(({ stream }, at) => hear(stream, said[at] ?? new Int16Array(0))),
    );
    expect(heard).toEqual(['What are your opening hours?', expect.stringMatching(/^good[ -]?bye/i)]);
    for (const { stream } of calls) stream.close();
  });

  test('hears a caller who pauses and goes on as one utterance', async () => {
    const { stream } = await openCall(recogniser);
    stream.beginUtterance();
    stream.push(new Int16Array(BEFORE_ONSET));
    stream.push(await spoken('I would like to know'));
    stream.push(new Int16Array(PAUSE));
    stream.pauseUtterance?.();
    stream.resumeUtterance?.();
    stream.push(await spoken('how much the pro plan costs.'));
    const { text } = await stream.endUtterance();
    expect(text).toMatch(/^I would like to know.* how much the pro plan costs[.,]?$/i);
    stream.close();
  });
});

describe('a recogniser without its native runtime', () => {
  test('understands the same in WebAssembly', async () => {
    const { stream, log } = await openCall(createOne({ runtime: 'onnxruntime-web', patienceMs: 60_000 }));
    expect(await hear(stream, await spoken('How much is the pro plan?'))).toBe('How much is the pro plan?');
    expect(log.some((line) => line.startsWith('INFO recogniser loaded: onnxruntime-web'))).toBe(true);
  });
});

describe("a recogniser's process that", () => {
  const entryOf = (name: string) => path.join(PROJECT_ROOT, 'tests/support/voice', `${name}-recogniser.ts`);

  test('is killed in mid-call is started again, and no word of the utterance is lost', async () => {
    const died = path.join(tmpdir(), `recogniser-died-${process.pid}`);
    await rm(died, { force: true });
    const { stream, log } = await openCall(createOne({ entry: entryOf('dying') }));

    expect(await hear(stream, await spoken('What are your opening hours?'))).toBe(
      'What are your opening hours?',
    );
    expect(log).toContain('WARN The recogniser ended (SIGKILL).');
    expect(await hear(stream, await spoken('My name is Daniel Miller.'))).toBe('My name is Daniel Miller.');
    await rm(died, { force: true });
  });

  test('does not survive an utterance twice answers it with nothing and says so', async () => {
    const { stream, log } = await openCall(createOne({ entry: entryOf('deadly') }));

    expect(await hear(stream, new Int16Array(8000))).toBe('');
    expect(log.filter((line) => line.startsWith('WARN'))).toEqual([
      'WARN The recogniser ended (SIGKILL).',
      'WARN The recogniser ended (SIGKILL).',
    ]);
  });

  test('hangs is ended, and the utterance is answered with nothing', async () => {
    const { stream, log } = await openCall(createOne({ entry: entryOf('hanging'), patienceMs: 100 }));

    expect(await hear(stream, new Int16Array(8000))).toBe('');
    expect(log).toContain('WARN The recogniser did not answer.');
    stream.beginUtterance();
    stream.push(new Int16Array(8000));
    expect(await stream.endUtterance()).toEqual({ text: '', confidence: 0, lost: true });
  });

  test('is there before its models: what was said meanwhile is read with them, or given up without them', async () => {
    const recogniser = createOne();
    const models = await prepareModels({ ...KNOWLEDGE, sentences: [] }, folder);
    const prepared = Promise.withResolvers<typeof models>();
    const late = recogniser.open(prepared.promise, () => {});
    const heard = hear(late, await spoken('How much is the pro plan?'));
    prepared.resolve(models);
    expect(await heard).toBe('How much is the pro plan?');
    const never = recogniser.open(Promise.reject(new Error('the disk is full')), () => {});
    expect(await hear(never, new Int16Array(8000))).toBe('');
  });

  test('nobody needs ends, and another one is there for the next call', async () => {
    const recogniser = createOne({ idleMs: 0 });
    const first = await openCall(recogniser);
    await hear(first.stream, await spoken('Hello.'));
    first.stream.close();
    // The idle timer was set before this one, so it has fired by then.
    await new Promise((resolve) => setTimeout(resolve, 1));
    const second = await openCall(recogniser);
    // A process that still ran would have written its line to the log at once.
    expect(second.log).toEqual([]);
    expect(await hear(second.stream, await spoken('How much is the pro plan?'))).toBe(
      'How much is the pro plan?',
    );
    expect(second.log).toHaveLength(1);
  });
});

test('faint speech is raised to one loudness and never cut, loud speech is left as it is', async () => {
  const voice = await spoken('On Monday at ten.');
  const [half, sixth] = [1 / 2, 1 / 6].map((share) =>
    levelled(voice.map((sample) => Math.round(sample * share))),
  );
  const apart = half?.map((sample, at) => Math.abs(sample - (sixth?.[at] ?? 0))) ?? [];
  expect(Math.max(...apart)).toBeLessThan(0.002);
  expect(Math.max(...(half ?? []).map(Math.abs))).toBeGreaterThan(0.4);
  expect(Math.max(...(half ?? []).map(Math.abs))).toBeLessThanOrEqual(0.981);
  const loud = voice.map((sample) => Math.max(-32_768, Math.min(32_767, sample * 2)));
  expect(levelled(loud)).toEqual(Float32Array.from(loud, (sample) => sample / 32_768));
});

test('weights that are not those that were measured are refused by name', async () => {
  const other = await mkdtemp(path.join(tmpdir(), 'weights-'));
  await expect(readWeights(other)).rejects.toThrow('cannot be read (encoder_model.onnx)');
  await writeFile(path.join(other, 'encoder_model.onnx'), 'something else');
  await writeFile(path.join(other, 'decoder_model_merged.onnx'), 'something else');
  await expect(readWeights(other)).rejects.toThrow('are not those expected: encoder_model.onnx');
  await rm(other, { recursive: true });
});

test('the detector takes the office behind an assistant for no voice, also when it comes back louder', async () => {
  const detector = detection.open();
  for (const gain of [0.2, 1, 3]) {
    const next = createOfficeSound(5);
    const pcm = Int16Array.from(Array.from({ length: 400 }, () => [...next()]).flat(), (one) => one * gain);
    const windows = Array.from({ length: 250 }, (_, at) => pcm.slice(at * WINDOW, (at + 1) * WINDOW));
    expect(Math.max(...(await detector.probabilities(windows)))).toBeLessThan(0.2);
  }
  detector.close();
});
