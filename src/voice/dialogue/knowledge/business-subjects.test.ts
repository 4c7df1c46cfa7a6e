import { expect, onTestFinished, test } from 'vitest';
import { SUBJECT_TEXTS } from './business-subjects.server.ts';
import { FactSearch } from './fact-search.server.ts';
import { createMeaning } from './meaning-client.server.ts';
import { readPrompt } from './prompt-reading.server.ts';
import { readQuestion } from './question-reading.server.ts';

const { facts } = readPrompt(
  'We are Box & Co. Cards only, no cash. A lift goes up to all floors. We have Tado, Zappi and Hager. Please ring us two days before if your plans change.',
);

test('a fact that shares no word with the question is found by their subject', async () => {
  const meaning = createMeaning();
  onTestFinished(() => meaning.close());
  const search = new FactSearch(facts, meaning.embed);
  const best = async (words: string): Promise<string | undefined> =>
    (await search.find(readQuestion(words)))[0]?.fact.text;
  expect(await best('how do i settle the bill')).toBe('Cards only, no cash.');
  expect(await best('what brands have you got')).toBe('We have Tado, Zappi and Hager.');
  expect(await best('my father uses a wheelchair')).toBe('A lift goes up to all floors.');
  expect(await best('what if i cannot make it')).toBe('Please ring us two days before if your plans change.');
});

test('each subject has questions and statements, and no text stands twice', () => {
  expect(new Set(SUBJECT_TEXTS).size).toBe(SUBJECT_TEXTS.length);
  expect(SUBJECT_TEXTS.length).toBeGreaterThan(300);
});
