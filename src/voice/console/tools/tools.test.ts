import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { claims } from '../../../../tests/support/claims.ts';
import {
  askConsole,
  newOperator,
  type TestAccount,
} from '../../../../tests/support/customers/operator-client.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { simpleEngines } from '../../../../tests/support/voice/simple-engines.ts';
import { greetedCall, voiceApi } from '../../../../tests/support/voice/voice-calls.ts';
import type {
  CredentialsPage,
  CredentialTrial,
  ToolDetail,
  ToolDraft,
  ToolsPage,
  ToolTrial,
} from './tools.contract.ts';

const NOBODY = '00000000-0000-4000-8000-000000000000';

/** What the server was asked, and what it answers at each path. */
const asked: { url: string; headers: Record<string, unknown>; body: string }[] = [];
const ANSWERS: Readonly<Record<string, (id: string) => { status?: number; body: unknown }>> = {
  '/stock': (id) => ({ body: { results: [{ toolCallId: id, result: { stock: 'forty two boxes' } }] } }),
  '/said': (id) => ({
    body: {
      results: [
        { toolCallId: id, result: 42, message: { type: 'request-complete', content: 'We have plenty.' } },
      ],
    },
  }),
  '/weather?place=York': () => ({ body: { weather: 'rain' } }),
  '/broken': () => ({ status: 500, body: 'no' }),
  '/v1/models': () => ({ body: { data: [] } }),
  '/refuses/models': () => ({ status: 401, body: {} }),
  '/odd/models': () => ({ status: 404, body: {} }),
  '/v1/projects': () => ({ body: {} }),
};
const server = createServer((request, reply) => {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => {
    const body = Buffer.concat(pieces).toString();
    const { url = '', headers } = request;
    asked.push({ url, headers, body });
    const { message } = body === '' ? {} : JSON.parse(body);
    const { status = 200, body: answer } = ANSWERS[url]?.(message?.toolCallList?.[0]?.id) ?? {
      status: 404,
      body: {},
    };
    reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
});

let app: TestApp;
let owner: TestAccount;
let host: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  app = await startTestApp({ voiceEngines: simpleEngines(), settings: { OUTBOUND_ALLOW_HOSTS: host } });
  owner = await newOperator(app);
});
afterAll(async () => {
  await app?.close();
  server.closeAllConnections();
  server.close();
});

const at = (path: string): string => `http://${host}${path}`;
const ask = <T>(name: string, body?: object, account = owner): Promise<T> =>
  askConsole<T>(name, account, body);
const SCHEMA = JSON.stringify({
  type: 'object',
  properties: { item: { type: 'string' }, count: { type: 'integer' } },
});
const DRAFT: ToolDraft = {
  ...{ type: 'function', name: 'get_stock', description: 'How much there is.', method: 'POST' },
  ...{ url: at(''), parameters: SCHEMA },
};
const draft = (more: Partial<ToolDraft>): ToolDraft => ({ ...DRAFT, url: at('/stock'), ...more });
const save = async (body: ToolDraft, more: object = {}): Promise<string> =>
  (await ask<{ id: string }>('save-tool', { id: null, draft: body, ...more })).id;
const actionsOn = async (subject: string): Promise<unknown[]> =>
  (
    await app.resources.database.many(
      'select action from private.operator_audit where subject = $1 order by id',
      [subject],
    )
  ).map(({ action }) => action);

