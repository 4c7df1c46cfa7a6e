import { VapiClient } from '@vapi-ai/server-sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { simpleEngines } from '../../../tests/support/voice/simple-engines.ts';
import { type CallRecord, eventually, voiceApi } from '../../../tests/support/voice/voice-calls.ts';
import type { CallContext } from '../engines/engines.server.ts';

let app: TestApp;
let client: VapiClient;
const opened: CallContext[] = [];
beforeAll(async () => {
  const engines = simpleEngines();
  app = await startTestApp({
    voiceEngines: {
      ...engines,
      openDialogue(call) {
        opened.push(call);
        return engines.openDialogue(call);
      },
    },
  });
  client = new VapiClient({
    token: app.resources.keys.voice_private_key,
    baseUrl: `${app.url}/voice/v1`,
    maxRetries: 0,
  });
});
afterAll(() => app.close());

const user = (content: string) => ({ role: 'user', content }) as const;
const judged = (type: 'exact' | 'regex', content: string, more: object = {}) =>
  ({ role: 'assistant', judgePlan: { type, content }, ...more }) as const;
const assistant = { name: 'Tested', firstMessage: 'Hello from the desk.' };

/** Holds a conversation with an assistant, and returns its run once it is over. */
async function held(messages: readonly object[], target: object = { assistant }): Promise<CallRecord> {
  const made = await voiceApi(app, 'POST', '/eval/run', {
    type: 'eval',
    eval: { type: 'chat.mockConversation', messages },
    target: { type: 'assistant', ...target },
  });
  expect(made).toMatchObject({ status: 201, body: { type: 'eval', status: 'running', results: [] } });
  return eventually('the run is over', async () => {
    const { body } = await voiceApi(app, 'GET', `/eval/run/${made.body.id}`);
    return body.status === 'ended' ? body : undefined;
  });
}

test('the server SDK keeps evals, runs one and reads what came of it', async () => {
  const kept = await client.assistants.create(assistant);
  const made = await client.eval.evalControllerCreate({
    type: 'chat.mockConversation',
    name: 'Prices',
    messages: [user('the audit'), { role: 'assistant', judgePlan: { type: 'regex', content: 'free' } }],
  });
  expect((await client.eval.evalControllerGet({ id: made.id })).name).toBe('Prices');
  const renamed = await client.eval.evalControllerUpdate({ id: made.id, name: 'The price' });
  expect(renamed).toMatchObject({ name: 'The price', messages: made.messages });
  const listed = await client.eval.evalControllerGetPaginated({ limit: 1 });
  expect([listed.results.map(({ id }) => id), listed.metadata.totalItems]).toEqual([[made.id], 1]);
  expect((await client.eval.evalControllerGetPaginated({ createdAtGt: made.createdAt })).results).toEqual([]);

  const run = (await client.eval.evalControllerRun({
    type: 'eval',
    evalId: made.id,
    target: { type: 'assistant', assistantId: kept.id },
  })) as unknown as { id: string };
  const over = await eventually('the run is over', async () => {
    const found = await client.eval.evalControllerGetRun({ id: run.id });
    return found.status === 'ended' ? found : undefined;
  });
  expect(over).toMatchObject({
    evalId: made.id,
    endedReason: 'mockConversation.done',
    assistantVersion: 1,
    results: [
      {
        status: 'pass',
        messages: [
          { role: 'assistant', content: 'Hello from the desk.' },
          { role: 'user', content: 'the audit' },
          {
            role: 'assistant',
            content: expect.stringContaining('The audit is free'),
            judged: { fault: null },
          },
        ],
      },
    ],
  });
  expect((await client.eval.evalControllerGetRunsPaginated({})).results.map(({ id }) => id)).toEqual([
    run.id,
  ]);
  await client.eval.evalControllerRemove({ id: made.id });
  // The run stays when its test is deleted.
  expect((await client.eval.evalControllerGetRun({ id: run.id })).results).toHaveLength(1);
  await client.eval.evalControllerRemoveRun({ id: run.id });
  await expect(client.eval.evalControllerGetRun({ id: run.id })).rejects.toMatchObject({ statusCode: 404 });
});

test('a reply that is not as it should be fails the run and says why; the first failure may end it', async () => {
  const lines = [
    judged('exact', 'Hello from the desk.'),
    user('the audit'),
    judged('regex', 'ten pounds'),
    user('please take my enquiry'),
    { role: 'assistant', judgePlan: { type: 'exact', toolCalls: [{ name: 'take_enquiry' }] } },
  ];
  const { results } = await held(lines);
  expect(results[0].status).toBe('fail');
  const faults = results[0].messages.flatMap(({ judged: one }: CallRecord) =>
    one === undefined ? [] : [one.fault],
  );
  expect(faults).toEqual([null, 'Nothing in the words is matched by ten pounds', null]);
  const stops = lines.with(
    2,
    judged('regex', 'ten pounds', { continuePlan: { exitOnFailureEnabled: true } }),
  );
  const short = await held(stops);
  expect(short.results[0].messages.at(-1).judged.fault).toContain('ten pounds');
});

