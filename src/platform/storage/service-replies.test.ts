import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';

let app: TestApp;
let storage: SupabaseClient['storage'];

beforeAll(async () => {
  app = await startTestApp();
  storage = createClient(app.url, app.serviceKey).storage;
  await storage.createBucket('notes', { public: false });
  await storage.from('notes').upload('folder/a.txt', 'a', { contentType: 'text/plain' });
});
afterAll(() => app?.close());

function call(path: string, init: RequestInit & { headers?: Record<string, string> } = {}) {
  const headers = { authorization: `Bearer ${app.serviceKey}`, ...init.headers };
  return fetch(`${app.url}/storage/v1${path}`, { ...init, headers });
}

test('limits in kb and mb are decimal, and one bucket has no type', async () => {
  await storage.createBucket('limited', { public: false, fileSizeLimit: '20mb' });
  const { data } = await storage.getBucket('limited');
  expect(data).toMatchObject({ id: 'limited', file_size_limit: 20_000_000 });
  expect(data).not.toHaveProperty('type');
});

test('a limit may have a fraction, and an invalid size or type is refused in the words of the original', async () => {
  const create = (id: string, options: object) => storage.createBucket(id, { public: false, ...options });
  expect((await create('half', { fileSizeLimit: '1.5mb' })).error).toBeNull();
  expect((await storage.getBucket('half')).data?.file_size_limit).toBe(1_500_000);
  expect((await create('none', { fileSizeLimit: 'large' })).error).toMatchObject({
    statusCode: '400',
    message: 'Invalid file size format, hint: use 20GB / 20MB / 30KB / 3B',
  });
  expect((await create('none', { allowedMimeTypes: ['picture'] })).error).toMatchObject({
    statusCode: '415',
    message: 'mime type picture is not supported',
  });
});

test('a missing bucket lists as empty, like one that the caller may not see', async () => {
  expect(await storage.from('nowhere').list()).toMatchObject({ data: [], error: null });
  expect((await storage.from('nowhere').listV2()).data).toEqual({
    hasNext: false,
    folders: [],
    objects: [],
  });
});

test('a refused name is reported, and so is what a signed address lacks', async () => {
  const refused = await call('/object/notes/a%5Cb', { method: 'POST', body: 'x' });
  expect([refused.status, await refused.json()]).toEqual([
    400,
    expect.objectContaining({ code: 'InvalidKey', message: 'Invalid key: a%5Cb' }),
  ]);
  const address = `${app.url}/storage/v1/object/sign/notes/folder/a.txt`;
  const words = async (url: string) => ((await (await fetch(url)).json()) as { message: string }).message;
  const { data } = await storage.from('notes').createSignedUrl('folder/a.txt', 60);
  const signed = data?.signedUrl ?? '';
  expect([
    await words(address),
    await words(`${address}?token=nonsense`),
    await words(signed.replace('a.txt', 'b.txt')),
    await words(signed.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')).replace(/(token=.{40})./, '$1_')),
  ]).toEqual([
    "querystring must have required property 'token'",
    'Invalid Compact JWS',
    'Invalid signature',
    'signature verification failed',
  ]);
});

test('an emptied bucket is reported in the words of the original', async () => {
  expect((await storage.emptyBucket('limited')).data?.message).toBe(
    'Empty bucket has been queued. Completion may take up to an hour.',
  );
});

test('a copy without its source’s metadata has that of the request', async () => {
  const metadata = { made: 'by hand' };
  const reply = await call('/object/copy', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-metadata': Buffer.from(JSON.stringify(metadata)).toString('base64'),
    },
    body: JSON.stringify({
      bucketId: 'notes',
      sourceKey: 'folder/a.txt',
      destinationKey: 'copy.txt',
      copyMetadata: false,
    }),
  });
  expect(reply.status).toBe(200);
  expect((await storage.from('notes').info('copy.txt')).data?.metadata).toEqual(metadata);
});

test('a folder in a list by cursor has a key without its slash', async () => {
  const reply = await call('/object/list-v2/notes', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ with_delimiter: true }),
  });
  expect(((await reply.json()) as { folders: unknown }).folders).toEqual([
    { key: 'folder', name: 'folder/' },
  ]);
});

