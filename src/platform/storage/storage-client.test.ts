import { gzipSync } from 'node:zlib';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createCustomer,
  type UploadingCustomer,
} from '../../../tests/support/customers/uploading-customer.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { uncheckedSql } from '../../kernel/resources/database/fixed-sql.ts';

let app: TestApp;
let anna: UploadingCustomer;
let operator: SupabaseClient['storage'];
let stranger: SupabaseClient['storage'];

beforeAll(async () => {
  app = await startTestApp();
  anna = await createCustomer(app, 20);
  operator = createClient(app.url, app.serviceKey).storage;
  stranger = createClient(app.url, app.anonKey).storage;
  await operator.createBucket('open', { public: true });
  await operator.createBucket('shelf', { public: false });
  await app.resources.database.run(
    uncheckedSql(
      `create policy shelf_insert on storage.objects for insert to authenticated with check (bucket_id = 'shelf');
     create policy shelf_select on storage.objects for select to authenticated using (bucket_id = 'shelf')`,
      'command',
    ),
  );
});
afterAll(() => app?.close());

const TEXT = { contentType: 'text/plain' };
const shelf = () => anna.client.storage.from('shelf');

describe('a public bucket', () => {
  test('can be read by everybody, by each of the client’s ways and without any key', async () => {
    const name = 'Über uns/50 + 1.txt';
    expect((await operator.from('open').upload(name, 'for all', TEXT)).error).toBeNull();
    expect(await (await stranger.from('open').download(name)).data?.text()).toBe('for all');
    const { publicUrl } = stranger.from('open').getPublicUrl(name, { download: 'Größe 50%25.txt' }).data;
    const reply = await fetch(publicUrl);
    expect(await reply.text()).toBe('for all');
    const label = /UTF-8''(.*)$/.exec(reply.headers.get('content-disposition') ?? '')?.[1] ?? '';
    expect(decodeURIComponent(label)).toBe('Größe 50%25.txt');
    expect(reply.headers.get('cache-control')).toBe('public, max-age=3600');
    const place = encodeURI(`/storage/v1/object/open/${name}`);
    expect(await (await fetch(app.url + place)).text()).toBe('for all');
    const described = await fetch(app.url + place.replace('object/', 'object/info/public/'));
    expect(await described.json()).toMatchObject({ name, bucket_id: 'open', size: 7 });
    // The public bucket allows reading only.
    expect((await stranger.from('open').upload('x.txt', 'x', TEXT)).error).toMatchObject({
      statusCode: '403',
    });
    expect((await stranger.from('open').list()).data).toEqual([]);
    expect((await stranger.from('open').remove([name])).data).toEqual([]);
    expect((await stranger.from('open').download('none')).error).toBeInstanceOf(Error);
  });

  test('a private bucket replies the same to strangers whether an object exists or not', async () => {
    await shelf().upload('there.txt', 'x', TEXT);
    const answers = await Promise.all(
      ['there.txt', 'not-there.txt'].map(async (name) => {
        const reply = await fetch(`${app.url}/storage/v1/object/shelf/${name}`);
        return [reply.status, await reply.json()];
      }),
    );
    expect(answers[0]).toEqual(answers[1]);
  });
});

describe('insert and update rights are different rights', () => {
  test('without the right to update an upsert stores a new object and replaces none', async () => {
    expect((await shelf().upload('new.txt', 'first', { ...TEXT, upsert: true })).error).toBeNull();
    expect((await shelf().upload('old.txt', 'first', TEXT)).error).toBeNull();
    for (const { error } of [
      await shelf().upload('old.txt', 'second', { ...TEXT, upsert: true }),
      await shelf().update('old.txt', 'second', TEXT),
    ]) {
      expect(error).toMatchObject({
        status: 400,
        statusCode: '403',
        code: 'AccessDenied',
        message: /row-level/,
      });
    }
    expect(await (await shelf().download('old.txt')).data?.text()).toBe('first');
    expect((await shelf().remove(['old.txt'])).data).toEqual([]);
  });

  test('with it the object keeps its id, and its first bytes are gone', async () => {
    await app.resources.database.run(
      uncheckedSql(
        `create policy shelf_update on storage.objects for update to authenticated using (bucket_id = 'shelf')`,
        'command',
      ),
    );
    const before = await shelf().info('old.txt');
    const { data, error } = await shelf().update('old.txt', 'second', { ...TEXT, metadata: { edition: 2 } });
    expect(error).toBeNull();
    expect(data?.id).toBe(before.data?.id);
    const after = await shelf().info('old.txt');
    expect(after.data).toMatchObject({ id: before.data?.id, size: 6, metadata: { edition: 2 } });
    expect(after.data?.version).not.toBe(before.data?.version);
    const old = { versionId: before.data?.version ?? '' };
    expect((await shelf().info('old.txt', old)).error).toMatchObject({ code: 'NoSuchKey' });
    expect((await shelf().download('old.txt', old)).error).toBeInstanceOf(Error);
    expect((await shelf().info('old.txt', { versionId: after.data?.version ?? '' })).error).toBeNull();
  });
});