test('a conversation is a rehearsal: tools get prepared answers, and what cannot go on says so', async () => {
  await held([user('hello'), { role: 'tool', content: '14 tables' }, judged('regex', 'hello')]);
  const { rehearsal } = opened.at(-1) ?? {};
  expect([rehearsal?.answer(), rehearsal?.answer()]).toEqual(['14 tables', undefined]);
  const over = await held([user('goodbye'), judged('regex', 'Goodbye'), user('still there')]);
  expect(over).toMatchObject({
    endedReason: 'error',
    endedMessage: 'The assistant hung up before “still there” was said.',
    results: [{ status: 'fail' }],
  });
  const { database } = app.resources;
  expect(await database.many("select id from private.voice_records where kind = 'call'")).toEqual([]);
});

test('a described assistant’s keys are encrypted while its run waits, and gone when it is over', async () => {
  const server = { url: 'https://one.example/hook', secret: 'run-secret' };
  const run = await held([user('hello'), judged('regex', 'hello')], { assistant: { ...assistant, server } });
  const { body, secrets } = await app.resources.database.one(
    'select body, secrets from private.voice_eval_runs where id = $1',
    [run.id],
  );
  expect([JSON.stringify(body).includes('run-secret'), secrets]).toEqual([false, null]);
  expect(opened.at(-1)?.assistant.server).toEqual(server);
});

test('what is not offered is refused by name: other judges, given replies, squads, bad expressions', async () => {
  const refusal = async (messages: readonly object[]): Promise<string> => {
    const answer = await voiceApi(app, 'POST', '/eval', { type: 'chat.mockConversation', messages });
    expect(answer.status).toBe(400);
    return answer.body.message;
  };
  expect(await refusal([user('a')])).toContain('must judge at least one reply');
  const ai = { role: 'assistant', judgePlan: { type: 'ai', model: {} } };
  expect(await refusal([user('a'), ai])).toContain('no language model judges here');
  expect(await refusal([user('a'), { role: 'assistant', content: 'b' }])).toContain('use judgePlan');
  expect(await refusal([user('a'), judged('regex', '(?<=a)b')])).toContain('is no expression of RE2');
  expect(await refusal([user('a'), { role: 'assistant', judgePlan: { type: 'exact' } }])).toContain(
    'needs content or toolCalls',
  );
  const squad = await voiceApi(app, 'POST', '/eval/run', {
    type: 'eval',
    evalId: app.resources.keys.voice_assistant_id,
    target: { type: 'squad', squadId: app.resources.keys.voice_assistant_id },
  });
  expect(squad.body.message).toContain('a squad is tested by its members');
  const target = { type: 'assistant', assistantId: app.resources.keys.voice_assistant_id };
  const nothing = { type: 'eval', evalId: app.resources.keys.voice_assistant_id, target };
  expect((await voiceApi(app, 'POST', '/eval/run', nothing)).status).toBe(404);
  for (const path of ['/eval/simulation', '/eval/simulation/run', '/test-suite'])
    expect((await voiceApi(app, 'GET', path)).body.code, path).toBe('not_offered');
});

test('versions of an assistant are listed, read and brought back at the published paths', async () => {
  const made = await voiceApi(app, 'POST', '/assistant', { name: 'One' });
  const at = `/assistant/${made.body.id}`;
  for (const name of ['Two', 'Three']) await voiceApi(app, 'PATCH', at, { name });
  const first = await voiceApi(app, 'GET', `${at}/versions?limit=2&includeDeleted=false`);
  expect(first.body.results.map(({ version, name }: CallRecord) => [version, name])).toEqual([
    ['3', 'Three'],
    ['2', 'Two'],
  ]);
  const { nextCursor, ...more } = first.body.metadata;
  expect(more).toEqual({ hasNextPage: true, limit: 2 });
  const rest = await voiceApi(app, 'GET', `${at}/versions?cursor=${encodeURIComponent(nextCursor)}`);
  expect(rest.body).toMatchObject({
    results: [{ version: '1', name: 'One' }],
    metadata: { nextCursor: null },
  });
  expect((await voiceApi(app, 'GET', `${at}/versions/2`)).body).toMatchObject({
    name: 'Two',
    assistantId: made.body.id,
  });
  expect(await voiceApi(app, 'POST', `${at}/restore/1`)).toMatchObject({
    status: 201,
    body: { name: 'One' },
  });
  expect((await voiceApi(app, 'GET', at)).body.name).toBe('One');
  expect((await voiceApi(app, 'GET', `${at}/versions`)).body.results).toHaveLength(4);
  for (const [path, status] of [
    [`${at}/versions/9`, 404],
    [`${at}/versions?cursor=x`, 400],
    [`/assistant/${app.resources.keys.voice_org_id}/versions`, 404],
  ] as const)
    expect((await voiceApi(app, 'GET', path)).status, path).toBe(status);
  expect((await voiceApi(app, 'DELETE', `${at}/versions/1`)).body.code).toBe('not_offered');
});
