import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { PROJECT_ROOT } from '../../../kernel/config/project-root.ts';
import { openMeaningModel } from '../likeness/meaning-model.server.ts';
import { WordPieces } from '../likeness/word-pieces.server.ts';
import { createMeaning } from './meaning-client.server.ts';
import { PromptAnswers } from './prompt-answers.server.ts';
import { readPrompt } from './prompt-reading.server.ts';

test('what is asked in other words is found by its meaning, from the model beside the code', async () => {
  const meaning = createMeaning();
  onTestFinished(() => meaning.close());
  const [car = [], parking = [], music = []] = await meaning.embed([
    'Where can I leave my car?',
    'There is free parking in Mill Lane.',
    'There is live music on Fridays.',
  ]);
  const likeness = (one: ArrayLike<number>, other: ArrayLike<number>): number =>
    Array.from(one).reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
  expect(likeness(car, car)).toBeCloseTo(1, 2);
  expect(likeness(car, parking)).toBeGreaterThan(likeness(car, music) + 0.1);

  const reading = readPrompt('Delivery takes about 45 minutes. Our beds are made of oak. Kites cost £9.');
  const now = () => ({ year: 2026, month: 3, day: 4, hour: 10, minute: 0 });
  const answers = new PromptAnswers(reading, now, meaning.embed);
  expect(await answers.answer('how quickly does the food arrive')).toMatchObject({
    sentence: expect.stringContaining('Delivery takes about 45 minutes'),
  });
});

test('where native code ends the process, WebAssembly makes the vectors of the same texts', async () => {
  const meaning = createMeaning(path.join(PROJECT_ROOT, 'tests/support/voice/faulty-meaning.ts'));
  onTestFinished(() => meaning.close());
  const [one, another] = await Promise.all([meaning.embed(['A kite costs £9.']), meaning.embed(['Hello'])]);
  const vectors = await (await openMeaningModel()).embed(['A kite costs £9.']);
  const likeness = one[0]?.reduce((sum, value, at) => sum + value * (vectors[0]?.[at] ?? 0), 0);
  expect(likeness).toBeGreaterThan(0.97);
  expect(another[0]).toHaveLength(384);
});

test('without the model words alone answer', async () => {
  const now = () => ({ year: 2026, month: 3, day: 4, hour: 10, minute: 0 });
  const gone = () => Promise.reject(new Error('gone'));
  const answers = new PromptAnswers(readPrompt('A kite costs £9.'), now, gone);
  expect(await answers.answer('how much is a kite')).toEqual({ is: 'told', sentence: 'A kite costs £9.' });
});

test('WebAssembly makes nearly the same vectors as the native runtime', async () => {
  const texts = ['Where can I leave my car?', 'Łukasz zahlt £9 für naïve crème brûlée 🍮'];
  const [native, web] = await Promise.all([openMeaningModel(), openMeaningModel('onnxruntime-web')]);
  const [ours, theirs] = [await native.embed(texts), await web.embed(texts)];
  for (const [at, vector] of ours.entries()) {
    expect(vector).toHaveLength(384);
    const product = vector.reduce((sum, one, place) => sum + one * (theirs[at]?.[place] ?? 0), 0);
    // Sums of eight bits saturate on processors without VNNI: 0.988 was measured on one.
    expect(product).toBeGreaterThan(0.97);
  }
});

test('a file that is not the one that was measured is refused by its name', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'meaning-'));
  await expect(openMeaningModel(undefined, folder)).rejects.toThrow('cannot be read (vocab.txt)');
  writeFileSync(path.join(folder, 'vocab.txt'), 'a\nb\n');
  await expect(openMeaningModel(undefined, folder)).rejects.toThrow('not those expected: vocab.txt');
});

test('texts are cut into the longest pieces, without case and accents; strange words are one unknown piece', () => {
  const pieces = new WordPieces(['[PAD]', 'play', '##ing', 'cafe', '!', 'pl'].join('\n'));
  expect(pieces.numbersOf('Playing CAFÉ!')).toEqual([101, 1, 2, 3, 4, 102]);
  expect(pieces.numbersOf('playx 🍮')).toEqual([101, 100, 100, 102]);
  expect(pieces.numbersOf('play '.repeat(1000))).toHaveLength(256);
});
