import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createCustomer,
  SMALL_PDF,
  type UploadingCustomer,
} from '../../../tests/support/customers/uploading-customer.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';

let app: TestApp;
let anna: UploadingCustomer;
let boris: UploadingCustomer;

beforeAll(async () => {
  app = await startTestApp();
  anna = await createCustomer(app, 100);
  boris = await createCustomer(app, 100);
});
afterAll(() => app?.close());

async function put(customer: UploadingCustomer, name: string, body: Blob | Buffer | string = 'hello') {
  await customer.takeCredit();
  return customer.bucket.upload(customer.path(name), body, { contentType: 'text/plain' });
}

describe('upload with the unmodified client', () => {
  test('raw bytes and a Blob in a form both arrive byte for byte', async () => {
    for (const [name, body] of [
      ['raw.pdf', SMALL_PDF],
      ['blob.pdf', new Blob([new Uint8Array(SMALL_PDF)], { type: 'application/pdf' })],
    ] as const) {
      await anna.takeCredit();
      const { data, error } = await anna.bucket.upload(anna.path(name), body, {
        contentType: 'application/pdf',
        metadata: { from: 'a test' },
      });
      expect(error).toBeNull();
      expect(data).toMatchObject({ path: anna.path(name), fullPath: `user-uploads/${anna.path(name)}` });
      const download = await anna.bucket.download(anna.path(name));
      expect(Buffer.from((await download.data?.arrayBuffer()) ?? new ArrayBuffer(0))).toEqual(SMALL_PDF);
      const info = await anna.bucket.info(anna.path(name));
      expect(info.data).toMatchObject({
        id: data?.id,
        size: SMALL_PDF.length,
        contentType: 'application/pdf',
        cacheControl: 'max-age=3600',
        metadata: { from: 'a test' },
        bucketId: 'user-uploads',
      });
    }
  });

  test('a taken name is a Duplicate 409 and the first content stays', async () => {
    await put(anna, 'taken.txt', 'first');
    const { error } = await put(anna, 'taken.txt', 'second');
    expect(error).toMatchObject({
      status: 400,
      statusCode: '409',
      code: 'KeyAlreadyExists',
      message: 'The resource already exists',
    });
    const { data } = await anna.bucket.download(anna.path('taken.txt'));
    expect(await data?.text()).toBe('first');
  });

  test('upsert, update, move and copy never overwrite or rename in user-uploads', async () => {
    await put(anna, 'fixed.txt', 'first');
    const file = anna.path('fixed.txt');
    const attempts = [
      anna.bucket.upload(file, 'second', { upsert: true, contentType: 'text/plain' }),
      anna.bucket.update(file, 'second', { contentType: 'text/plain' }),
      anna.bucket.move(file, anna.path('moved.txt')),
      anna.bucket.copy(file, anna.path('copied.txt')),
    ];
    for (const { error } of await Promise.all(attempts)) {
      expect(error).toMatchObject({ statusCode: '403', code: 'AccessDenied' });
    }
    const { data } = await anna.bucket.list(anna.id, { search: 'fixed' });
    expect(data).toHaveLength(1);
    expect(await (await anna.bucket.download(file)).data?.text()).toBe('first');
  });

  test.each([
    'Lebenslauf – Zoë.txt',
    '契約書 2026.txt',
    'договор (1).txt',
    "it's & more, $5 + 50;.txt",
    '🎉.txt',
  ])('the name %j works in every call', async (name) => {
    expect((await put(anna, name, 'hello')).error).toBeNull();
    const file = anna.path(name);
    expect((await anna.bucket.exists(file)).data).toBe(true);
    expect(await (await anna.bucket.download(file)).data?.text()).toBe('hello');
    const { data } = await anna.bucket.createSignedUrl(file, 3600, { download: name });
    const reply = await fetch(data?.signedUrl ?? '');
    expect(await reply.text()).toBe('hello');
    const encoded = /filename\*=UTF-8''(.*)$/.exec(reply.headers.get('content-disposition') ?? '')?.[1];
    expect(decodeURIComponent(encoded ?? '')).toBe(name);
    const removed = await anna.bucket.remove([file]);
    expect(removed.data?.map((row) => row.name)).toEqual([file]);
  });

  test('one name in two Unicode forms is one object', async () => {
    expect((await put(anna, 'caf\u00e9.txt')).error).toBeNull();
    expect((await put(anna, 'cafe\u0301.txt')).error).toMatchObject({ statusCode: '409' });
    expect((await anna.bucket.exists(anna.path('cafe\u0301.txt'))).data).toBe(true);
  });

  test.each([
    ['a control character', 'a%00b.txt'],
    ['a new line', 'a%0ab.txt'],
    ['a parent folder', '..%2f..%2fetc.txt'],
    ['a dot segment', 'x%2f.%2fy.txt'],
    ['a backslash', 'C:%5Ca.txt'],
    ['a direction override', 'a%E2%80%AEfdp.txt'],
    ['an empty segment', 'x%2f%2fy.txt'],
    ['4 kB', 'a'.repeat(4096)],
    ['bytes that are no UTF-8', '%ff%fe.txt'],
  ])('a name with %s is refused', async (_what, name) => {
    const reply = await fetch(`${app.url}/storage/v1/object/user-uploads/${anna.id}/${name}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${anna.token}`, 'content-type': 'text/plain' },
      body: 'hello',
    });
    expect(reply.status).toBeGreaterThanOrEqual(400);
    expect(reply.status).toBeLessThan(500);
  });
});

