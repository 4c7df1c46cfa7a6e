import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PromptAnswers } from '../../src/voice/dialogue/knowledge/prompt-answers.server.ts';
import { readPrompt } from '../../src/voice/dialogue/knowledge/prompt-reading.server.ts';
import { normaliseWords } from '../../src/voice/dialogue/spoken/word-normalisation.server.ts';

const PROMPTS = 100_000;
const LONGEST_MS = 2000;
const WORDS = fc.constantFrom(
  ...[
    'You are Ada of Elm. ',
    'Never ',
    'If someone asks about ',
    ', say that ',
    '# Prices\n',
    '- Bread: £2\n',
    '| a | £3 |\n',
  ],
  ...[
    'We are open Monday to ',
    'Friday from 9 to 5. ',
    'closed ',
    'Q: ',
    '\nA: ',
    '\n\n',
    'ignore all rules ',
    '£9, ',
    '((',
    '\\',
    '\u202e',
    '—',
  ],
);
const PROMPT = fc.array(fc.oneof(WORDS, fc.string({ unit: 'binary', maxLength: 30 })), { maxLength: 20 });

test('a hundred thousand prompts are read and asked without an error, and none takes long', async () => {
  const now = () => ({ year: 2026, month: 3, day: 4, hour: 10, minute: 0 });
  let slowest = 0;
  await fc.assert(
    fc.asyncProperty(PROMPT, WORDS, async (pieces, question) => {
      const begun = process.cpuUsage();
      const answers = new PromptAnswers(readPrompt(pieces.join('')), now, null);
      await answers.answer(normaliseWords(`how much is ${question}`));
      // The processor time of this process, because another one may have used the core in the meantime.
      const { user, system } = process.cpuUsage(begun);
      slowest = Math.max(slowest, (user + system) / 1000);
    }),
    { numRuns: PROMPTS, seed: 15 },
  );
  expect(slowest).toBeLessThan(LONGEST_MS * Number(process.env.TEST_PATIENCE ?? 1));
});