test('a tool is made, found, tried, changed and deleted, and its secret is sent and never shown', async () => {
  claims(
    'It is written here and never shown.',
    'Left empty, the present one stays; another host loses it.',
    'What the server does is real.',
  );
  const id = await save(draft({}), { secret: 'very-secret' });
  const { rows } = await ask<ToolsPage>('tools?q=get_stock');
  expect(rows.map((row) => [row.id, row.name, row.type])).toEqual([[id, 'get_stock', 'function']]);
  const detail = await ask<ToolDetail>(`tool?id=${id}`);
  expect(JSON.parse(detail.example ?? '')).toEqual({ item: 'text', count: 1 });
  expect(detail.draft).toMatchObject({ ...draft({}), parameters: expect.any(String) });
  expect(JSON.stringify(detail)).not.toContain('very-secret');

  const trial = await ask<ToolTrial>('try-tool', { id, given: '{"item":"lamp","count":2}' });
  expect(trial).toMatchObject({ failed: false, said: ['Stock: forty two boxes.'] });
  expect(JSON.parse(trial.answer)).toEqual({ stock: 'forty two boxes' });
  const last = asked.at(-1);
  expect(last?.headers['x-vapi-secret']).toBe('very-secret');
  expect(JSON.parse(last?.body ?? '').message.toolCallList[0].function).toEqual({
    ...{ name: 'get_stock', arguments: { item: 'lamp', count: 2 } },
  });

  // The same host keeps the secret, another one does not get it.
  await ask('save-tool', { id, draft: draft({ url: at('/said') }) });
  expect(await ask('try-tool', { id, given: '' })).toMatchObject({ said: ['We have plenty.'], answer: '42' });
  expect(asked.at(-1)?.headers['x-vapi-secret']).toBe('very-secret');
  await ask('save-tool', { id, draft: draft({ url: 'https://other.example/stock' }) });
  await ask('save-tool', { id, draft: draft({}) });
  await ask('try-tool', { id, given: '' });
  expect(asked.at(-1)?.headers['x-vapi-secret']).toBeUndefined();

  expect(await ask('delete-tool', { id })).toEqual({ done: true });
  expect((await voiceApi(app, 'GET', `/tool/${id}`)).status).toBe(404);
  expect(await actionsOn(id)).toEqual([
    ...['tool.create', 'tool.try', 'tool.save', 'tool.try', 'tool.save', 'tool.save', 'tool.try'],
    'tool.delete',
  ]);
});

test('a request with a secret header is tried; fields that the form does not have stay', async () => {
  const body = { type: 'object', properties: { place: { type: 'string', example: 'York' } } };
  const { body: made } = await voiceApi(app, 'POST', '/tool', {
    ...{ type: 'apiRequest', name: 'get_weather', url: at('/weather?place={{place}}'), method: 'GET', body },
    messages: [{ type: 'request-start', content: 'One moment.' }],
  });
  const detail = await ask<ToolDetail>(`tool?id=${made.id}`);
  expect(detail.example).toBe(JSON.stringify({ place: 'York' }, null, 2));
  await ask('save-tool', {
    id: made.id,
    draft: { ...detail.draft, description: 'Rain?' },
    secret: 'Bearer abc',
  });
  const trial = await ask<ToolTrial>('try-tool', { id: made.id, given: detail.example ?? '' });
  expect(trial).toMatchObject({ failed: false, said: ['One moment.', 'Weather: rain.'] });
  expect(asked.at(-1)).toMatchObject({
    url: '/weather?place=York',
    headers: { authorization: 'Bearer abc' },
  });
  expect((await voiceApi(app, 'GET', `/tool/${made.id}`)).body).toMatchObject({
    ...{ description: 'Rain?', messages: [{ type: 'request-start', content: 'One moment.' }] },
  });
});

test('attack 36: what fails is told with what a caller hears, and our own network is not asked', async () => {
  const broken = await save(draft({ url: at('/broken') }));
  expect(await ask('try-tool', { id: broken, given: '{}' })).toMatchObject({
    ...{ failed: true, said: ['I am sorry, that did not work just now.'] },
  });
  const before = asked.length;
  const inside = await save(draft({ url: `http://127.0.0.1:${app.resources.settings.PORT || 9}/` }));
  expect(await ask('try-tool', { id: inside, given: '{}' })).toMatchObject({ failed: true });
  expect(asked).toHaveLength(before);
  claims('The platform’s API makes and changes tools of this type.');
  const { body: ends } = await voiceApi(app, 'POST', '/tool', { type: 'endCall', name: 'hang up' });
  expect(await ask(`tool?id=${ends.id}`)).toMatchObject({ draft: null, example: null });
  for (const [name, body, error] of [
    ['try-tool', { id: ends.id, given: '{}' }, { code: 'only_in_calls' }],
    ['try-tool', { id: NOBODY, given: '{}' }, { status: 404 }],
    ['try-tool', { id: inside, given: 'lamp' }, { status: 400 }],
    ['save-tool', { id: ends.id, draft: draft({}) }, { code: 'not_edited' }],
    ['save-tool', { id: null, draft: draft({ parameters: '[1]' }) }, { status: 400 }],
    ['save-tool', { id: null, draft: draft({ name: 'two words' }) }, { status: 400 }],
    ['save-tool', { id: null, draft: draft({ type: 'apiRequest', url: '' }) }, { status: 400 }],
    ['save-tool', { id: NOBODY, draft: draft({}) }, { status: 404 }],
    ['delete-tool', { id: NOBODY }, { status: 404 }],
  ] as const)
    await expect(ask(name, body), JSON.stringify(body)).rejects.toMatchObject(error);
});