test('a used signed upload address says that the object exists', async () => {
  const { data } = await storage.from('notes').createSignedUploadUrl('signed.txt');
  const upload = () => storage.from('notes').uploadToSignedUrl('signed.txt', data?.token ?? '', 'once');
  expect((await upload()).error).toBeNull();
  expect((await upload()).error).toMatchObject({
    statusCode: '409',
    message: 'The resource already exists',
  });
});

test('HEAD of an object’s description has its entity tag', async () => {
  const reply = await call('/object/info/notes/folder/a.txt', { method: 'HEAD' });
  expect([reply.status, reply.headers.get('etag')]).toEqual([200, expect.stringMatching(/^"[0-9a-f]{64}"$/)]);
});

test('missing and bad credentials have different errors', async () => {
  const without = await fetch(`${app.url}/storage/v1/object/notes/folder/a.txt`);
  expect(await without.json()).toMatchObject({
    statusCode: '400',
    error: 'Error',
    message: "headers must have required property 'authorization'",
  });
  const bad = await call('/object/notes/folder/a.txt', { headers: { authorization: 'Bearer nonsense' } });
  expect(await bad.json()).toMatchObject({
    statusCode: '403',
    error: 'Unauthorized',
    message: 'Invalid Compact JWS',
  });
});

test('the service reports that it is running', async () => {
  expect((await fetch(`${app.url}/storage/v1/status`)).status).toBe(200);
  expect((await fetch(`${app.url}/storage/v1/version`)).status).toBe(200);
});

test('the first file of a form is used, and one object is removed by its address', async () => {
  const form = new FormData();
  form.append('first', new Blob(['one'], { type: 'text/plain' }), 'one.txt');
  form.append('second', new Blob(['two'], { type: 'text/plain' }), 'two.txt');
  expect((await call('/object/notes/form.txt', { method: 'POST', body: form })).status).toBe(200);
  expect(await (await storage.from('notes').download('form.txt')).data?.text()).toBe('one');
  const removed = await call('/object/notes/form.txt', { method: 'DELETE' });
  expect([removed.status, await removed.json()]).toEqual([200, { message: 'Successfully deleted' }]);
  expect((await call('/object/notes/form.txt')).status).toBe(400);
});

test('an object whose bytes are lost counts as missing, cannot be copied, and leaves no half copy', async () => {
  await storage.from('notes').upload('lost.txt', 'lost', { contentType: 'text/plain' });
  const { version } = await app.resources.database.one(
    `select version from storage.objects where bucket_id = 'notes' and name = $1`,
    ['lost.txt'],
  );
  await app.resources.objects.remove(version ?? '');
  const read = await call('/object/notes/lost.txt');
  expect([read.status, await read.json()]).toEqual([
    400,
    expect.objectContaining({ statusCode: '404', error: 'not_found' }),
  ]);
  expect((await storage.from('notes').copy('lost.txt', 'half.txt')).error).not.toBeNull();
  expect((await storage.from('notes').exists('half.txt')).data).toBe(false);
  const [left] = await app.resources.database.many('select count(*)::int as open from private.uploads');
  expect(left?.open).toBe(0);
});

test('the S3 protocol is refused in the XML that its clients read, before a body is', async () => {
  const refusal = (resource: string) =>
    `<?xml version="1.0" encoding="UTF-8"?><Error><Resource>${resource}</Resource><Code>FeatureNotEnabled</Code>` +
    '<Message>The feature s3Protocol is not enabled for this resource</Message></Error>';
  for (const [method, path, resource] of [
    ['GET', '', ''],
    ['GET', '/notes?list-type=2', 'notes'],
    ['DELETE', '/notes/folder/a&b.txt', 'notes/folder/a&amp;b.txt'],
    ['PUT', '/notes/a%20b.bin', 'notes/a%20b.bin'],
  ] as const) {
    const body =
      method === 'PUT' ? { body: 'bytes', headers: { 'content-type': 'application/x-thing' } } : {};
    const reply = await fetch(`${app.url}/storage/v1/s3${path}`, { method, ...body });
    expect([reply.status, reply.headers.get('content-type'), await reply.text()]).toEqual([
      409,
      'application/xml; charset=utf-8',
      refusal(resource),
    ]);
  }
});
