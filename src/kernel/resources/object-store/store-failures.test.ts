import { randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { type FileHandle, open, readFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type S3Server, startS3Server } from '../../../../tests/support/servers/s3-server.ts';
import { parseStorageUrl, type S3Address } from '../../config/storage-url.ts';
import { appendToFile } from './file-append.ts';
import type { ObjectStore } from './object-store.ts';
import { openObjectStore } from './object-store-open.ts';
import { createS3Client, removeKeys } from './s3-client.ts';
import { writeBehind } from './write-behind.ts';

const MB = 1024 * 1024;
const QUIET = { inspect() {} };
const full = { status: 503, code: 'storage_full', headers: { 'retry-after': '60' } };
const nothing = (): void => {};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'northline-store-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const freshFolder = (): string => mkdtempSync(path.join(folder, 'part-'));
const pieces = (count: number, size: number): Readable =>
  Readable.from(Array.from({ length: count }, () => randomBytes(size)));

describe('a store on S3 that refuses', () => {
  let s3: S3Server;
  let objects: ObjectStore;
  beforeAll(async () => {
    s3 = await startS3Server();
    objects = await openObjectStore(parseStorageUrl(s3.storageUrl), freshFolder());
  });
  afterAll(() => s3.close());

  const store = async (id: string = randomUUID()): Promise<string> => {
    await objects.keep(await objects.receive(id, pieces(1, 100), QUIET));
    return id;
  };

  test('that is full is a 503 that says when to retry, at the first answer', async () => {
    for (const code of ['InsufficientStorage', 'QuotaExceeded']) {
      s3.mishap((line) => line.startsWith('PUT'), { status: 507, code });
      await expect(store()).rejects.toMatchObject(full);
    }
  });

  test('without conditional writes is asked first, and stored objects stay', async () => {
    const unconditional = { status: 501, code: 'NotImplemented' };
    s3.mishap((line) => line.startsWith('PUT'), unconditional);
    const id = await store();
    expect(await (await objects.read(id))?.toArray()).toHaveLength(1);
    s3.mishap((line) => line.startsWith('PUT'), unconditional);
    await expect(store(id)).rejects.toThrow('the id of an object is taken');
  });

  test('and a proxy’s 200 in between, which stored nothing, is not believed', async () => {
    const page = { reply: '<html>Sign in to this network first</html>' };
    const away = { status: 503, code: 'storage_unavailable' };
    const ATTEMPTS = 4;
    for (let count = 0; count < ATTEMPTS; count += 1) s3.mishap((line) => line.startsWith('PUT'), page);
    await expect(store()).rejects.toMatchObject(away);
    s3.mishap((line) => line.startsWith('PUT'), page);
    const id = await store();
    expect(s3.keys()).toContain(`kept/objects/${id}`);
    for (let count = 0; count < ATTEMPTS; count += 1) s3.mishap((line) => line.startsWith('GET'), page);
    await expect(objects.read(id)).rejects.toMatchObject(away);
    expect(Buffer.concat((await (await objects.read(id))?.toArray()) ?? [])).toHaveLength(100);
  });

  test('that lost bytes of a multipart upload is noticed', async () => {
    const id = randomUUID();
    const received = await objects.receive(id, pieces(6, MB), QUIET);
    s3.mishap((line) => {
      if (line.startsWith('HEAD')) s3.damage(`kept/objects/${id}`, Buffer.from('short'));
      return false;
    }, 500);
    await expect(objects.keep(received)).rejects.toThrow(`has 5 bytes of an upload of ${6 * MB}`);
  });

  test('that does not answer about an object is not taken to lack it', async () => {
    s3.mishap((line) => line.startsWith('HEAD'), 403);
    await expect(objects.duplicate(await store(), randomUUID())).rejects.toMatchObject({ status: 403 });
  });

  test('a resumable upload with a gap is not joined', async () => {
    const id = randomUUID();
    await objects.append(id, 0, pieces(9, MB), { ...QUIET, checkpoint: async () => {} });
    const client = createS3Client(parseStorageUrl(s3.storageUrl) as S3Address);
    await removeKeys(client, [`uploads/${id}/${String(4 * MB).padStart(15, '0')}`]);
    await expect(objects.assemble(id, QUIET)).rejects.toThrow('a resumable upload has a gap');
  });

  test('a key that it did not remove is an error', async () => {
    const reply = '<DeleteResult><Error><Code>AccessDenied</Code></Error></DeleteResult>';
    s3.mishap((line) => line.startsWith('POST') && line.includes('delete'), { reply });
    await expect(objects.removeAll([randomUUID()])).rejects.toThrow('did not remove a key: AccessDenied');
  });

  test.each([
    ['a page of a proxy', { reply: '<Error>oh & no' }, 'GET', /does not answer/],
    ['another region', { status: 400, code: 'AuthorizationHeaderMalformed' }, 'GET', /check its region\.$/],
    [
      'a place where nothing may be written',
      { status: 403, code: 'AccessDenied' },
      'PUT',
      /refuses the keys/,
    ],
  ] as const)('%s is told in one sentence at the start', async (_what, mishap, method, sentence) => {
    const fresh = await startS3Server();
    try {
      for (let count = 0; count < 4; count += 1) fresh.mishap((line) => line.startsWith(method), mishap);
      const opening = openObjectStore(parseStorageUrl(fresh.storageUrl), freshFolder());
      await expect(opening).rejects.toThrow(sentence);
    } finally {
      await fresh.close();
    }
  });

  test('a missing bucket is an error too', async () => {
    const url = s3.storageUrl.replace('northline-tests', 'elsewhere');
    const opening = openObjectStore(parseStorageUrl(url), freshFolder());
    await expect(opening).rejects.toThrow(
      'The bucket elsewhere of STORAGE_URL does not exist: make it first.',
    );
  });
});

describe('a disk that fails', () => {
  test('that is full ends a resumable upload with a 503 that says when to retry', async () => {
    const place = freshFolder();
    const objects = await openObjectStore({ kind: 'disk', folder: place }, place);
    const id = randomUUID();
    symlinkSync('/dev/full', path.join(place, 'tmp', `${id}.part`));
    const appending = objects.append(id, 0, pieces(1, 100), { ...QUIET, checkpoint: async () => {} });
    await expect(appending).rejects.toMatchObject(full);
  });

  test('an object that cannot be opened is an error, and not missing', async () => {
    const place = freshFolder();
    const objects = await openObjectStore({ kind: 'disk', folder: place }, place);
    const id = randomUUID();
    mkdirSync(path.join(place, id.slice(0, 2)));
    symlinkSync(id, path.join(place, id.slice(0, 2), id));
    await expect(objects.read(id)).rejects.toMatchObject({ code: 'ELOOP' });
  });

  test('a short write is completed', async () => {
    const file = path.join(freshFolder(), 'short');
    const handle = await open(file, 'w');
    const short = Object.assign(Object.create(handle) as FileHandle, {
      writev: (batch: readonly Buffer[]) => handle.writev([batch[0]?.subarray(0, 7) ?? Buffer.alloc(0)]),
      write: (rest: Buffer) => handle.write(rest),
    });
    const bytes = [randomBytes(100), randomBytes(50)];
    const written = await writeBehind(short, Readable.from(bytes), nothing, { durable: false });
    await handle.close();
    expect(written).toBe(150);
    expect(Buffer.concat(bytes).equals(await readFile(file))).toBe(true);
  });

  test('a checkpoint that cannot be recorded ends the upload with its reason', async () => {
    const checkpoint = async (): Promise<void> => {
      throw new Error('the database is away');
    };
    const file = path.join(freshFolder(), 'appended');
    await expect(appendToFile(file, 0, pieces(12, MB), { ...QUIET, checkpoint })).rejects.toThrow(
      'the database is away',
    );
  });
});
