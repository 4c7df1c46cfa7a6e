import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';

let app: TestApp;
let storage: SupabaseClient['storage'];
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

beforeAll(async () => {
  app = await startTestApp({ settings: { STORAGE_CHECKED_BUCKETS: 'checked' } });
  storage = createClient(app.url, app.serviceKey).storage;
  await storage.createBucket('any', { public: true });
  await storage.createBucket('checked', { public: false });
  await storage.createBucket('pictures', { public: false, allowedMimeTypes: ['image/*', 'text/plain'] });
});
afterAll(() => app?.close());

const typeOf = async (bucket: string, name: string) =>
  (await storage.from(bucket).info(name)).data?.contentType;

test('bytes without a content type are stored as the client declares them', async () => {
  const { error } = await storage.from('any').upload('buffer', PNG);
  expect(error).toBeNull();
  expect(await typeOf('any', 'buffer')).toBe('text/plain;charset=UTF-8');
  const { data } = await storage.from('any').download('buffer');
  expect(Buffer.from((await data?.arrayBuffer()) ?? new ArrayBuffer())).toEqual(PNG);
});

test.each([
  ['a type that the bytes are not', 'image/png', Buffer.from('\xff\xd8\xff\xe0jpeg', 'latin1'), 'image/png'],
  ['a type with a parameter', 'text/plain;charset=utf-8', Buffer.from('ä'), 'text/plain;charset=utf-8'],
  ['a type that nobody knows', 'application/x-thing', PNG, 'application/x-thing'],
  ['a type that no header can carry', 'text/plain\x01', PNG, 'application/octet-stream'],
])('%s is stored as it is', async (name, contentType, body, stored) => {
  const path = name.replaceAll(' ', '-');
  const reply = await fetch(`${app.url}/storage/v1/object/any/${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${app.serviceKey}`,
      ...(contentType.includes('\x01') ? {} : { 'content-type': contentType }),
    },
    body: new Uint8Array(body),
  });
  expect(reply.status).toBe(200);
  expect(await typeOf('any', path)).toBe(stored);
});

test('any declared type is served as inert', async () => {
  const page = '<script>alert(1)</script>';
  expect((await storage.from('any').upload('page', page, { contentType: 'text/html' })).error).toBeNull();
  const reply = await fetch(storage.from('any').getPublicUrl('page').data.publicUrl);
  expect(await reply.text()).toBe(page);
  expect(reply.headers.get('content-disposition')).toMatch(/^attachment/);
  expect(reply.headers.get('x-content-type-options')).toBe('nosniff');
  expect(reply.headers.get('content-security-policy')).toMatch(/^sandbox/);
});

test('a bucket with the check compares the declared type with the bytes', async () => {
  const upload = (name: string, body: Buffer | string, contentType: string) =>
    storage.from('checked').upload(name, body, { contentType });
  expect((await upload('a.txt', 'text', 'text/plain')).error).toBeNull();
  expect((await upload('b.png', 'text', 'image/png')).error).toMatchObject({ statusCode: '415' });
  expect((await upload('c.svg', '<svg/>', 'image/svg+xml')).error).toMatchObject({ statusCode: '415' });
});

test('a bucket’s list compares types without their parameters, and names the missing one', async () => {
  const upload = (name: string, contentType: string) =>
    storage.from('pictures').upload(name, PNG, { contentType });
  expect((await upload('a', 'image/png')).error).toBeNull();
  expect((await upload('b', 'text/plain;charset=utf-8')).error).toBeNull();
  expect((await upload('c', 'application/pdf')).error).toMatchObject({
    statusCode: '415',
    message: 'mime type application/pdf is not supported',
  });
});
