import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  startVoiceProviders,
  type VoiceProviders,
} from '../../tests/support/servers/voice-provider-servers.ts';
import { startTestApp, type TestApp } from '../../tests/support/test-app.ts';
import { voiceApi } from '../../tests/support/voice/voice-calls.ts';
import { checkAssistants } from './assistant-command.ts';

let app: TestApp;
let providers: VoiceProviders;
let assistant: string;
beforeAll(async () => {
  providers = await startVoiceProviders();
  app = await startTestApp({ settings: { OUTBOUND_ALLOW_HOSTS: providers.host } });
  const { body } = await voiceApi(app, 'POST', '/assistant', {
    name: 'Plumber',
    firstMessage: 'Hollis Plumbing.',
    model: {
      provider: 'embedded',
      messages: [{ role: 'system', content: 'You work for Hollis Plumbing. A call-out costs sixty pounds.' }],
    },
  });
  assistant = body.id;
});
beforeEach(() => {
  providers.mode = 'well';
  providers.answers.length = 0;
  providers.requests.length = 0;
});
afterAll(async () => {
  await app.close();
  await providers.close();
});

const ask = async (path: string, body?: object): Promise<unknown> =>
  (await voiceApi(app, body === undefined ? 'GET' : 'POST', path, body)).body;
const check = (llm?: string) => checkAssistants(ask, { llm, assistant });

test('the tests of an assistant are run with its own model, then with another, each with its figures', async () => {
  await expect(check()).rejects.toThrow('No test is kept with an assistant');
  const judged = (content: string) => ({ role: 'assistant', judgePlan: { type: 'regex', content } });
  await voiceApi(app, 'POST', '/eval', {
    type: 'chat.mockConversation',
    name: 'Price',
    assistantId: assistant,
    messages: [{ role: 'user', content: 'How much is a call-out?' }, judged('(?i)sixty|60')],
  });
  expect(await check()).toMatchObject({
    text: expect.stringContaining('pass  Price  1 right, 0 wrong'),
    exitCode: 0,
  });
  expect(providers.requests).toEqual([]);

  providers.answers.push({ text: 'That is 60 pounds.' });
  const right = await check(providers.address('http', '/v1'));
  expect(right).toMatchObject({
    text: expect.stringMatching(/^right: 1\nwrong: 0\nseconds a reply: \d/m),
    exitCode: 0,
  });
  expect(providers.requests[0]?.key).toBe(providers.key);
  expect(providers.requests[0]?.body).toContain('You work for Hollis Plumbing.');

  providers.answers.push({ text: 'I cannot say.' });
  const wrong = await check(providers.address('http', '/v1'));
  expect(wrong.text).toContain('“I cannot say.”: Nothing in the words is matched by (?i)sixty|60');
  expect(wrong.exitCode).toBe(1);

  providers.mode = 'refusing';
  const refused = await check(providers.address('http', '/v1'));
  expect(refused.text).toMatch(/^FAIL {2}Price {2}.*\n {2}.*overloaded/);
  expect(refused.exitCode).toBe(1);
  const shown = await voiceApi(app, 'GET', '/eval/run');
  expect(JSON.stringify(shown.body)).not.toContain(providers.key);
});
