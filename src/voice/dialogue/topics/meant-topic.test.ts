import { expect, onTestFinished, test } from 'vitest';
import { installContent } from '../../../kernel/contract/site-content.ts';
import { meantTopic } from './meant-topic.server.ts';
import { answerTopic } from './topic-answer.server.ts';

const KNOWN = {
  brand: 'Northline',
  contactEmail: 'hello@example.com',
  hours: 'Monday to Friday from 9:00 to 17:00',
  sentences: [],
};
/** No rule knows these words, so that an example answers them. */
const WORDS = 'what areas do you cover';

async function told(): Promise<string> {
  const meant = await meantTopic(WORDS, KNOWN, null, undefined);
  return meant.is === 'told' ? meant.answer.sentence : '';
}

test('what an example means is answered by the content in force, also when it changes between two turns', async () => {
  expect(answerTopic(WORDS, KNOWN, null)).toBeNull();
  expect(await told()).toMatch(/^We offer chat bot services, /);
  installContent({
    content: {
      services: [{ name: 'Loft Conversions', text: 'We turn a roof into a room', picture: 'none' }],
    },
  });
  onTestFinished(() => installContent({ content: {} }));
  expect(await told()).toMatch(/^We offer loft conversions, /);
});

test('each assistant answers by what it knows itself', async () => {
  const words = 'whom do i write to';
  const one = await meantTopic(words, KNOWN, null, undefined);
  const other = await meantTopic(words, { ...KNOWN, contactEmail: 'desk@example.org' }, null, undefined);
  expect(JSON.stringify(one)).toContain('hello@example.com');
  expect(JSON.stringify(other)).toContain('desk@example.org');
});
