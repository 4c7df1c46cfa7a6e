import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type S3Mishap, type S3Server, startS3Server } from '../../../../tests/support/servers/s3-server.ts';
import { parseStorageUrl } from '../../config/storage-url.ts';
import type { ObjectStore } from './object-store.ts';
import { openObjectStore } from './object-store-open.ts';

const MB = 1024 * 1024;
const LARGE = randomBytes(12 * MB);

let s3: S3Server;
let folder: string;
let objects: ObjectStore;

beforeAll(async () => {
  s3 = await startS3Server();
  folder = mkdtempSync(path.join(os.tmpdir(), 'northline-store-'));
});
beforeEach(async () => {
  objects = await open(s3.storageUrl);
});
afterAll(async () => {
  await s3.close();
  rmSync(folder, { recursive: true, force: true });
});

const open = (url: string): Promise<ObjectStore> => openObjectStore(parseStorageUrl(url), folder);

function receive(id: string, bytes: Buffer) {
  const pieces = Array.from({ length: bytes.length / MB }, (_, at) => bytes.subarray(at * MB, (at + 1) * MB));
  return objects.receive(id, Readable.from(pieces), { inspect() {} });
}

async function isWhole(id: string, bytes: Buffer): Promise<boolean> {
  const stream = await objects.read(id);
  return Buffer.concat((await stream?.toArray()) ?? []).equals(bytes);
}

describe('a store that fails now and then', () => {
  const occasions: [string, (line: string) => boolean][] = [
    ['the beginning of an upload', (line) => /^POST .*\?uploads=/.test(line)],
    ['a part', (line) => /partNumber=2/.test(line)],
    ['the completion', (line) => /^POST .*\?uploadId=/.test(line)],
  ];
  const mishaps: S3Mishap[] = ['cut before', 'cut after', 500, 503];
  test.each(occasions.flatMap(([what, matches]) => mishaps.map((how) => [what, how, matches] as const)))(
    '%s is tried again after: %s',
    async (_what, how, matches) => {
      s3.mishap(matches, how);
      const id = randomUUID();
      await objects.keep(await receive(id, LARGE));
      expect(await isWhole(id, LARGE)).toBe(true);
    },
  );

  test.each<S3Mishap>(['cut before', 'cut after', 503])(
    'a small object is stored once after: %s',
    async (how) => {
      s3.mishap((line) => line.startsWith('PUT'), how);
      const id = randomUUID();
      await objects.keep(await receive(id, LARGE.subarray(0, MB)));
      expect(await isWhole(id, LARGE.subarray(0, MB))).toBe(true);
    },
  );

  test('one that stays unavailable is a 503 that says when to retry, and the upload is dropped', async () => {
    for (let count = 0; count < 4; count += 1) s3.mishap((line) => /partNumber=/.test(line), 503);
    const id = randomUUID();
    await expect(receive(id, LARGE)).rejects.toMatchObject({
      status: 503,
      code: 'storage_unavailable',
      headers: { 'retry-after': '5' },
    });
    expect(s3.unfinished()).not.toContain(`kept/objects/${id}`);
  });

  test('a refusal is not retried', async () => {
    s3.mishap((line) => line.startsWith('PUT'), 403);
    const received = await receive(randomUUID(), LARGE.subarray(0, MB));
    const before = s3.lines.length;
    await expect(objects.keep(received)).rejects.toThrow('403');
    expect(s3.lines.length).toBe(before + 1);
  });
});

describe('two requests that write one resumable upload', () => {
  test('never mix their bytes: the later one meets a chunk and is refused', async () => {
    const id = randomUUID();
    const checkpoint = async (): Promise<void> => {};
    const append = (bytes: Buffer): Promise<void> =>
      objects.append(id, 0, Readable.from([bytes]), { inspect() {}, checkpoint });
    const both = await Promise.allSettled([append(Buffer.alloc(MB, 'a')), append(Buffer.alloc(2 * MB, 'b'))]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const whole = await objects.assemble(id, { inspect() {} });
    expect([MB, 2 * MB]).toContain(whole.bytes);
    await objects.discard(id);
  });
});

describe('the operator gets a sentence about what is wrong', () => {
  test.each([
    [
      'the secret',
      (url: string) => url.replace(/:[^:@]+@/, ':wrong@'),
      /refuses the keys.*SignatureDoesNotMatch/,
    ],
    ['the key', (url: string) => url.replace('TESTKEY', 'OTHER'), /refuses the keys.*InvalidAccessKeyId/],
    [
      'the bucket',
      (url: string) => url.replace('northline-tests', 'elsewhere'),
      /bucket elsewhere.* does not exist/,
    ],
    ['the region', (url: string) => url.replace('eu-test-1', 'us-east-1'), /refuses the keys/],
    ['the port', (url: string) => url.replace(/:\d+\//, ':1/'), /does not answer: check its host and port/],
  ])('%s', async (_what, change, sentence) => {
    await expect(open(change(s3.storageUrl))).rejects.toThrow(sentence);
  });
});

test('all processes that open one store see the same id', async () => {
  const others = await Promise.all([open(s3.storageUrl), open(s3.storageUrl)]);
  expect(others.map(({ id }) => id)).toEqual([objects.id, objects.id]);
  expect(s3.keys()).toContain('kept/store-id');
});
