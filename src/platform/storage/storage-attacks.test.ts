import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createCustomer,
  SMALL_PDF,
  storedFiles,
  type UploadingCustomer,
} from '../../../tests/support/customers/uploading-customer.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';

// The attacks on stored files in the project's list, by their numbers; neighbouring tests have more of each.

let app: TestApp;
let anna: UploadingCustomer;
let boris: UploadingCustomer;
let operator: SupabaseClient['storage'];

beforeAll(async () => {
  app = await startTestApp();
  anna = await createCustomer(app, 60);
  boris = await createCustomer(app, 60);
  operator = createClient(app.url, app.serviceKey).storage;
  await operator.createBucket('open', { public: true });
  await anna.upload('secret.txt', 'what only anna reads');
});
afterAll(() => app?.close());

function call(
  method: string,
  path: string,
  init: { as?: UploadingCustomer; headers?: object; body?: string } = {},
) {
  return fetch(`${app.url}/storage/v1/${path}`, {
    method,
    headers: { authorization: `Bearer ${(init.as ?? anna).token}`, ...init.headers },
    ...(init.body === undefined ? {} : { body: init.body }),
  });
}

describe('attack 21: another user’s file', () => {
  test.each([
    (id: string) => `object/user-uploads/${id}/secret.txt`,
    (id: string) => `object/authenticated/user-uploads/${id}/secret.txt`,
    (id: string) => `object/public/user-uploads/${id}/secret.txt`,
    (id: string) => `object/open/../user-uploads/${id}/secret.txt`,
    (id: string) => `object/open/..%2fuser-uploads%2f${id}%2fsecret.txt`,
    (id: string) => `object/user-uploads/x/..%2f${id}/secret.txt`,
    (id: string) => `object/user-uploads/%2e%2e/user-uploads/${id}/secret.txt`,
    (id: string) => `object/user-uploads/${id}%2fsecret.txt`,
    (id: string) => `object/user-uploads//${id}/secret.txt`,
    (id: string) => `object/info/user-uploads/${id}/secret.txt`,
    (id: string) => `render/image/authenticated/user-uploads/${id}/secret.txt`,
    (id: string) => `object/sign/user-uploads/${id}/secret.txt?token=${boris.token}`,
  ])('no address reads it: %s', async (address) => {
    const reply = await call('GET', address(anna.id), { as: boris });
    expect(reply.status).toBeGreaterThanOrEqual(400);
    expect(await reply.text()).not.toContain('what only anna reads');
  });

  test('no list, search, order or cursor reveals it', async () => {
    const ask = async (path: string, body: object) =>
      (
        await call('POST', path, {
          as: boris,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        })
      ).text();
    for (const prefix of [
      anna.id,
      `${anna.id}/`,
      '',
      '%',
      '_'.repeat(36),
      `${boris.id}/../${anna.id}`,
      "'; --",
    ]) {
      const search = { prefix, search: '%', sortBy: { column: 'name', order: 'asc' } };
      expect(await ask('object/list/user-uploads', search)).not.toContain(anna.id);
      expect(await ask('object/list-v2/user-uploads', { prefix, with_delimiter: true })).not.toContain(
        anna.id,
      );
    }
    for (const column of ['name desc, version', 'owner', "name' or true --", '__proto__']) {
      const refused = JSON.parse(await ask('object/list/user-uploads', { prefix: '', sortBy: { column } }));
      expect(refused).toMatchObject({ statusCode: '400', code: 'InvalidRequest' });
    }
  });
});

