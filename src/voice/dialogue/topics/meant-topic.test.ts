import { expect, test } from 'vitest';
import { PublishedSite } from '../../../kernel/contract/site-content.ts';
import { coreOf } from '../likeness/core-words.server.ts';
import { normaliseWords } from '../spoken/word-normalisation.server.ts';
import { COMMON_QUESTIONS } from './common-questions.server.ts';
import { meantTopic } from './meant-topic.server.ts';
import { answerTopic } from './topic-answer.server.ts';

const KNOWN = {
  site: new PublishedSite(),
  brand: 'Northline',
  contactEmail: 'hello@example.com',
  hours: 'Monday to Friday from 9:00 to 17:00',
  sentences: [],
};
/** No rule knows these words, so that a question that means the same answers them. */
const WORDS = 'glimmer frog purple';

/** Gives the words the direction of one question, and every other text another one. */
const like = (question: string) => async (texts: readonly string[]) =>
  texts.map((text) =>
    Float32Array.from(text === WORDS || text === coreOf(normaliseWords(question)) ? [1, 0] : [0, 1]),
  );

async function told(question: string, known = KNOWN): Promise<string> {
  const meant = await meantTopic(WORDS, known, null, like(question));
  return meant.is === 'told' ? meant.answer.sentence : meant.is;
}

test('what is meant is answered by the content in force, also when it changes between two turns', async () => {
  expect(answerTopic(WORDS, KNOWN, null)).toBeNull();
  const site = new PublishedSite();
  const known = { ...KNOWN, site };
  expect(await told('What services do you offer?', known)).toMatch(/^We offer chat bot services, /);
  site.install({
    content: {
      services: [{ name: 'Loft Conversions', text: 'We turn a roof into a room', picture: 'none' }],
    },
  });
  expect(await told('What services do you offer?', known)).toMatch(/^We offer loft conversions, /);
});

test('each assistant answers by what it knows itself', async () => {
  expect(await told('How can I contact you?')).toContain('hello@example.com');
  expect(await told('How can I contact you?', { ...KNOWN, contactEmail: 'desk@example.org' })).toContain(
    'desk@example.org',
  );
});

test('nothing that ends a call or deletes its words is among the questions that likeness can answer', () => {
  const actions = COMMON_QUESTIONS.map((one) => answerTopic(normaliseWords(one), KNOWN, null)?.action);
  expect(COMMON_QUESTIONS.length).toBeGreaterThan(60);
  expect(actions.filter((action) => action === 'hang-up' || action === 'forget')).toEqual([]);
});

test('without vectors the rules decide, and what they do not know is not guessed at', async () => {
  expect(await meantTopic(WORDS, KNOWN, null, undefined)).toEqual({ is: 'unknown' });
  const gone = () => Promise.reject(new Error('gone'));
  expect(await meantTopic(WORDS, KNOWN, null, gone)).toEqual({ is: 'unknown' });
});
