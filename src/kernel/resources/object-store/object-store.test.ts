import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type S3Server, startS3Server } from '../../../../tests/support/servers/s3-server.ts';
import { parseStorageUrl } from '../../config/storage-url.ts';
import type { ObjectStore } from './object-store.ts';
import { openObjectStore } from './object-store-open.ts';

const MB = 1024 * 1024;
const QUIET = { inspect() {} };
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

let s3: S3Server;
const folders: string[] = [];
beforeAll(async () => {
  s3 = await startS3Server();
});
afterAll(async () => {
  await s3.close();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function freshFolder(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'northline-store-'));
  folders.push(folder);
  return folder;
}

const openDisk = (): Promise<ObjectStore> =>
  openObjectStore({ kind: 'disk', folder: freshFolder() }, freshFolder());
const openS3 = (): Promise<ObjectStore> => openObjectStore(parseStorageUrl(s3.storageUrl), freshFolder());

function pieces(bytes: Buffer, size = 300_000): AsyncIterable<Buffer> {
  return Readable.from(
    Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.subarray(at * size, (at + 1) * size),
    ),
  );
}

async function store(objects: ObjectStore, bytes: Buffer): Promise<string> {
  const id = randomUUID();
  const received = await objects.receive(id, pieces(bytes), QUIET);
  expect(received).toMatchObject({ id, bytes: bytes.length, sha256: sha256(bytes) });
  await objects.keep(received);
  return id;
}

async function read(objects: ObjectStore, id: string, range?: { start: number; end: number }) {
  const stream = await objects.read(id, range);
  return stream === undefined ? undefined : Buffer.concat(await stream.toArray());
}

describe.each([
  ['on disk', openDisk],
  ['on S3', openS3],
])('an object store %s', (_where, open) => {
  let objects: ObjectStore;
  beforeAll(async () => {
    objects = await open();
  });

  test.each([0, 1, 5 * MB - 1, 5 * MB, 11 * MB + 7])(
    'keeps %i bytes as they came, whole and in part',
    async (size) => {
      const bytes = randomBytes(size);
      const id = await store(objects, bytes);
      expect((await read(objects, id))?.equals(bytes)).toBe(true);
      expect(await read(objects, id, { start: 0, end: 0 })).toEqual(bytes.subarray(0, 1));
      if (size < 4) return;
      expect(await read(objects, id, { start: size - 3, end: size - 1 })).toEqual(bytes.subarray(-3));
      expect(await Array.fromAsync(objects.received())).not.toContain(id);
    },
  );

  test('never overwrites a stored object', async () => {
    const first = randomBytes(6 * MB);
    const id = await store(objects, first);
    for (const second of [Buffer.from('small'), randomBytes(6 * MB)]) {
      const received = await objects.receive(id, pieces(second), QUIET);
      await expect(objects.keep(received)).rejects.toThrow();
      await objects.discard(id);
    }
    expect((await read(objects, id))?.equals(first)).toBe(true);
    const other = await store(objects, Buffer.from('other'));
    await expect(objects.duplicate(other, id)).rejects.toThrow();
  });

  test('bytes that were not stored cannot be read, and a failure leaves nothing', async () => {
    const id = randomUUID();
    const received = await objects.receive(id, pieces(randomBytes(6 * MB)), QUIET);
    expect(await read(objects, id)).toBeUndefined();
    expect(await Array.fromAsync(objects.received())).toContain(id);
    await objects.discard(received.id);
    const failing = randomUUID();
    const source = (async function* () {
      yield* pieces(randomBytes(12 * MB));
      throw new Error('the client went away');
    })();
    await expect(objects.receive(failing, source, QUIET)).rejects.toThrow('the client went away');
    const refusing = {
      inspect(piece: Buffer) {
        if (piece.includes(0)) throw new Error('not of this type');
      },
    };
    await expect(objects.receive(randomUUID(), pieces(Buffer.alloc(9 * MB)), refusing)).rejects.toThrow(
      'not of',
    );
    expect(await Array.fromAsync(objects.received())).toEqual([]);
  });

  test('joins the parts of several requests, from the last checkpoint on', async () => {
    const id = randomUUID();
    const bytes = randomBytes(11 * MB);
    let safe = 0;
    const append = (offset: number, source: AsyncIterable<Buffer>): Promise<void> =>
      objects.append(id, offset, source, {
        inspect() {},
        checkpoint: async (end) => {
          safe = end;
        },
      });
    await append(0, pieces(bytes.subarray(0, 7)));
    expect(safe).toBe(7);
    const broken = (async function* () {
      yield* pieces(bytes.subarray(7, 6 * MB));
      throw new Error('cut off');
    })();
    await expect(append(7, broken)).rejects.toThrow('cut off');
    expect(safe).toBe(6 * MB);
    // Bytes after the last checkpoint that the database knows are written again.
    await append(7, pieces(bytes.subarray(7, 5 * MB)));
    await append(5 * MB, pieces(bytes.subarray(5 * MB)));
    await expect(append(12 * MB, pieces(bytes))).rejects.toThrow('missing');
    expect(await Array.fromAsync(objects.received())).toEqual([id]);
    const whole = await objects.assemble(id, QUIET);
    expect(whole).toMatchObject({ bytes: bytes.length, sha256: sha256(bytes) });
    await objects.keep(whole);
    expect((await read(objects, id))?.equals(bytes)).toBe(true);
    expect(await Array.fromAsync(objects.received())).toEqual([]);
  });

  test('copies, lists and removes, one and many', async () => {
    const ids = await Promise.all(
      Array.from({ length: 7 }, (_, index) => store(objects, Buffer.from(`${index}`))),
    );
    const copy = randomUUID();
    await objects.duplicate(ids[0] ?? '', copy);
    expect(String(await read(objects, copy))).toBe('0');
    await expect(objects.duplicate(randomUUID(), randomUUID())).rejects.toThrow();
    expect(await Array.fromAsync(objects.kept())).toEqual(expect.arrayContaining([...ids, copy]));
    await objects.remove(copy);
    await objects.remove(copy);
    await objects.removeAll([...ids, randomUUID()]);
    const kept = await Array.fromAsync(objects.kept());
    expect(kept.filter((id) => ids.includes(id) || id === copy)).toEqual([]);
    expect(await read(objects, copy)).toBeUndefined();
  });

  test('refuses ids that the server did not make', async () => {
    for (const id of ['../x', 'x', `${randomUUID()}/x`, '']) {
      await expect(objects.receive(id, pieces(Buffer.from('x')), QUIET)).rejects.toThrow('UUID');
    }
  });
});
