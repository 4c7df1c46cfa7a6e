import { randomUUID } from 'node:crypto';
import { createClient } from '@supabase/supabase-js';
import { type DetailedError, Upload, type UploadOptions } from 'tus-js-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createCustomer,
  type UploadingCustomer,
} from '../../../../tests/support/customers/uploading-customer.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { uncheckedSql } from '../../../kernel/resources/database/fixed-sql.ts';
import { endDeadUploads } from '../storage-sweep.server.ts';

const MB = 1024 * 1024;
const CHUNK = 2 * MB;
const WORDS = Buffer.alloc(9 * MB, 'what a resumable upload carries is text here. ');
const MOST_UNFINISHED = 20;

let app: TestApp;
let anna: UploadingCustomer;

beforeAll(async () => {
  app = await startTestApp();
  anna = await createCustomer(app, 40);
  await createClient(app.url, app.serviceKey).storage.createBucket('notes', { public: false });
  await app.resources.database.run(
    uncheckedSql(
      `create policy notes_all on storage.objects to authenticated
       using (bucket_id = 'notes' and path_tokens[1] = (select auth.uid())::text)
       with check (bucket_id = 'notes' and path_tokens[1] = (select auth.uid())::text)`,
      'command',
    ),
  );
});
afterAll(() => app?.close());

/** Uploads with the unmodified client and returns how it ended. */
function upload(bytes: Buffer, name: string, more: UploadOptions = {}, bucketName = 'user-uploads') {
  const ended = Promise.withResolvers<'done'>();
  ended.promise.catch(() => {});
  const tus = new Upload(bytes, {
    endpoint: `${app.url}/storage/v1/upload/resumable`,
    headers: { authorization: `Bearer ${anna.token}`, apikey: app.anonKey, 'x-upsert': 'false' },
    metadata: { bucketName, objectName: anna.path(name), contentType: 'text/plain', cacheControl: '60' },
    chunkSize: CHUNK,
    retryDelays: [0, 50, 200, 1000],
    onSuccess: () => ended.resolve('done'),
    onError: (error) => ended.reject(error),
    ...more,
  });
  return { tus, ended: ended.promise };
}

async function statusOf(ended: Promise<unknown>): Promise<number | undefined> {
  const error = await ended.then(
    () => undefined,
    (reason: DetailedError) => reason,
  );
  return error?.originalResponse?.getStatus();
}

async function stored(name: string, bucketName = 'user-uploads'): Promise<Buffer | undefined> {
  const { data } = await anna.client.storage.from(bucketName).download(anna.path(name));
  return data === null ? undefined : Buffer.from(await data.arrayBuffer());
}

