import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, mkdir, open, rm } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import type { ReadableStore } from '../../platform/storage/store-copy.server.ts';
import type { Manifest } from './backup-format.server.ts';
import type { OpenBackup } from './backup-proof.server.ts';
import type { DatabaseSnapshot } from './database-snapshot.server.ts';
import { seal, unseal } from './part-encryption.server.ts';

const FOLDER = 'objects';
const PAGE = 500;
const AT_ONCE = 4;

interface StoredObject {
  readonly version: string;
  readonly object: string;
  readonly size: number;
  readonly sha256: string;
}

/** The source and the destination of a backup's files. */
export interface FileCopy {
  readonly store: ReadableStore;
  readonly folder: string;
  readonly key: Buffer | undefined;
  /** An unencrypted earlier backup, whose files are linked if they are unchanged. */
  readonly previous: string | undefined;
}

/** The path of an object in a backup, as in a disk store: `objects/ab/abcd…`. */
function placeOf(folder: string, version: string): string {
  return path.join(folder, FOLDER, version.slice(0, 2), version);
}

/**
 * Copies the bytes of every object of the snapshot and compares each with its size and hash. An object that
 * the installation itself has lost or damaged is listed, and the others are still saved.
 */
export async function copyFiles(snapshot: DatabaseSnapshot, copy: FileCopy): Promise<Manifest['files']> {
  const files = { bytes_are: 'here' as const, count: 0, size: 0, lost: [] as Manifest['files']['lost'] };
  const shards = new Set<string>();
  for await (const object of objectsOf(snapshot)) {
    for (const one of object) shards.add(path.dirname(placeOf(copy.folder, one.version)));
    for (const shard of shards) await mkdir(shard, { recursive: true, mode: 0o700 });
    await Promise.all(
      object.map(async (one) => {
        const what = await copyFile(one, copy);
        files.count += 1;
        files.size += one.size;
        if (what !== undefined) files.lost.push({ object: one.object, version: one.version, what });
      }),
    );
  }
  for (const shard of shards) await syncFolder(shard);
  if (shards.size > 0) await syncFolder(path.join(copy.folder, FOLDER));
  return files;
}

/** Counts the objects of the snapshot whose bytes are not copied. */
export async function countFiles(snapshot: DatabaseSnapshot): Promise<Manifest['files']> {
  const [sum] = await snapshot.many<{ count: number; size: number }>(
    "select count(*)::float8 as count, coalesce(sum((metadata ->> 'size')::float8), 0) as size from storage.objects",
  );
  return { bytes_are: 'bucket', count: sum?.count ?? 0, size: sum?.size ?? 0, lost: [] };
}

/** The files of a backup as a store for reading. Reading fails for a file that was changed. */
export function backupStore({ folder, key }: OpenBackup): ReadableStore {
  return {
    async read(version) {
      const place = placeOf(folder, version);
      if (!existsSync(place)) return undefined;
      const handle = await open(place, 'r');
      const stored = handle.createReadStream({ highWaterMark: 256 * 1024 });
      return key === undefined
        ? stored
        : Readable.from(unseal(stored as AsyncIterable<Buffer>, key, nameOf(version)));
    },
  };
}

const nameOf = (version: string): string => `${FOLDER}/${version}`;

async function* objectsOf({ many }: DatabaseSnapshot): AsyncGenerator<StoredObject[]> {
  for (let after = ''; ; ) {
    const page = await many<StoredObject>(
      `select version, bucket_id || '/' || name as object, (metadata ->> 'size')::float8 as size,
              trim(both '"' from metadata ->> 'eTag') as sha256
         from storage.objects where version > $1 order by version limit $2`,
      [after, PAGE],
    );
    for (let at = 0; at < page.length; at += AT_ONCE) yield page.slice(at, at + AT_ONCE);
    if (page.length < PAGE) return;
    after = page.at(-1)?.version ?? '';
  }
}

/** @returns what is wrong with the installation's own bytes, or undefined */
async function copyFile(object: StoredObject, copy: FileCopy): Promise<string | undefined> {
  if (await linkFile(object, copy)) return undefined;
  const source = await copy.store.read(object.version);
  if (source === undefined) return 'its bytes are missing';
  const hash = createHash('sha256');
  let size = 0;
  const watched = (async function* () {
    for await (const piece of source as AsyncIterable<Buffer>) {
      hash.update(piece);
      size += piece.length;
      yield piece;
    }
  })();
  const place = placeOf(copy.folder, object.version);
  const handle = await open(place, 'wx', 0o600);
  try {
    const { key } = copy;
    for await (const piece of key === undefined ? watched : seal(watched, key, nameOf(object.version)))
      await handle.writeFile(piece);
    await handle.datasync();
  } finally {
    await handle.close();
  }
  if (size === object.size && hash.digest('hex') === object.sha256) return undefined;
  await rm(place);
  return 'its bytes are damaged';
}

/** Links the bytes from the previous backup if they are there and still right, because they never change. */
async function linkFile(object: StoredObject, { folder, previous }: FileCopy): Promise<boolean> {
  if (previous === undefined) return false;
  const before = placeOf(previous, object.version);
  if (!existsSync(before)) return false;
  const handle = await open(before, 'r');
  const hash = createHash('sha256');
  for await (const piece of handle.createReadStream({ highWaterMark: 256 * 1024 }))
    hash.update(piece as Buffer);
  if (hash.digest('hex') !== object.sha256) return false;
  try {
    await link(before, placeOf(folder, object.version));
    return true;
  } catch (error) {
    // Too many links, or a file system without links: the bytes are copied instead.
    if (/^(EMLINK|EPERM|ENOTSUP|EOPNOTSUPP)$/.test((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

/** Makes the names in a folder survive a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
