import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { loadKeys } from '../../kernel/resources/crypto/keys.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: replies of every shape are looked into
  readonly body: any;
}

async function send(
  method: string,
  at: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const reply = await fetch(`${app.url}/voice/v1${at}`, {
    method,
    headers: {
      authorization: `Bearer ${app.resources.keys.voice_private_key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: reply.status, body: await reply.json() };
}

const asBrowser = (origin = app.url): Record<string, string> => ({
  authorization: `Bearer ${app.resources.keys.voice_public_key}`,
  origin,
});
const ABSENT = '3f0f43a6-4f0a-4c39-8a51-0d9a7d6a3c11';

test('a call is started with null where a client names nothing', async () => {
  const assistantId = app.resources.keys.voice_assistant_id;
  const nulls = { assistant: null, assistantOverrides: null, squad: null, squadId: null };
  const { status, body } = await send('POST', '/call/web', { ...nulls, assistantId }, asBrowser());
  expect([status, body.assistantId]).toEqual([201, assistantId]);
  expect(body).not.toHaveProperty('assistantOverrides');
  expect((await send('DELETE', `/call/${body.id}`)).status).toBe(200);
  expect(await send('POST', '/call/web', { ...nulls, assistantId: null })).toMatchObject({
    status: 400,
    body: { message: 'Assistant or Squad must be provided.' },
  });
});

test('PUT replaces an assistant and PATCH with null removes a field', async () => {
  const { body: made } = await send('POST', '/assistant', {
    name: 'A',
    firstMessage: 'Hi',
    endCallMessage: 'Bye',
  });
  const patched = await send('PATCH', `/assistant/${made.id}`, { endCallMessage: null });
  expect(patched.body).not.toHaveProperty('endCallMessage');
  expect(patched.body.firstMessage).toBe('Hi');
  const put = await send('PUT', `/assistant/${made.id}`, { name: 'B' });
  expect(put.body).toMatchObject({ name: 'B', silenceTimeoutSeconds: 30 });
  expect(put.body).not.toHaveProperty('firstMessage');
});

test.each([
  ['/assistant', { silenceTimeoutSeconds: 9 }, 'silenceTimeoutSeconds'],
  ['/assistant', { surprise: true }, 'surprise'],
  ['/assistant', { model: { messages: [] } }, 'model.provider'],
  ['/assistant', { artifactPlan: { videoRecordingEnabled: 'yes' } }, 'artifactPlan.videoRecordingEnabled'],
  ['/squad', { members: [] }, 'members'],
  ['/tool', { type: 'function' }, 'function'],
  ['/credential', { provider: 'openai' }, 'holds no key'],
  ['/phone-number/buy', { areaCode: '1' }, 'areaCode'],
  ['/phone-number', { provider: 'vapi', sipUri: 'sip:me@example.com' }, 'sipUri'],
  ['/phone-number', { provider: 'vapi', hooks: [{ on: 'call.ringing', do: [] }] }, 'hooks'],
  ['/call/web', {}, 'Assistant or Squad must be provided.'],
])('POST %s with %j is refused and says why', async (at, body, words) => {
  const { status, body: said } = await send('POST', at, body);
  expect(status).toBe(400);
  expect(said).toMatchObject({ statusCode: 400, error: 'Bad Request', code: 'validation_failed' });
  expect(said.message).toContain(words);
});

test('what does not exist cannot be named', async () => {
  for (const [at, body] of [
    ['/assistant', { model: { provider: 'openai', toolIds: [ABSENT] } }],
    ['/squad', { members: [{ assistantId: ABSENT }] }],
    ['/phone-number/buy', { areaCode: '212', assistantId: ABSENT }],
    ['/call/web', { assistantId: ABSENT }],
  ] as const) {
    const { status, body: said } = await send('POST', at, body);
    expect([status, said.code]).toEqual([400, 'unknown_reference']);
  }
});

test('a bought number has its address in every answer, also of a change', async () => {
  const made = await send('POST', '/phone-number', { provider: 'vapi', hooks: [], workflowId: null });
  expect(made.body.sipUri).toMatch(/^sip:/);
  const changed = await send('PATCH', `/phone-number/${made.body.id}`, { name: 'Desk' });
  expect(changed.body).toMatchObject({ name: 'Desk', sipUri: made.body.sipUri });
  await send('DELETE', `/phone-number/${made.body.id}`);
});

test('secrets are written, encrypted and never shown', async () => {
  const secret = 'sk-very-secret-text-5521';
  const made = await send('POST', '/credential', { provider: 'openai', name: 'Main', apiKey: secret });
  expect(made.body).toMatchObject({ provider: 'openai', name: 'Main' });
  const renamed = await send('PATCH', `/credential/${made.body.id}`, { name: 'Renamed' });
  expect(renamed.body).toMatchObject({ provider: 'openai', name: 'Renamed' });
  const assistant = await send('POST', '/assistant', {
    serverUrl: 'https://events.example/in',
    serverUrlSecret: secret,
    server: { url: 'https://events.example/in', headers: { 'x-team': secret } },
    metadata: { secret: 'a word of the caller' },
  });
  expect(assistant.body.metadata).toEqual({ secret: 'a word of the caller' });
  for (const at of [
    '/credential',
    '/assistant',
    `/credential/${made.body.id}`,
    `/assistant/${assistant.body.id}`,
  ]) {
    expect(JSON.stringify(await send('GET', at))).not.toContain(secret);
  }
  const stored = () =>
    app.resources.database.one('select secrets, body from private.voice_records where id = $1', [
      assistant.body.id,
    ]);
  const before = await stored();
  expect(JSON.stringify(before)).not.toContain(secret);
  expect(before.secrets).not.toBeNull();
  await send('PATCH', `/assistant/${assistant.body.id}`, { name: 'Kept' });
  expect((await stored()).secrets).not.toBeNull();
  await send('PUT', `/assistant/${assistant.body.id}`, { name: 'Gone' });
  expect((await stored()).secrets).toBeNull();
});

test('lists are bounded by limit and by time', async () => {
  const made: string[] = [];
  for (const name of ['one', 'two', 'three']) {
    made.push((await send('POST', '/tool', { type: 'endCall', name })).body.createdAt);
    await new Promise((resolve) => setTimeout(resolve, 3));
  }
  expect((await send('GET', '/tool?limit=2')).body.map(({ name }: { name: string }) => name)).toEqual([
    'three',
    'two',
  ]);
  const later = await send('GET', `/tool?createdAtGt=${encodeURIComponent(made[0] ?? '')}`);
  expect(later.body.map(({ name }: { name: string }) => name)).toEqual(['three', 'two']);
  expect((await send('GET', `/tool?createdAtLt=${made[1]}&createdAtGe=${made[0]}`)).body).toHaveLength(1);
  expect((await send('GET', '/tool?limit=1001')).status).toBe(400);
  expect((await send('GET', '/tool?createdAtGt=yesterday')).body.message).toContain('createdAtGt');
  // A day begins at midnight in UTC.
  const today = made[0]?.slice(0, 10);
  expect((await send('GET', `/tool?createdAtGe=${today}`)).body.length).toBeGreaterThanOrEqual(3);
  expect((await send('GET', `/tool?createdAtLt=${today}`)).body).toEqual([]);
});

test('calls are listed by pages, named, read with their log, measured and deleted', async () => {
  const { id } = await app.resources.database.one(
    `insert into private.voice_records (kind, body) values ('call', $1) returning id`,
    [
      JSON.stringify({
        type: 'webCall',
        status: 'ended',
        cost: 0.5,
        startedAt: '2026-01-01T10:00:00Z',
        endedAt: '2026-01-01T10:03:00Z',
      }),
    ],
  );
  await app.resources.database.run(
    `insert into private.voice_call_logs (call_id, level, log) values ($1, 'INFO', 'first'), ($1, 'LOG', 'second')`,
    [id],
  );
  expect((await send('GET', '/call')).body.map((call: { id: string }) => call.id)).toEqual([id]);
  expect((await send('PATCH', `/call/${id}`, { name: 'Named' })).body.name).toBe('Named');
  expect((await send('PATCH', `/call/${id}`, { status: 'queued' })).status).toBe(400);
  expect((await send('GET', '/v2/call?limit=5&sortOrder=ASC')).body.metadata).toEqual({
    itemsPerPage: 5,
    totalItems: 1,
    currentPage: 1,
  });
  expect((await send('GET', '/log')).body.message).toContain('callId');
  const log = await send('GET', `/log?callId=${id}&limit=1&page=2&sortOrder=ASC`);
  expect(log.body).toMatchObject({
    results: [{ log: 'second', level: 'LOG', callId: id }],
    metadata: { totalItems: 2 },
  });
  const [metrics] = (await send('GET', '/metrics?timezone=Europe/London')).body;
  expect(metrics).toMatchObject({ bill: 0.5, callCount: '1', callMinutes: '3', callActive: '0' });
  await send('DELETE', `/call/${id}`, {});
  expect((await send('GET', `/call/${id}`)).status).toBe(404);
});

test('a call that no trunk leads to is refused with a clear word, and nothing is stored', async () => {
  const assistantId = app.resources.keys.voice_assistant_id;
  const phone = await send('POST', '/call/phone', { assistantId, customer: { number: '+442079460000' } });
  expect([phone.status, phone.body.code]).toEqual([422, 'no_trunk']);
  expect((await send('GET', '/call')).body).toEqual([]);
});

test('the public key starts calls of the own pages with the own assistant, and does nothing else', async () => {
  const assistantId = app.resources.keys.voice_assistant_id;
  const other = await send('POST', '/assistant', { name: 'Other' });
  for (const [method, at, body, headers] of [
    ['POST', '/call/web', { assistantId }, asBrowser('https://elsewhere.example')],
    ['POST', '/call/web', { assistantId }, { authorization: asBrowser().authorization ?? '' }],
    ['POST', '/call/web', { assistantId: other.body.id }, asBrowser()],
    ['POST', '/call/web', { assistant: { firstMessage: 'mine' } }, asBrowser()],
    ['POST', '/call/web', { assistantId, assistantOverrides: { firstMessage: 'mine' } }, asBrowser()],
    ['POST', '/call/web', { assistantId, assistantOverrides: { maxDurationSeconds: 3600 } }, asBrowser()],
    ['POST', '/call', { assistantId }, asBrowser()],
    ['POST', '/call/phone', { assistantId }, asBrowser()],
    ['POST', '/assistant', {}, asBrowser()],
    ['GET', '/assistant', undefined, asBrowser()],
    ['DELETE', `/assistant/${other.body.id}`, undefined, asBrowser()],
  ] as const) {
    const { status } = await send(method, at, body, headers);
    expect([at, body, status]).toEqual([at, body, 403]);
  }
  const named = { recordingEnabled: false, variableValues: { name: 'Ann' } };
  expect(
    (await send('POST', '/call/web', { assistantId, assistantOverrides: named }, asBrowser())).status,
  ).toBe(201);
  expect((await send('GET', '/assistant', undefined, { authorization: 'Bearer wrong' })).status).toBe(401);
});

test('the assistant of the site is there, is named in config.json and is not deleted', async () => {
  const config = (await (await fetch(`${app.url}/config.json`)).json()) as Record<string, string>;
  expect(config).toMatchObject({ voicePublicKey: app.resources.keys.voice_public_key });
  expect(JSON.stringify(config)).not.toContain(app.resources.keys.voice_private_key);
  const at = `/assistant/${config.voiceAssistantId}`;
  expect((await send('GET', at)).body.firstMessage).toContain('AI assistant');
  expect((await send('DELETE', at)).status).toBe(409);
});

test('the description names every mounted call and no other', async () => {
  const { body } = await send('GET', '/openapi.json');
  const described = Object.entries(body.paths as Record<string, object>).flatMap(([at, verbs]) =>
    Object.keys(verbs).map((verb) => `${verb.toUpperCase()} ${at}`),
  );
  const mounted = app.routes
    .filter((route) => route.includes(' /voice/v1/') && !/^(HEAD|OPTIONS) |openapi\.json/.test(route))
    .map((route) => route.replace('/voice/v1', '').replaceAll(/:(id|token|whom|name|version)/g, '{$1}'));
  expect(described.sort()).toEqual(mounted.sort());
});

test('a keys.json of before there were voice keys is completed in place, for good', async () => {
  const folder = app.resources.settings.DATA_DIR;
  const file = path.join(folder, 'keys.json');
  const whole = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  const old = Object.fromEntries(Object.entries(whole).filter(([name]) => !name.startsWith('voice_')));
  writeFileSync(file, JSON.stringify(old));
  const keys = await loadKeys(folder);
  expect(keys).toMatchObject(old);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(keys);
  expect(await loadKeys(folder)).toEqual(keys);
});

test('the description is printed and compressed once, and sent with an ETag', async () => {
  const at = `${app.url}/voice/v1/openapi.json`;
  const first = await fetch(at, {
    headers: { origin: 'https://example.org', 'accept-encoding': 'br, gzip' },
  });
  const etag = first.headers.get('etag') ?? '';
  expect([first.status, etag]).toEqual([200, expect.stringMatching(/^W\/"[\w-]{22}"$/)]);
  expect(first.headers.get('content-encoding')).toBe('gzip');
  expect(first.headers.get('vary')).toMatch(/accept-encoding/);
  const text = await first.text();
  expect((JSON.parse(text) as { openapi: string }).openapi).toBe('3.1.0');
  const plain = await fetch(at, { headers: { 'accept-encoding': 'identity' } });
  expect([plain.headers.get('content-encoding'), await plain.text()]).toEqual([null, text]);
  const again = await fetch(at, { headers: { 'if-none-match': etag } });
  expect([again.status, await again.text()]).toEqual([304, '']);
});
