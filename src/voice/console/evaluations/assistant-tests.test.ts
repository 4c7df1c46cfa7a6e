import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  askConsole,
  newAccount,
  newOperator,
  type TestAccount,
} from '../../../../tests/support/customers/operator-client.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { simpleEngines } from '../../../../tests/support/voice/simple-engines.ts';
import { eventually, voiceApi } from '../../../../tests/support/voice/voice-calls.ts';
import type { AssistantDetail } from '../assistants/assistant-editor.contract.ts';
import type { TestLine, TestRunDetail, TestsPage } from './assistant-tests.contract.ts';

let app: TestApp;
let operator: TestAccount;
beforeAll(async () => {
  app = await startTestApp({ voiceEngines: simpleEngines() });
  operator = await newOperator(app);
});
afterAll(() => app.close());

const NOBODY = '00000000-0000-4000-8000-000000000000';
const LINES: readonly TestLine[] = [
  { say: 'the audit', judge: 'contains', expect: 'about a week', tool: '' },
  { say: 'please take my enquiry', judge: 'contains', expect: '', tool: 'take_enquiry' },
];

const ask = <T>(
  name: string,
  { body, account = operator }: { body?: object; account?: Pick<TestAccount, 'client'> } = {},
): Promise<T> => askConsole<T>(name, account, body);

const testsOf = async (assistantId: string) => (await ask<TestsPage>(`tests?assistant=${assistantId}`)).tests;
const over = (assistantId: string, count: number) =>
  eventually('the runs are over', async () => {
    const tests = await testsOf(assistantId);
    const runs = tests.flatMap((one) => one.runs);
    return runs.length === count && runs.every(({ running }) => !running) ? tests : undefined;
  });

test('nobody but operators sees, writes or runs tests', async () => {
  const user = await newAccount(app);
  const anonymous = { client: createClient(app.url, app.anonKey) };
  const bodies = {
    'save-test': { id: null, assistantId: NOBODY, name: 'T', lines: LINES },
    'delete-test': { id: NOBODY },
    'run-tests': { assistantId: NOBODY, draft: null },
  };
  for (const account of [user, anonymous]) {
    for (const name of [`tests?assistant=${NOBODY}`, `test-run?id=${NOBODY}`])
      await expect(ask(name, { account }), name).rejects.toMatchObject({ status: 403 });
    for (const [name, body] of Object.entries(bodies))
      await expect(ask(name, { account, body }), name).rejects.toMatchObject({ status: 403 });
  }
  await expect(ask('save-test', { body: bodies['save-test'] })).rejects.toMatchObject({
    code: 'unknown_reference',
  });
  await expect(ask('delete-test', { body: bodies['delete-test'] })).rejects.toMatchObject({ status: 404 });
  await expect(ask('run-tests', { body: bodies['run-tests'] })).rejects.toMatchObject({
    code: 'nothing_to_do',
  });
  await expect(ask(`test-run?id=${NOBODY}`)).rejects.toMatchObject({ status: 404 });
});

test('tests are written, run with each version and with a draft, compared, and deleted; all of it is audited', async () => {
  const made = await voiceApi(app, 'POST', '/assistant', { name: 'Desk', firstMessage: 'Hello.' });
  const assistantId: string = made.body.id;
  const save = (name: string, lines: readonly TestLine[], id: string | null = null) =>
    ask<{ id: string }>('save-test', { body: { id, assistantId, name, lines } });
  const { id } = await save('Prices', LINES);
  const never = [{ say: 'hello', judge: 'exact', expect: 'Nothing', tool: '' }] as const;
  const second = await save('Never', never);
  expect((await testsOf(assistantId)).map(({ name, lines }) => [name, lines])).toEqual([
    ['Prices', LINES],
    ['Never', never],
  ]);

  expect(await ask('run-tests', { body: { assistantId, draft: null } })).toEqual({ begun: 2 });
  await over(assistantId, 2);
  await voiceApi(app, 'PATCH', `/assistant/${assistantId}`, { firstMessage: 'Good day.' });
  await ask('run-tests', { body: { assistantId, draft: null } });
  await over(assistantId, 4);
  const { draft } = await ask<AssistantDetail>(`assistant?id=${assistantId}`);
  const written = { ...draft, firstMessage: 'Draft here.' };
  await ask('run-tests', { body: { assistantId, draft: written } });
  const [prices, failing] = await over(assistantId, 6);
  expect(prices?.runs.map(({ version, passed }) => [version, passed])).toEqual([
    [null, true],
    [2, true],
    [1, true],
  ]);
  expect(failing?.runs.map(({ passed }) => passed)).toEqual([false, false, false]);

  const run = await ask<TestRunDetail>(`test-run?id=${prices?.runs[0]?.id}`);
  expect(run).toMatchObject({
    version: null,
    passed: true,
    fault: null,
    messages: [{ content: 'Draft here.' }, { content: 'the audit' }, {}, {}, {}],
  });
  expect((await voiceApi(app, 'GET', `/assistant/${assistantId}`)).body.firstMessage).toBe('Good day.');

  await save('Prices again', LINES.slice(0, 1), id);
  await ask('delete-test', { body: { id: second.id } });
  expect((await testsOf(assistantId)).map(({ name, lines }) => [name, lines?.length])).toEqual([
    ['Prices again', 1],
  ]);
  const audited = await app.resources.database.many(
    `select action from private.operator_audit where action like 'test.%' and actor is not null
       and subject = any($1) order by id`,
    [[id, second.id, assistantId]],
  );
  expect(audited.map(({ action }) => action)).toEqual([
    ...['test.save', 'test.save', 'test.run', 'test.run', 'test.run', 'test.save', 'test.delete'],
  ]);
});

test('a test of the API that is more than lines is listed and run, and changed there', async () => {
  const made = await voiceApi(app, 'POST', '/assistant', { name: 'Desk' });
  const assistantId = made.body.id;
  const messages = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'the audit' },
    { role: 'assistant', judgePlan: { type: 'regex', content: 'free' } },
  ];
  await voiceApi(app, 'POST', '/eval', { type: 'chat.mockConversation', assistantId, messages });
  expect(await testsOf(assistantId)).toMatchObject([{ lines: null, runs: [] }]);
  await ask('run-tests', { body: { assistantId, draft: null } });
  expect((await over(assistantId, 1))[0]?.runs[0]?.passed).toBe(true);
});
