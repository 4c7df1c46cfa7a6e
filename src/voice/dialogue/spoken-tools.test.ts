import { expect, test } from 'vitest';
import { claims, showsSettings } from '../../../tests/support/claims.ts';
import { simpleEngines } from '../../../tests/support/voice/simple-engines.ts';
import type { CallContext, DialogueStep } from '../engines/engines.server.ts';
import { customTools } from './model/custom-tools.server.ts';
import { withSpokenTools } from './spoken-tools.server.ts';

const asked: unknown[] = [];
let answer: (id: string) => unknown = () => ({});
const tool = (name: string, required: string[] = []) => ({
  type: 'function',
  function: { name, parameters: { type: 'object', required } },
});
const SAYINGS = [
  { type: 'request-start', content: 'One moment.' },
  { type: 'request-response-delayed', content: 'It takes longer today.', timingMilliseconds: 20 },
  {
    type: 'request-complete',
    content: 'Only for others.',
    conditions: [{ operator: 'eq', param: 'a', value: 1 }],
  },
  { type: 'request-complete', content: 'A hint for the model.', role: 'system' },
  {
    type: 'request-complete',
    contents: [
      { type: 'text', language: 'de', text: 'Fertig.' },
      { type: 'text', language: 'en', text: 'It is cancelled. Goodbye.' },
    ],
    endCallAfterSpokenEnabled: true,
  },
  { type: 'request-failed', content: 'It is not cancelled.' },
];
const call: CallContext = {
  callId: 'c1',
  assistant: {
    model: {
      provider: 'embedded',
      tools: [
        tool('get_opening_hours'),
        tool('searchOrders', ['query']),
        tool('sell_shares', ['amount']),
        { ...tool('cancel_contract'), messages: SAYINGS },
      ],
    },
  },
  log: () => {},
  async queryServer({ toolCallList }) {
    const [{ id, function: given }] = toolCallList as [{ id: string; function: unknown }];
    asked.push(given);
    return answer(id);
  },
};

async function reply(text: string): Promise<DialogueStep[]> {
  const dialogue = withSpokenTools(await simpleEngines().openDialogue(call), customTools(call));
  const steps: DialogueStep[] = [];
  for await (const step of dialogue.reply(
    { text, confidence: 1, typed: true },
    [],
    new AbortController().signal,
  ))
    steps.push(step);
  return steps;
}
const sentences = (steps: readonly DialogueStep[]) =>
  steps.flatMap((step) => (step.kind === 'sentence' ? [step.text] : []));

test('words of a tool are a question to its server, and its result is the answer', async () => {
  claims('A caller who says its words asks for it: opening hours for get_opening_hours.');
  answer = (id) => ({ results: [{ toolCallId: id, result: 'From nine to five.' }] });
  const steps = await reply('what are your opening hours today');
  expect(steps.map(({ kind }) => kind)).toEqual(['tool-call', 'tool-result', 'sentence']);
  expect(sentences(steps)).toEqual(['From nine to five.']);
  expect(asked.at(-1)).toEqual({ name: 'get_opening_hours', arguments: {} });
  await reply('please search my order');
  expect(asked.at(-1)).toEqual({ name: 'searchOrders', arguments: { query: 'please search my order' } });
});

test('a server that fails is said, and what needs more than words is left to the dialogue', async () => {
  answer = () => ({ error: 'closed' });
  expect(sentences(await reply('opening hours'))).toEqual(['I am sorry, that did not work just now.']);
  const before = asked.length;
  expect(sentences(await reply('sell my shares'))[0]).toBe('You said sell my shares.');
  expect(asked).toHaveLength(before);
});

test('a tool says what its makers want said: at its start, where it is late, done, or failed, and may end the call', async () => {
  showsSettings(
    'tool',
    'messages[].type',
    'messages[].content',
    'messages[].contents.*',
    'messages[].timingMilliseconds',
    'messages[].endCallAfterSpokenEnabled',
  );
  const late = Promise.withResolvers<object>();
  answer = (id) => late.promise.then(() => ({ results: [{ toolCallId: id, result: 'ok' }] }));
  const dialogue = withSpokenTools(await simpleEngines().openDialogue(call), customTools(call));
  const turn = { text: 'cancel my contract', confidence: 1, typed: true };
  const said: string[] = [];
  let ended = false;
  for await (const step of dialogue.reply(turn, [], new AbortController().signal)) {
    if (step.kind === 'sentence') said.push(step.text);
    if (step.kind === 'hang-up') ended = true;
    // The server answers once the caller has heard that it is late.
    if (said.length === 2) late.resolve({});
  }
  expect(said).toEqual(['One moment.', 'It takes longer today.', 'It is cancelled. Goodbye.']);
  expect(ended).toBe(true);
  answer = () => ({ error: 'closed' });
  expect(sentences(await reply('cancel my contract'))).toEqual(['One moment.', 'It is not cancelled.']);
  answer = (id) => ({
    results: [
      { toolCallId: id, result: 'ok', message: { type: 'request-complete', content: 'Gone by June.' } },
    ],
  });
  expect(sentences(await reply('cancel my contract'))).toEqual(['One moment.', 'Gone by June.']);
});
