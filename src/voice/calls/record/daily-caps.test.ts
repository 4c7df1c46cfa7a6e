import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  askConsole,
  newOperator,
  type TestAccount,
} from '../../../../tests/support/customers/operator-client.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { simpleEngines } from '../../../../tests/support/voice/simple-engines.ts';
import { type CallRecord, eventually, voiceApi } from '../../../../tests/support/voice/voice-calls.ts';
import { openDailyCaps } from './daily-caps.server.ts';

let app: TestApp;
let operator: TestAccount;
let assistantId: string;
/** A conversation uses three prompt tokens, which cost half a dollar each. */
const usual = { llmPer1000PromptTokens: 500, ttsPer1000Characters: 100 };
const prices = { sttPerMinute: 0, llmPer1000CompletionTokens: 0, ...usual };
let charges = true;

beforeAll(async () => {
  app = await startTestApp({
    voiceEngines: { ...simpleEngines(), prices, charges: async () => charges },
    settings: { VOICE_DAILY_SPEND: '1', VOICE_DAILY_MINUTES: '60' },
  });
  operator = await newOperator(app);
  assistantId = (await voiceApi(app, 'POST', '/assistant', { name: 'Tested', firstMessage: 'Hello.' })).body
    .id;
});
beforeEach(async () => {
  charges = true;
  Object.assign(prices, usual);
  await app.resources.database.run('delete from private.voice_trial_costs');
});
afterAll(() => app.close());

const MESSAGES = [
  { role: 'user', content: 'the audit' },
  { role: 'assistant', judgePlan: { type: 'regex', content: 'free' } },
];
const run = () =>
  voiceApi(app, 'POST', '/eval/run', {
    type: 'eval',
    eval: { type: 'chat.mockConversation', messages: MESSAGES },
    target: { type: 'assistant', assistantId },
  });
const over = (id: string): Promise<CallRecord> =>
  eventually('the run is over', async () => {
    const { body } = await voiceApi(app, 'GET', `/eval/run/${id}`);
    return body.status === 'ended' ? body : undefined;
  });
const PREVIEW = { voice: { provider: 'embedded', choice: '' }, text: 'One two three.' };
const preview = () => askConsole('voice-preview', operator, PREVIEW);
const spent = () =>
  app.resources.database.many('select kind, minutes, cost from private.voice_trial_costs order by id');

test('attack 41: a test that costs money counts towards the day, also when it is deleted; then all say that they wait', async () => {
  const first = await run();
  expect((await over(first.body.id)).cost).toBe(1.5);
  expect(await spent()).toEqual([{ kind: 'test', cost: 1.5, minutes: expect.any(Number) }]);
  await voiceApi(app, 'DELETE', `/eval/run/${first.body.id}`);

  const says = 'what VOICE_DAILY_SPEND allows within 24 hours is spent';
  expect(await run()).toMatchObject({
    status: 429,
    body: { code: 'spend_limit', message: expect.stringContaining(says) },
  });
  const refused = { status: 429, code: 'spend_limit', error: expect.stringContaining(says) };
  await expect(preview()).rejects.toMatchObject(refused);
  await voiceApi(app, 'POST', '/eval', { type: 'chat.mockConversation', assistantId, messages: MESSAGES });
  await expect(askConsole('run-tests', operator, { assistantId, draft: null })).rejects.toMatchObject(
    refused,
  );
  const call = await voiceApi(app, 'POST', '/call/web', { assistantId });
  expect([call.status, call.body.code]).toEqual([429, 'spend_limit']);
  const own = { provider: 'embedded', choice: '' };
  const draft = {
    ...{ name: 'Draft', firstMessage: 'Hello.', prompt: '', fileIds: [], toolIds: [] },
    ...{ model: own, voice: own, transcriber: own, pronunciations: [] },
    website: { origins: [], greeting: '', light: '', dark: '', open: '' },
  };
  await expect(askConsole('try-assistant', operator, { id: null, draft })).rejects.toMatchObject({
    ...{ status: 429, code: 'spend_limit' },
    error: expect.stringContaining('No more calls can be taken today.'),
  });
  const [metrics] = (await voiceApi(app, 'GET', '/metrics')).body;
  expect(metrics.billWithinBillingLimit).toBe(false);

  charges = false;
  Object.assign(prices, { llmPer1000PromptTokens: 0, ttsPer1000Characters: 0 });
  expect((await over((await run()).body.id)).results[0].status).toBe('pass');
  await preview();
  expect(await spent()).toHaveLength(1);
});

test('a preview that costs money counts with its seconds, and tests wait for the minutes of a day too', async () => {
  await preview();
  expect(await spent()).toEqual([{ kind: 'preview', cost: 1.4, minutes: expect.closeTo(0.36 / 60, 4) }]);
  await app.resources.database.run('update private.voice_trial_costs set cost = 0.1, minutes = 60');
  const refused = await run();
  expect(refused).toMatchObject({ status: 429, body: { code: 'minutes_limit' } });
  expect(refused.body.message).toContain('the minutes of 24 hours that VOICE_DAILY_MINUTES allows are used');
});

test('what waited in the line when a cap was reached is not held, and one conversation has its own bound', async () => {
  const made = await voiceApi(app, 'POST', '/assistant', { name: 'Busy' });
  for (const name of ['One', 'Two'])
    await voiceApi(app, 'POST', '/eval', {
      ...{ type: 'chat.mockConversation', name, assistantId: made.body.id, messages: MESSAGES },
    });
  const asked = { assistantId: made.body.id, draft: null };
  expect(await askConsole('run-tests', operator, asked)).toEqual({ begun: 2 });
  const { body } = await voiceApi(app, 'GET', '/eval/run');
  const runs = body.results.filter(({ target }: CallRecord) => target.assistantId === made.body.id);
  const ended = await Promise.all(runs.map(({ id }: CallRecord) => over(id)));
  expect(ended.map(({ endedMessage }) => endedMessage?.slice(0, 46)).sort()).toEqual(
    ['Tests and previews that cost money have to wait', undefined].map((words) => words?.slice(0, 46)),
  );
  expect(await spent()).toHaveLength(1);

  await app.resources.database.run('delete from private.voice_trial_costs');
  prices.llmPer1000PromptTokens = 1000;
  const dear = await over((await run()).body.id);
  expect([dear.endedMessage, dear.cost]).toEqual([
    'It cost more than VOICE_CALL_SPEND lets one conversation cost.',
    3,
  ]);
});

test('the transcript of a meeting counts towards the day, and waits for it in words for its people', async () => {
  const caps = openDailyCaps(app.resources);
  await caps.admitTranscript();
  await caps.count({ kind: 'transcript', minutes: 1, cost: 1.5, costs: [] });
  expect(await spent()).toEqual([{ kind: 'transcript', minutes: 1, cost: 1.5 }]);
  await expect(caps.admitTranscript()).rejects.toMatchObject({
    ...{ status: 429, code: 'spend_limit', message: 'No more meetings can be transcribed today.' },
  });
});
