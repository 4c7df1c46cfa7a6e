import { expect, test } from 'vitest';
import { showsSettings } from '../../../tests/support/claims.ts';
import { simpleEngines } from '../../../tests/support/voice/simple-engines.ts';
import type { DialogueStep, SpokenTurn } from '../engines/engines.server.ts';
import { withRecordingConsent } from './recording-consent.server.ts';

const QUESTION = 'May I record this call? Please say yes or no.';

/** A conversation with a dialogue whose own answer is "Inner."; `heard` is what the caller heard last. */
async function conversation(first = false) {
  const engines = simpleEngines({
    async *reply() {
      yield { kind: 'sentence', text: 'Inner.' };
    },
  });
  const context = { callId: 'call-1', assistant: {}, log: () => undefined } as never;
  const dialogue = await withRecordingConsent(engines, { question: QUESTION, first }).openDialogue(context);
  const steps = async (of: AsyncIterable<DialogueStep>): Promise<(string | boolean)[]> => {
    const all = await Array.fromAsync(of);
    return all.flatMap((step): (string | boolean)[] =>
      step.kind === 'sentence'
        ? [step.text]
        : step.kind === 'consent'
          ? [step.given, ...(step.greets === true ? ['greets'] : [])]
          : [],
    );
  };
  const signal = new AbortController().signal;
  return {
    greet: () => steps(dialogue.greet(signal)),
    say: (text: string, heard = `Hello. ${QUESTION}`) => {
      const history: SpokenTurn[] = [{ role: 'assistant', text: heard }];
      return steps(dialogue.reply({ text, confidence: 1, typed: true }, history, signal));
    },
  };
}

test('the question follows the first words, and a yes is given once', async () => {
  showsSettings('assistant', 'compliancePlan.recordingConsentPlan.message');
  const { greet, say } = await conversation();
  expect((await greet()).at(-1)).toBe(QUESTION);
  expect(await say('Yes, please.')).toEqual([true, expect.stringContaining('is recorded')]);
  expect(await say('Yes, that one.', 'Do you mean the audit?')).toEqual(['Inner.']);
});

test('a caller who asks while the call is recorded hears that it is, and after the withdrawal the dialogue answers', async () => {
  const { say } = await conversation();
  await say('Yes, please.');
  for (const words of ['Is this call recorded?', 'What do you keep about me?', 'Are you taping this?'])
    expect(await say(words, 'Anything else?')).toEqual([
      expect.stringMatching(/^Yes, this call is recorded/),
    ]);
  expect(await say('Do you sell records?', 'Anything else?')).toEqual(['Inner.']);
  await say('Stop recording.', 'Anything else?');
  expect(await say('Is this call recorded?', 'Anything else?')).toEqual(['Inner.']);
});

test('an answer that says more is answered too', async () => {
  const { say } = await conversation();
  expect(await say('Yes, and what does the audit cost at the moment?')).toEqual([true, 'Inner.']);
});

test('where the question comes first the first message follows a short answer to it, and nothing else', async () => {
  const first = () => conversation(true);
  expect(await (await first()).greet()).not.toContain(QUESTION);
  expect(await (await first()).say('Yes.')).toEqual([
    ...[true, 'greets', 'Thank you, this call is recorded from now on.'],
  ]);
  for (const words of ['No.', 'Please do not record.'])
    expect(await (await first()).say(words)).toEqual([
      ...[false, 'greets', 'All right, this call is not recorded.'],
    ]);
  expect(await (await first()).say('Yes, and what does the audit cost at the moment?')).toEqual([
    true,
    'Inner.',
  ]);
  const late = await first();
  await late.say('What does the audit cost?');
  expect(await late.say('Yes.')).toEqual([true, expect.stringMatching(/recorded from now on.*help you\?$/)]);
});

test('attack 44: no, silence about it, and a yes to a question that was not heard record nothing', async () => {
  const refused = await conversation();
  expect(await refused.say('No, thank you.')).toEqual([false, expect.stringContaining('not recorded')]);
  expect(await refused.say('Yes.')).toEqual(['Inner.']);
  const silent = await conversation();
  expect(await silent.say('What does the audit cost?')).toEqual(['Inner.', QUESTION]);
  expect(await silent.say('And the website?')).toEqual(['Inner.', QUESTION]);
  expect(await silent.say('And the course?')).toEqual(['Inner.', false]);
  expect(await silent.say('Yes.')).toEqual(['Inner.']);
  const cut = await conversation();
  expect(await cut.say('Yes.', 'Hello. May I')).toEqual(['Inner.', QUESTION]);
});

test('attack 44: who takes the consent back, in any words that name the recording, is heeded', async () => {
  for (const words of ['Please stop recording.', "I don't want to be recorded", 'Delete the recording']) {
    const { say } = await conversation();
    await say('Yes.');
    expect(await say(words, 'How can I help you?')).toEqual([false, expect.stringContaining('deleted')]);
    expect(await say('Yes.', `x ${QUESTION}`)).toEqual(['Inner.']);
  }
});