describe('the unmodified tus client', () => {
  test('uploads in chunks and reports its progress', async () => {
    await anna.takeCredit();
    const accepted: number[] = [];
    const { tus, ended } = upload(WORDS, 'whole.txt', {
      onChunkComplete: (_size, sum) => accepted.push(sum),
    });
    tus.start();
    expect(await ended).toBe('done');
    expect(accepted).toEqual([2 * MB, 4 * MB, 6 * MB, 8 * MB, 9 * MB]);
    expect((await stored('whole.txt'))?.equals(WORDS)).toBe(true);
  });

  test('pauses, and continues from its address in another client', async () => {
    await anna.takeCredit();
    const paused = Promise.withResolvers<string>();
    const first = upload(WORDS, 'paused.txt', {
      onChunkComplete: (_size, sum) => {
        if (sum !== 4 * MB) return;
        void first.tus.abort().then(() => paused.resolve(first.tus.url ?? ''));
      },
    });
    first.tus.start();
    const uploadUrl = await paused.promise;
    expect(await stored('paused.txt')).toBeUndefined();
    const accepted: number[] = [];
    const second = upload(WORDS, 'paused.txt', {
      uploadUrl,
      onChunkComplete: (_size, sum) => accepted.push(sum),
    });
    second.tus.start();
    expect(await second.ended).toBe('done');
    expect(accepted[0]).toBeGreaterThan(4 * MB);
    expect((await stored('paused.txt'))?.equals(WORDS)).toBe(true);
  });

  test('gives up: the upload is deleted, and its credit is released', async () => {
    const credits = await anna.credits();
    await anna.takeCredit();
    const given = Promise.withResolvers<string>();
    const { tus } = upload(WORDS, 'given-up.txt', {
      onChunkComplete: () => void tus.abort(true).then(() => given.resolve(tus.url ?? '')),
    });
    tus.start();
    const address = await given.promise;
    await expect.poll(anna.credits).toBe(credits);
    const head = await fetch(address, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${anna.token}`, 'tus-resumable': '1.0.0' },
    });
    expect(head.status).toBe(404);
  });

  test('sends bytes along with the creation', async () => {
    await anna.takeCredit();
    const { tus, ended } = upload(WORDS, 'along.txt', { uploadDataDuringCreation: true });
    tus.start();
    expect(await ended).toBe('done');
    expect((await stored('along.txt'))?.equals(WORDS)).toBe(true);
    await anna.takeCredit();
    const wrong = upload(Buffer.from('a\0b'), 'wrong.txt', { uploadDataDuringCreation: true });
    wrong.tus.start();
    expect(await statusOf(wrong.ended)).toBe(415);
    expect((await anna.spendings()).at(-1)).toBe('returned');
  });

  test('an empty file is an object at once', async () => {
    const { tus, ended } = upload(Buffer.alloc(0), 'empty.txt', {}, 'notes');
    tus.start();
    expect(await ended).toBe('done');
    expect(await stored('empty.txt', 'notes')).toEqual(Buffer.alloc(0));
  });

  test('gets refusals as status codes', async () => {
    const cases: [number, string, UploadOptions][] = [
      [409, 'whole.txt', {}],
      [403, 'x.txt', { headers: { authorization: `Bearer ${app.anonKey}` } }],
      [413, 'x.txt', { uploadSize: 101 * MB }],
    ];
    for (const [status, name, more] of cases) {
      await anna.takeCredit();
      const { tus, ended } = upload(WORDS, name, { retryDelays: null, ...more });
      tus.start();
      expect(await statusOf(ended)).toBe(status);
    }
  });
});

describe('unfinished uploads (attack 26)', () => {
  test('a user has at most twenty, also when they begin at once; an expired one frees a place', async () => {
    const begin = (): Promise<Response> =>
      fetch(`${app.url}/storage/v1/upload/resumable`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${anna.token}`,
          'tus-resumable': '1.0.0',
          'upload-length': '1',
          'upload-metadata': `bucketName ${btoa('notes')},objectName ${btoa(anna.path(`${randomUUID()}.txt`))}`,
        },
      });
    const { database } = app.resources;
    const count = async () => {
      const { n } = await database.one('select count(*)::int as n from private.resumable_uploads');
      return n;
    };
    const before = await count();
    const replies = await Promise.all(Array.from({ length: MOST_UNFINISHED + 5 }, begin));
    const statuses = replies.map(({ status }) => status).sort();
    expect(statuses.filter((status) => status === 201)).toHaveLength(MOST_UNFINISHED - before);
    expect(statuses.filter((status) => status !== 201)).toEqual(Array(5 + before).fill(429));
    const refused = await begin();
    expect(await refused.json()).toMatchObject({ code: 'TooManyUploads', statusCode: '429' });
    expect(refused.headers.get('retry-after')).toBe('60');
    // A refused upload reserves nothing.
    const { n } = await database.one('select count(*)::int as n from private.uploads');
    expect(n).toBe(MOST_UNFINISHED);
    await database.run(
      'update private.uploads set expires_at = now() where id = (select id from private.uploads limit 1)',
    );
    expect((await begin()).status).toBe(201);
    await endDeadUploads(app.resources);
    expect(await count()).toBe(MOST_UNFINISHED);
  });
});
