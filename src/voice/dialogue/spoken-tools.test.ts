import { expect, test } from 'vitest';
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
const call: CallContext = {
  callId: 'c1',
  assistant: {
    model: {
      provider: 'embedded',
      tools: [tool('get_opening_hours'), tool('searchOrders', ['query']), tool('sell_shares', ['amount'])],
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
