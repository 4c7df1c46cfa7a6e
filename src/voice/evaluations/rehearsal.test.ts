import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { eventually, voiceApi } from '../../../tests/support/voice/voice-calls.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const line = (say: string, expected: string, more: object = {}) => [
  { role: 'user', content: say },
  { role: 'assistant', judgePlan: { type: 'regex', content: expected, ...more } },
];

test('the product’s own dialogue is tested whole: it answers, takes an enquiry and calls a tool, and nothing leaves it', async () => {
  const messages = [
    ...line('How much is a call-out?', 'sixty pounds'),
    { role: 'user', content: 'the van count please' },
    { role: 'tool', content: 'Three vans are out.' },
    { role: 'assistant', judgePlan: { type: 'exact', content: 'Three vans are out.' } },
    ...line('Do you fit solar panels?', 'shall I take a message'),
    ...line('yes please', 'What is it about'),
    { role: 'user', content: 'Solar panels on my shed' },
    { role: 'user', content: 'Ann Wood' },
    { role: 'user', content: 'ann@example.com' },
    ...line('yes', 'I have passed it on', {
      toolCalls: [{ name: 'take_enquiry', arguments: { name: 'Ann' } }],
    }),
  ];
  const model = {
    provider: 'embedded',
    messages: [{ role: 'system', content: 'You work for Hollis Plumbing. A call-out costs sixty pounds.' }],
    tools: [
      {
        type: 'function',
        function: { name: 'get_van_count' },
        server: { url: 'https://never-asked.example/hook' },
      },
    ],
  };
  const made = await voiceApi(app, 'POST', '/eval/run', {
    type: 'eval',
    eval: { type: 'chat.mockConversation', messages },
    target: { type: 'assistant', assistant: { name: 'Plumber', model } },
  });
  const run = await eventually('the run is over', async () => {
    const { body } = await voiceApi(app, 'GET', `/eval/run/${made.body.id}`);
    return body.status === 'ended' ? body : undefined;
  });
  expect([run.endedMessage, run.results[0].messages]).toEqual([
    undefined,
    run.results[0].messages.filter(({ judged }: { judged?: { fault: string | null } }) => !judged?.fault),
  ]);
  expect(run.results[0].status).toBe('pass');
  expect(await app.resources.database.many('select id from public.enquiries')).toEqual([]);
});
