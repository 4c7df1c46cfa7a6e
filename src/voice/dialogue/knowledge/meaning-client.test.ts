import { expect, onTestFinished, test } from 'vitest';
import { coreOf } from '../likeness/core-words.server.ts';
import { CALLER_EXAMPLES, exampleVectors } from '../topics/caller-examples.server.ts';
import { createMeaning } from './meaning-client.server.ts';
import { PromptAnswers } from './prompt-answers.server.ts';
import { readPrompt } from './prompt-reading.server.ts';

test('what is asked in other words is found by its meaning, from the weights inside the package', async () => {
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

  // The stored vectors of the examples are those that the model makes.
  const [own = []] = await meaning.embed([coreOf(CALLER_EXAMPLES[7]?.words ?? '')]);
  expect(likeness(own, exampleVectors()[7] ?? [])).toBeGreaterThan(0.99);

  const reading = readPrompt('Delivery takes about 45 minutes. Our beds are made of oak. Kites cost £9.');
  const now = () => ({ year: 2026, month: 3, day: 4, hour: 10, minute: 0 });
  const answers = new PromptAnswers(reading, now, meaning.embed);
  expect(await answers.answer('how quickly does the food arrive')).toMatchObject({
    sentence: expect.stringContaining('Delivery takes about 45 minutes'),
  });
});

test('without the model words alone answer', async () => {
  const now = () => ({ year: 2026, month: 3, day: 4, hour: 10, minute: 0 });
  const gone = () => Promise.reject(new Error('gone'));
  const answers = new PromptAnswers(readPrompt('A kite costs £9.'), now, gone);
  expect(await answers.answer('how much is a kite')).toEqual({ is: 'told', sentence: 'A kite costs £9.' });
});
