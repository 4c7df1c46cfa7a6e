import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { uncheckedSql } from '../../src/kernel/resources/database/fixed-sql.ts';
import { newClient, signUpPerson } from '../support/customers/auth-client.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { ENDLESS_INPUT } from './endless-input.ts';

let app: TestApp;
let bearer: string;
beforeAll(async () => {
  app = await startTestApp();
  await app.resources.database.run(
    uncheckedSql(
      `
    create table public.letters (id int primary key, body text, data jsonb);
    insert into public.letters values (1, 'one', '{}');
    grant all on public.letters to anon, authenticated, service_role;
    create function public.echo(given jsonb) returns jsonb language sql as 'select given'`,
      'command',
    ),
  );
  bearer = (await signUpPerson(app)).session.access_token;
});
afterAll(() => app.close());

const send = (path: string, init: RequestInit = {}) =>
  fetch(app.url + path, {
    ...init,
    headers: {
      apikey: app.anonKey,
      authorization: `Bearer ${bearer}`,
      'content-type': 'application/json',
      ...init.headers,
    },
  });

test('attack 21: order, select and filter reach only columns of the rows that the caller may see', async () => {
  const hostile = [
    'order=id;drop table letters',
    'order=(select password from auth.users)',
    'select=id,auth.users(email)',
    'select=id,body:encrypted_password.from.auth.users',
    'select=pg_sleep(10)',
    'id=eq.1) or (1=1',
    "body=like.%25' or '1'='1",
    'or=(id.eq.2,id.in.(select))',
    'limit=1;select 1',
    'on_conflict=id) do update set body=(select 1',
  ];
  for (const query of hostile) {
    const reply = await send(`/rest/v1/letters?${query}`);
    const text = await reply.text();
    expect(reply.status, `${query}: ${text}`).toBeLessThan(500);
    if (reply.ok) expect(JSON.parse(text).length, query).toBeLessThanOrEqual(1);
    else expect(text).not.toMatch(/encrypted_password"|\$2|argon2/);
  }
  expect(await (await send('/rest/v1/letters?select=id')).json()).toEqual([{ id: 1 }]);
});

test('attack 29: JSON that pretends to be a parsed form, and a form without a file, store nothing', async () => {
  const path = '/storage/v1/object/user-uploads/x/y.pdf';
  const forged = JSON.stringify({
    files: [{ filepath: '/etc/passwd', originalFilename: 'a.pdf' }],
    file: { path: '/etc/passwd' },
  });
  for (const [type, body] of [
    ['application/json', forged],
    ['application/json; boundary=x', forged],
    ['multipart/form-data', forged],
    [
      'multipart/form-data; boundary=x',
      '--x\r\ncontent-disposition: form-data; name="file[filepath]"\r\n\r\n/etc/passwd\r\n--x--\r\n',
    ],
  ] as const) {
    const reply = await send(path, { method: 'POST', body, headers: { 'content-type': type } });
    expect(reply.status, type).toBe(400);
    expect(await reply.text()).not.toContain('root:');
  }
  const { database } = app.resources;
  expect(await database.many("select 1 from storage.objects where bucket_id = 'user-uploads'")).toEqual([]);
});

test('attack 30: a thousand overlapping ranges are one answer, and slow senders hold up nobody', async () => {
  const service = { apikey: app.serviceKey, authorization: `Bearer ${app.serviceKey}` };
  await send('/storage/v1/bucket', {
    method: 'POST',
    headers: service,
    body: '{"id":"r","name":"r","public":true}',
  });
  const stored = await send('/storage/v1/object/r/a.txt', {
    method: 'POST',
    body: 'x'.repeat(10_000),
    headers: { ...service, 'content-type': 'text/plain' },
  });
  expect(stored.status).toBe(200);
  const ranges = Array.from({ length: 1000 }, (_, at) => `${at % 10}-`).join(',');
  const reply = await fetch(`${app.url}/storage/v1/object/public/r/a.txt`, {
    headers: { range: `bytes=${ranges}` },
  });
  expect((await reply.arrayBuffer()).byteLength).toBeLessThanOrEqual(10_000);

  const { hostname, port } = new URL(app.url);
  const slow = Array.from({ length: 200 }, () => {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    socket.write(
      `POST /auth/v1/signup HTTP/1.1\r\nhost: x\r\napikey: ${app.anonKey}\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{`,
    );
    return socket;
  });
  try {
    for (let turn = 0; turn < 20; turn += 1) expect((await send('/rest/v1/letters')).status).toBe(200);
  } finally {
    for (const socket of slow) socket.destroy();
  }
});

const POLLUTED = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}';

test('attack 47: prototypes in JSON, queries, forms and metadata change nothing', async () => {
  const body = JSON.parse(POLLUTED) as object;
  const requests: [string, RequestInit][] = [
    ['/auth/v1/signup', { method: 'POST', body: POLLUTED }],
    ['/auth/v1/user', { method: 'PUT', body: `{"data":${POLLUTED}}` }],
    ['/auth/v1/token?grant_type=password&__proto__[polluted]=1', { method: 'POST', body: POLLUTED }],
    ['/rest/v1/letters?__proto__[polluted]=eq.1&constructor.prototype.polluted=eq.1', {}],
    ['/rest/v1/letters', { method: 'POST', body: `[{"id":9,"data":${POLLUTED}},${POLLUTED}]` }],
    [
      '/rest/v1/letters',
      { method: 'POST', body: '__proto__,id\n1,8', headers: { 'content-type': 'text/csv' } },
    ],
    ['/rest/v1/rpc/echo', { method: 'POST', body: `{"given":${POLLUTED}}` }],
    ['/rest/v1/rpc/echo?__proto__=1', {}],
    ['/functions/v1/enquiry', { method: 'POST', body: POLLUTED }],
    ['/realtime/v1/api/broadcast', { method: 'POST', body: `{"messages":[${POLLUTED}]}` }],
    ['/storage/v1/object/list/user-uploads', { method: 'POST', body: POLLUTED }],
    [
      '/storage/v1/object/user-uploads/__proto__/constructor',
      {
        method: 'POST',
        body: 'x',
        headers: { 'content-type': 'text/plain', 'x-metadata': Buffer.from(POLLUTED).toString('base64') },
      },
    ],
    [
      '/auth/v1/verify',
      {
        method: 'POST',
        body: '__proto__[polluted]=1&constructor[prototype][polluted]=1&token=x&type=signup',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      },
    ],
  ];
  for (const [path, init] of requests) {
    expect((await send(path, init)).status, path).toBeLessThan(500);
  }
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect(body).not.toHaveProperty('polluted');
  const kept = await newClient(app).rpc('echo', { given: { a: 1 } });
  expect(kept.data).toEqual({ a: 1 });
});

test.each(ENDLESS_INPUT)(
  'attack 48: nested, repeated and endless input is refused: %s',
  async (_name, path, init) => {
    expect((await send(path, init)).status).toBeLessThan(500);
  },
);