describe('other people', () => {
  test('nobody stores in, sees, signs, lists or removes in another folder', async () => {
    await put(anna, 'private.txt', 'secret');
    const file = anna.path('private.txt');
    await boris.takeCredit();
    const stored = await boris.bucket.upload(anna.path('planted.txt'), 'x', { contentType: 'text/plain' });
    expect(stored.error).toMatchObject({ statusCode: '403', code: 'AccessDenied' });
    expect((await boris.bucket.download(file)).error).toBeInstanceOf(Error);
    expect((await boris.bucket.exists(file)).data).toBe(false);
    expect((await boris.bucket.createSignedUrl(file, 60)).error).toMatchObject({ code: 'NoSuchKey' });
    expect((await boris.bucket.createSignedUrls([file], 60)).data).toMatchObject([{ signedURL: null }]);
    for (const options of [{}, { search: '%' }, { search: '_' }]) {
      expect((await boris.bucket.list(anna.id, options)).data).toEqual([]);
    }
    expect((await boris.bucket.list('', {})).data?.map((row) => row.name)).not.toContain(anna.id);
    expect((await boris.bucket.remove([file])).data).toEqual([]);
    expect((await anna.bucket.exists(file)).data).toBe(true);
  });

  test('the public key may do nothing here', async () => {
    const anon = createClient(app.url, app.anonKey).storage;
    const bucket = anon.from('user-uploads');
    expect((await bucket.upload('x/a.txt', 'x')).error).toMatchObject({ statusCode: '403' });
    expect((await bucket.list('')).data).toEqual([]);
    expect((await bucket.remove([anna.path('private.txt')])).data).toEqual([]);
    expect((await anon.listBuckets()).data).toEqual([]);
    expect((await anon.createBucket('mine')).error).toMatchObject({ statusCode: '403' });
    expect((await anon.deleteBucket('user-uploads')).error).toMatchObject({ statusCode: '403' });
  });

  test('a wrong bearer is AccessDenied', async () => {
    const reply = await fetch(`${app.url}/storage/v1/object/user-uploads/${anna.path('private.txt')}`, {
      headers: { authorization: 'Bearer not.a.token' },
    });
    expect(reply.status).toBe(400);
    expect(await reply.json()).toMatchObject({
      statusCode: '403',
      code: 'AccessDenied',
      error: 'Unauthorized',
    });
  });
});

describe('what is missing', () => {
  test('objects are NoSuchKey, buckets NoSuchBucket, and exists() is false without throwing', async () => {
    expect(await anna.bucket.exists(anna.path('none.txt'))).toMatchObject({ data: false });
    expect((await anna.bucket.info(anna.path('none.txt'))).error).toMatchObject({
      status: 400,
      statusCode: '404',
      code: 'NoSuchKey',
      message: 'Object not found',
    });
    const elsewhere = anna.client.storage.from('nowhere');
    expect((await elsewhere.info('a')).error).toMatchObject({ statusCode: '404', code: 'NoSuchBucket' });
    expect(await elsewhere.list()).toMatchObject({ data: [], error: null });
    expect((await elsewhere.upload('a', 'x')).error).toMatchObject({
      code: 'NoSuchBucket',
      message: 'Bucket not found',
    });
  });
});