describe('lists by cursor', () => {
  const names = ['a.txt', 'b.txt', 'c/1.txt', 'c/2.txt', 'd.txt', 'e/1.txt', 'f.txt'];
  beforeAll(async () => {
    for (const name of names) await operator.from('open').upload(`list/${name}`, name, TEXT);
  });

  async function all(options: object): Promise<string[]> {
    const seen: string[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const page = await operator.from('open').listV2({
        ...{ prefix: 'list/', limit: 2, ...options },
        ...(cursor === '' ? {} : { cursor }),
      });
      expect(page.error).toBeNull();
      expect(page.data?.hasNext).toBe(page.data?.nextCursor !== undefined);
      seen.push(...(page.data?.folders ?? []).map((row) => row.name));
      seen.push(...(page.data?.objects ?? []).map((row) => row.name));
      cursor = page.data?.nextCursor;
    }
    return seen.map((name) => name.replace('list/', ''));
  }

  test('return everything once, in each order, with folders and without', async () => {
    expect(await all({})).toEqual(names);
    expect(await all({ sortBy: { column: 'name', order: 'desc' } })).toEqual(names.toReversed());
    expect(await all({ sortBy: { column: 'created_at' } })).toEqual(names);
    expect(await all({ sortBy: { column: 'updated_at', order: 'desc' } })).toEqual(names.toReversed());
    const folded = ['c/', 'e/', 'a.txt', 'b.txt', 'd.txt', 'f.txt'];
    expect(await all({ with_delimiter: true, sortBy: { column: 'created_at' } })).toEqual(folded);
    expect((await all({ with_delimiter: true })).toSorted()).toEqual(folded.toSorted());
  });

  test('refuse a foreign cursor, and reduce a limit that is too high', async () => {
    const made = (time: string): string => Buffer.from(JSON.stringify([time, 'a'])).toString('base64url');
    // The last ones look like times, but PostgreSQL refuses them.
    const times = ['now()', '0000-01-01 00:00:00+00', '2026-02-31 00:00:00+00', '2026-01-01 00:00:00+16'];
    for (const cursor of ['x', '%00', ...times.map(made)]) {
      const { error } = await operator.from('open').listV2({ cursor });
      expect(error, cursor).toMatchObject({ status: 400, statusCode: '400' });
    }
    expect((await operator.from('open').listV2({ limit: 1_000_000 })).error).toBeNull();
    expect((await operator.from('open').list('', { limit: 1_000_000 })).error).toBeNull();
  });
});

describe('buckets', () => {
  test('are listed in pages, searched and sorted', async () => {
    const ids = async (options: object) => (await operator.listBuckets(options)).data?.map(({ id }) => id);
    expect(await ids({})).toEqual([
      'account-pictures',
      'course-videos',
      'open',
      'shelf',
      'user-uploads',
      'voice-files',
      'voice-recordings',
    ]);
    expect(await ids({ sortColumn: 'name', sortOrder: 'desc', limit: 2 })).toEqual([
      'voice-recordings',
      'voice-files',
    ]);
    expect(await ids({ offset: 3, limit: 1 })).toEqual(['shelf']);
    expect(await ids({ search: 'SHE' })).toEqual(['shelf']);
    expect(await ids({ search: '%' })).toEqual([]);
  });

  test('report what is wrong with them', async () => {
    const made = (id: string, options = {}) => operator.createBucket(id, { public: false, ...options });
    expect((await made('a/b')).error).toMatchObject({ statusCode: '400', code: 'InvalidBucketName' });
    expect((await made('')).error).toMatchObject({ statusCode: '400', code: 'InvalidBucketName' });
    expect((await made('shelf')).error).toMatchObject({
      statusCode: '409',
      message: 'The resource already exists',
    });
    expect((await made('big', { fileSizeLimit: '20GB' })).error).toMatchObject({ code: 'EntityTooLarge' });
    expect((await made('odd', { fileSizeLimit: 'many' })).error).toMatchObject({ statusCode: '400' });
    expect((await made('odd', { allowedMimeTypes: ['pictures'] })).error).toMatchObject({
      statusCode: '415',
    });
    const missing = { statusCode: '404', code: 'NoSuchBucket', message: 'Bucket not found' };
    expect((await operator.getBucket('nowhere')).error).toMatchObject(missing);
    expect((await operator.updateBucket('nowhere', { public: true })).error).toMatchObject(missing);
    expect((await operator.emptyBucket('nowhere')).error).toMatchObject(missing);
    expect((await operator.deleteBucket('nowhere')).error).toMatchObject(missing);
  });
});