test('an assistant whose tool was deleted takes its calls without it', async () => {
  claims('Assistants go on without it.');
  const id = await save(draft({ name: 'opening' }));
  const model = { provider: 'embedded', toolIds: [id] };
  const { body } = await voiceApi(app, 'POST', '/assistant', { firstMessage: 'Hello.', model });
  await ask('delete-tool', { id });
  const call = await greetedCall(app, { assistantId: body.id });
  call.peer.send(JSON.stringify({ type: 'end-call' }));
  expect((await call.over()).transcript).toBe('AI: Hello.\n');
  await call.peer.close();
});

test('credentials are for owners: keys are written, tried without a charge, and never shown', async () => {
  claims(
    'Keys of the providers that assistants name.',
    'They are written here and never shown.',
    'It asks the provider for a list that every key may read.',
  );
  const staff = await newOperator(app, 'staff');
  await expect(ask('credentials', undefined, staff)).rejects.toMatchObject({ code: 'role_too_low' });
  const made = await ask<{ id: string }>('save-credential', {
    ...{ id: null, provider: 'openai', name: 'Ours', key: 'sk-first', url: at('/v1/chat/completions') },
  });
  const { rows, providers } = await ask<CredentialsPage>('credentials?q=ours');
  expect(rows).toEqual([
    { id: made.id, provider: 'openai', name: 'Ours', updated_at: expect.any(String), can_try: true },
  ]);
  expect(providers).toEqual(expect.arrayContaining(['openai', 'deepgram', 'vonage']));
  expect(JSON.stringify(rows)).not.toMatch(/sk-first|127\.0\.0\.1/);

  const sentence = async (id: string): Promise<unknown> =>
    (await ask<CredentialTrial>('try-credential', { id })).results[0];
  expect(await sentence(made.id)).toEqual({ ok: true, sentence: 'openai accepts the key.' });
  expect(asked.at(-1)).toMatchObject({ url: '/v1/models', headers: { authorization: 'Bearer sk-first' } });
  // A new key; the name is taken away, the address stays.
  await ask('save-credential', { id: made.id, provider: 'openai', name: '', key: 'sk-second' });
  await sentence(made.id);
  expect(asked.at(-1)).toMatchObject({ url: '/v1/models', headers: { authorization: 'Bearer sk-second' } });
  // A key is never sent to an address that it was not written for.
  const moved = { id: made.id, provider: 'openai', name: '', url: at('/refuses') };
  await expect(ask('save-credential', moved)).rejects.toMatchObject({ status: 400 });
  await ask('save-credential', { ...moved, key: 'sk-third' });
  expect(await sentence(made.id)).toEqual({ ok: false, sentence: 'openai refuses the key (401).' });
  claims('The platform’s API makes and changes credentials of this provider.');
  const trunk = { provider: 'byo-sip-trunk', gateways: [{ ip: '192.0.2.7' }] };
  const { body: sip, status } = await voiceApi(app, 'POST', '/credential', trunk);
  expect(status).toBe(201);
  expect((await ask<CredentialsPage>(`credentials?q=${sip.id}`)).rows[0]).toMatchObject({ can_try: false });
  await expect(
    ask('save-credential', { id: sip.id, provider: 'byo-sip-trunk', name: '', key: 'x' }),
  ).rejects.toMatchObject({ status: 400 });
  expect((await voiceApi(app, 'PATCH', `/credential/${sip.id}`, { name: 'Line' })).status).toBe(200);
  const heard = await ask<{ id: string }>('save-credential', {
    ...{ id: null, provider: 'deepgram', name: '', key: 'dg', url: at('/v1/listen').replace('http', 'ws') },
  });
  expect(await sentence(heard.id)).toEqual({ ok: true, sentence: 'deepgram accepts the key.' });
  expect(asked.at(-1)?.headers.authorization).toBe('Token dg');

  await expect(
    ask('save-credential', { id: made.id, provider: 'groq', name: '', key: 'x' }),
  ).rejects.toMatchObject({ code: 'other_provider' });
  await expect(
    ask('save-credential', { id: null, provider: 'openai', name: '', key: '' }),
  ).rejects.toMatchObject({ status: 400 });
  await ask('delete-credential', { id: made.id });
  await expect(ask('delete-credential', { id: made.id })).rejects.toMatchObject({ status: 404 });
  expect(await actionsOn(made.id)).toEqual([
    ...['credential.create', 'credential.try', 'credential.save', 'credential.try', 'credential.save'],
    ...['credential.try', 'credential.delete'],
  ]);
});