describe('list', () => {
  test('returns the level below a prefix: folders first, sorted, paged, searched literally', async () => {
    const customer = await createCustomer(app, 10);
    for (const name of ['b.txt', 'a.txt', '100_percent.txt', 'sub/c.txt', 'sub/d.txt']) {
      expect((await put(customer, name)).error).toBeNull();
    }
    const names = async (options: object, prefix = customer.id) =>
      (await customer.bucket.list(prefix, options)).data?.map((row) => row.name);
    expect(await names({})).toEqual(['sub', '100_percent.txt', 'a.txt', 'b.txt']);
    expect(await names({ sortBy: { column: 'name', order: 'desc' } })).toEqual([
      'sub',
      'b.txt',
      'a.txt',
      '100_percent.txt',
    ]);
    expect(await names({ sortBy: { column: 'created_at', order: 'asc' } })).toEqual([
      'sub',
      'b.txt',
      'a.txt',
      '100_percent.txt',
    ]);
    expect(await names({ limit: 2, offset: 1 })).toEqual(['100_percent.txt', 'a.txt']);
    expect(await names({ search: 'A' })).toEqual(['a.txt']);
    expect(await names({ search: '%' })).toEqual([]);
    expect(await names({}, `${customer.id}/sub/`)).toEqual(['c.txt', 'd.txt']);
    const { data } = await customer.bucket.list(customer.id);
    expect(data?.[0]).toMatchObject({ name: 'sub', id: null, metadata: null });
    expect(data?.[1]?.metadata).toMatchObject({
      size: 5,
      mimetype: 'text/plain',
      cacheControl: 'max-age=3600',
    });
    const bad = await customer.bucket.list('', { sortBy: { column: 'name; drop table x', order: 'asc' } });
    expect(bad.error).toMatchObject({ statusCode: '400' });
  });

  test('by cursor returns every object once', async () => {
    const customer = await createCustomer(app, 10);
    for (const name of ['a.txt', 'b.txt', 'sub/c.txt', 'sub/d.txt']) await put(customer, name);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { data } = await customer.bucket.listV2({
        prefix: `${customer.id}/`,
        limit: 2,
        with_delimiter: true,
        ...(cursor === undefined ? {} : { cursor }),
      });
      seen.push(
        ...(data?.folders ?? []).map((row) => row.name),
        ...(data?.objects ?? []).map((row) => row.name),
      );
      cursor = data?.nextCursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(['a.txt', 'b.txt', 'sub/'].map(customer.path));
  });
});

describe('buckets with the server’s key', () => {
  test('are created, changed, listed, emptied and deleted; their limits apply', async () => {
    const { storage } = createClient(app.url, app.serviceKey);
    const made = await storage.createBucket('posters', {
      public: true,
      fileSizeLimit: '1kb',
      allowedMimeTypes: ['image/*'],
    });
    expect(made.error).toBeNull();
    expect((await storage.createBucket('posters')).error).toMatchObject({ statusCode: '409' });
    const bucket = storage.from('posters');
    expect((await bucket.upload('a.txt', 'text', { contentType: 'text/plain' })).error).toMatchObject({
      statusCode: '415',
      code: 'InvalidMimeType',
    });
    expect((await bucket.upload('a.svg', '<svg/>', { contentType: 'image/svg+xml' })).error).toBeNull();
    expect(
      (await bucket.upload('big.bin', Buffer.alloc(2000), { contentType: 'image/x-raw' })).error,
    ).toMatchObject({
      statusCode: '413',
      code: 'EntityTooLarge',
    });
    expect(
      (await bucket.upload('a.svg', '<svg>2</svg>', { contentType: 'image/svg+xml', upsert: true })).error,
    ).toBeNull();
    const page = await fetch(bucket.getPublicUrl('a.svg').data.publicUrl);
    expect(await page.text()).toBe('<svg>2</svg>');
    expect(page.headers.get('content-security-policy')).toContain('sandbox');
    expect(page.headers.get('content-disposition')).toMatch(/^attachment/);
    expect((await bucket.copy('a.svg', 'b.svg')).error).toBeNull();
    expect((await bucket.move('b.svg', 'c.svg')).error).toBeNull();
    expect((await bucket.list()).data?.map((row) => row.name)).toEqual(['a.svg', 'c.svg']);
    expect((await storage.updateBucket('posters', { public: false })).error).toBeNull();
    expect((await storage.getBucket('posters')).data).toMatchObject({ public: false, file_size_limit: 1000 });
    expect((await fetch(bucket.getPublicUrl('a.svg').data.publicUrl)).status).toBe(400);
    expect((await storage.deleteBucket('posters')).error).toMatchObject({
      statusCode: '409',
      code: 'ResourceNotEmpty',
    });
    expect((await storage.emptyBucket('posters')).error).toBeNull();
    expect((await storage.deleteBucket('posters')).error).toBeNull();
    expect((await storage.listBuckets()).data?.map(({ id }) => id)).toEqual([
      'account-pictures',
      'course-videos',
      'user-uploads',
      'voice-files',
      'voice-recordings',
    ]);
  });
});