describe('features that clients know and this service lacks', () => {
  test('are refused by one code, never done otherwise', async () => {
    await operator.from('open').upload('picture.png', 'x', TEXT);
    const transform = { width: 10 };
    const { publicUrl } = stranger.from('open').getPublicUrl('picture.png', { transform }).data;
    const reply = await fetch(publicUrl);
    expect([reply.status, (await reply.json()).code]).toEqual([400, 'FeatureNotEnabled']);
    const refused = { statusCode: '409', code: 'FeatureNotEnabled' };
    for (const { error } of [
      await operator.from('open').createSignedUrl('picture.png', 60, { transform }),
      await operator.createBucket('numbers', { public: false, type: 'ANALYTICS' }),
      await operator.createBucket('layers', { public: false, versioningStatus: 'ENABLED' }),
      await operator.getBucketLifecycle('shelf'),
    ]) {
      expect(error).toMatchObject(refused);
    }
    const download = await operator.from('open').download('picture.png', { transform });
    expect(download.error).toBeInstanceOf(Error);
    expect((await stranger.getBucketLifecycle('shelf')).error).toMatchObject({ code: 'AccessDenied' });
    expect((await operator.purgeBucketCache('shelf')).error).toBeNull();
    expect((await stranger.purgeBucketCache('shelf')).error).toMatchObject({ code: 'AccessDenied' });
  });
});

describe('properties of an object', () => {
  test('a declared encoding is returned with the bytes', async () => {
    const packed = gzipSync('packed words');
    for (const body of [packed, new Blob([new Uint8Array(packed)])]) {
      const options = { contentType: 'text/plain', contentEncoding: 'gzip', upsert: true };
      expect((await operator.from('shelf').upload('packed.css', body, options)).error).toBeNull();
      expect(await (await operator.from('shelf').download('packed.css')).data?.text()).toBe('packed words');
      expect((await operator.from('shelf').info('packed.css')).data?.contentEncoding).toBe('gzip');
    }
    const odd = { contentEncoding: 'rot13' };
    expect((await operator.from('shelf').upload('odd', 'x', odd)).error).toMatchObject({ statusCode: '400' });
  });

  test('a copy may have other properties, within the rules of its bucket', async () => {
    await operator.createBucket('drawings', { public: false, allowedMimeTypes: ['image/*'] });
    const from = operator.from('shelf');
    await from.upload('drawing', 'x', {
      contentType: 'image/x-raw',
      metadata: { by: 'anna' },
      cacheControl: '60',
    });
    const metadata = { cacheControl: '9', mimetype: 'image/x-other' };
    const told = { destinationBucket: 'drawings', copyMetadata: false, metadata };
    expect((await from.copy('drawing', 'other', told)).error).toBeNull();
    const other = await operator.from('drawings').info('other');
    expect(other.data).toMatchObject({
      contentType: 'image/x-other',
      cacheControl: 'max-age=9',
      metadata: {},
    });
    const text = { ...told, metadata: { mimetype: 'text/html' } };
    expect((await from.copy('drawing', 'page', text)).error).toMatchObject({ code: 'InvalidMimeType' });
  });

  test('bulk removal returns the deleted rows, and only those', async () => {
    const from = operator.from('shelf');
    for (const name of ['r1', 'r2']) await from.upload(name, name, TEXT);
    const version = (await from.info('r2')).data?.version ?? '';
    const kept = await from.remove([{ path: 'r2', versionId: 'another' }]);
    expect(kept.data).toEqual([]);
    const { data } = await from.remove(['r1', 'none', '../x', { path: 'r2', versionId: version }]);
    expect(data?.map(({ name, bucket_id }) => `${bucket_id}/${name}`).toSorted()).toEqual([
      'shelf/r1',
      'shelf/r2',
    ]);
    expect(data?.[0]).toMatchObject({ metadata: { size: 2, mimetype: 'text/plain' } });
    expect((await from.remove([])).error).toMatchObject({ statusCode: '400' });
  });
});