describe('attack 23: names', () => {
  test('that differ in case or in a final dot are different files, and a path never leaves its bucket', async () => {
    for (const [name, words] of [
      ['Case.txt', 'upper'],
      ['case.txt', 'lower'],
      ['case.txt.', 'dot'],
    ] as const) {
      await anna.takeCredit();
      expect(
        (await anna.bucket.upload(anna.path(name), words, { contentType: 'text/plain' })).error,
      ).toBeNull();
    }
    expect(await (await anna.bucket.download(anna.path('Case.txt'))).data?.text()).toBe('upper');
    expect(await (await anna.bucket.download(anna.path('case.txt.'))).data?.text()).toBe('dot');
    // Only the server chooses the names of files in the store.
    for (const id of await storedFiles(app, 'kept')) expect(id).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('attack 24: active content', () => {
  test.each([
    ['page.html', 'text/html', '<script>alert(1)</script>'],
    ['picture.svg', 'image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'],
    ['code.js', 'text/javascript', 'alert(1)'],
    [
      'form.xml',
      'application/xhtml+xml',
      '<html xmlns="http://www.w3.org/1999/xhtml"><script>alert(1)</script></html>',
    ],
    ['untyped', 'application/octet-stream', '<script>alert(1)</script>'],
    ['odd', 'text/html;charset=utf-7', '+ADw-script+AD4-'],
  ])('%s is served inert at every address', async (name, contentType, body) => {
    expect((await operator.from('open').upload(name, body, { contentType })).error).toBeNull();
    const signed = await operator.from('open').createSignedUrl(name, 60);
    const { publicUrl } = operator.from('open').getPublicUrl(name).data;
    for (const address of [
      publicUrl,
      `${publicUrl}?download=`,
      signed.data?.signedUrl ?? '',
      `${app.url}/storage/v1/object/open/${name}`,
    ]) {
      const { status, headers } = await fetch(address, { headers: { accept: 'text/html' } });
      expect(status).toBe(200);
      expect(headers.get('content-disposition')).toMatch(/^attachment;/);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none'/);
      expect(headers.get('content-type')).not.toContain('utf-7');
    }
  });
});

describe('attack 26: lengths that lie', () => {
  test.each([
    ['fewer bytes than declared', '5000'],
    ['more bytes than declared', '3'],
  ])('%s store nothing of the rest', async (_what, length) => {
    const { connect } = await import('node:net');
    await anna.takeCredit();
    const { hostname, port } = new URL(app.url);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    const name = anna.path(`lie-${length}.txt`);
    const head = [
      `POST /storage/v1/object/user-uploads/${name} HTTP/1.1`,
      ...[`host: ${hostname}`, `authorization: Bearer ${anna.token}`, 'content-type: text/plain'],
      ...[`content-length: ${length}`, 'connection: close'],
    ].join('\r\n');
    socket.end(`${head}\r\n\r\nten letters`);
    await new Promise((resolve) => socket.on('close', resolve).resume());
    const { data } = await anna.bucket.download(name);
    // The rest of the bytes is no request, so the connection is cut, perhaps together with the upload.
    const outcome = (await data?.text()) ?? 'nothing';
    expect(length === '3' ? ['nothing', 'ten'] : ['nothing']).toContain(outcome);
    await expect
      .poll(async () => (await anna.spendings()).at(-1))
      .toBe(outcome === 'nothing' ? 'returned' : 'stored');
  });
});

describe('attack 27: overwriting', () => {
  test.each(['true', 'TRUE', ' true', 'true, true', '1', 'false'])(
    'x-upsert: %j replaces nothing',
    async (upsert) => {
      await anna.takeCredit();
      for (const method of ['POST', 'PUT']) {
        const reply = await call(method, `object/user-uploads/${anna.path('secret.txt')}`, {
          headers: { 'x-upsert': upsert, 'content-type': 'text/plain' },
          body: 'replaced',
        });
        expect(reply.status).toBe(400);
      }
      expect(await (await anna.bucket.download(anna.path('secret.txt'))).data?.text()).toBe(
        'what only anna reads',
      );
    },
  );
});

describe('attack 28: signed addresses', () => {
  test('no changed character of the token and no second parameter makes one valid', async () => {
    const { data } = await anna.bucket.createSignedUrl(anna.path('secret.txt'), 60);
    const address = new URL(data?.signedUrl ?? '');
    const token = address.searchParams.get('token') ?? '';
    const [, , signature = ''] = token.split('.');
    const tried = Array.from({ length: 40 }, (_, step) => Math.floor((step / 40) * (token.length - 2)));
    for (const at of tried) {
      const changed = token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1);
      address.searchParams.set('token', changed);
      expect((await fetch(address)).status).toBe(400);
    }
    for (const odd of [
      token.replace(signature, ''),
      `${token}.${signature}`,
      token.toLowerCase(),
      '',
      '[]',
    ]) {
      address.searchParams.set('token', odd);
      expect((await fetch(address)).status).toBe(400);
    }
    address.searchParams.set('token', token);
    expect((await fetch(address)).status).toBe(200);
    address.searchParams.append('token', token);
    expect((await fetch(address)).status).toBe(400);
  });
});

describe('attacks 29, 47 and 48: bodies', () => {
  test('a parsed form, polluted and endless JSON are refused or inert', async () => {
    const json = { 'content-type': 'application/json' };
    const nested = '['.repeat(500_000) + ']'.repeat(500_000);
    const bodies = [
      '{"files[x].filepath":"/etc/passwd","files":[{"filepath":"/etc/passwd"}]}',
      '{"prefix":"","__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
      `{"prefix":${nested}}`,
      nested,
      '{"prefix":{"$ne":null}}',
      '{"prefix":"\\u0000"}',
    ];
    const paths = [
      'object/list/user-uploads',
      'object/list-v2/user-uploads',
      'object/move',
      'object/copy',
      'bucket',
    ];
    for (const path of [...paths, `object/sign/user-uploads/${anna.path('secret.txt')}`]) {
      for (const body of bodies) {
        const reply = await call('POST', path, { headers: json, body });
        expect(reply.status).toBeLessThan(500);
        expect(await reply.text()).not.toContain('root:');
      }
    }
    expect({}).not.toHaveProperty('polluted');
  });

  test('metadata with a prototype in it is stored as data or dropped, and read again without harm', async () => {
    const metadata = JSON.parse('{"__proto__":{"polluted":true},"by":"anna"}');
    const options = { contentType: 'application/pdf', metadata };
    await anna.takeCredit();
    expect((await anna.bucket.upload(anna.path('meta.pdf'), SMALL_PDF, options)).error).toBeNull();
    expect((await anna.bucket.info(anna.path('meta.pdf'))).data?.metadata).toMatchObject({ by: 'anna' });
    expect({}).not.toHaveProperty('polluted');
  });
});

describe('attack 30: ranges', () => {
  test('a thousand ranges are answered once, with the whole', async () => {
    const range = `bytes=${Array.from({ length: 1000 }, (_, at) => `${at % 5}-${(at % 5) + 9}`).join(',')}`;
    const reply = await call('GET', `object/user-uploads/${anna.path('secret.txt')}`, { headers: { range } });
    expect([reply.status, await reply.text()]).toEqual([200, 'what only anna reads']);
  });
});
