import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { link, mkdir, open, opendir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { ServiceError } from '../../contract/service-error.ts';
import { writeFileDurably } from '../crypto/write-file-durably.ts';
import { appendToFile } from './append-to-file.ts';
import { checkedId, OBJECT_ID } from './object-id.ts';
import { MissingBytes, type ObjectStore } from './object-store.ts';
import { writeBehind } from './write-behind.ts';

/** Read at once while serving, bytes. */
const READ_BYTES = 256 * 1024;
const PARTIAL = '.part';

/**
 * The object store on a local disk: `folder/ab/abcd…` for kept bytes, `folder/tmp/abcd….part`
 * for what is being received. Several processes may share the folder.
 */
export function openDiskObjectStore(folder: string): ObjectStore {
  const temporary = path.join(folder, 'tmp');
  mkdirSync(temporary, { recursive: true, mode: 0o700 });
  const partial = (id: string): string => path.join(temporary, `${checkedId(id)}${PARTIAL}`);
  const shard = (id: string): string => path.join(folder, checkedId(id).slice(0, 2));
  const place = (id: string): string => path.join(shard(id), id);
  const syncing = new Map<string, Promise<void>>();
  const remove = (id: string): Promise<void> => rm(place(id), { force: true });

  async function linkDurably(from: string, id: string): Promise<void> {
    if (!existsSync(shard(id))) {
      await mkdir(shard(id), { recursive: true, mode: 0o700 });
      await syncFolder(folder);
    }
    await link(from, place(id));
    await syncFolder(shard(id));
  }

  return {
    id: storeId(folder),
    async receive(id, source, { inspect, ownsPieces = false }) {
      const file = partial(id);
      const hash = createHash('sha256');
      const handle = await open(file, 'wx', 0o600);
      try {
        const pass = (piece: Buffer): void => {
          inspect(piece);
          hash.update(piece);
        };
        const bytes = await writeBehind(handle, source, pass, { ownsPieces });
        await handle.close();
        return { id, bytes, sha256: hash.digest('hex'), file };
      } catch (error) {
        await handle.close().catch(() => {});
        await rm(file, { force: true });
        throw asDiskError(error);
      }
    },
    async append(id, offset, source, options) {
      await appendToFile(partial(id), offset, source, options).catch((error) => {
        throw asDiskError(error);
      });
      // Nobody waits for it but the whole, which hears of its failure; so little is left to sync then.
      const before = syncing.get(id) ?? Promise.resolve();
      const next = before.then(() => syncFile(partial(id)));
      syncing.set(id, next);
      // A failure stays, to be heard of by the whole.
      next.then(
        () => syncing.get(id) === next && syncing.delete(id),
        () => {},
      );
    },
    async assemble(id, { inspect, known }) {
      const file = partial(id);
      const synced = (syncing.get(id) ?? Promise.resolve()).then(() => syncFile(file));
      synced.catch(() => {});
      syncing.delete(id);
      if (known !== undefined) {
        await synced;
        if ((await stat(file)).size !== known.bytes) throw new MissingBytes('bytes of a whole are missing');
        return { id, ...known, file };
      }
      const hash = createHash('sha256');
      let bytes = 0;
      for await (const piece of createReadStream(file, { highWaterMark: READ_BYTES })) {
        inspect(piece);
        hash.update(piece);
        bytes += piece.length;
      }
      await synced;
      return { id, bytes, sha256: hash.digest('hex'), file };
    },
    async keep(received) {
      await linkDurably(received.file, received.id);
      await rm(received.file, { force: true });
    },
    discard(id) {
      syncing.delete(id);
      return rm(partial(id), { force: true });
    },
    async read(id, range) {
      const handle = await open(place(id), 'r').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined;
        throw error;
      });
      return handle?.createReadStream({ ...range, highWaterMark: READ_BYTES });
    },
    duplicate: (id, copy) => linkDurably(place(id), copy),
    remove,
    async removeAll(ids) {
      for (const id of ids) await remove(id);
    },
    async *kept() {
      for await (const entry of await opendir(folder)) {
        if (!/^[0-9a-f]{2}$/.test(entry.name)) continue;
        for await (const blob of await opendir(path.join(folder, entry.name))) {
          if (OBJECT_ID.test(blob.name)) yield blob.name;
        }
      }
    },
    async *received() {
      for await (const entry of await opendir(temporary)) {
        const id = path.basename(entry.name, PARTIAL);
        if (OBJECT_ID.test(id)) yield id;
      }
    },
  };
}

function storeId(folder: string): string {
  const file = path.join(folder, 'store-id');
  if (!existsSync(file)) writeFileDurably(file, `${randomUUID()}\n`, 0o600);
  return readFileSync(file, 'utf8').trim();
}

/** Makes the names in a folder survive a power cut. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function asDiskError(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return error;
  return new ServiceError(503, 'storage_full', 'The server cannot store more files at the moment.', {
    cause: error,
    headers: { 'retry-after': '60' },
  });
}

/** The bytes of a file are on the disk. */
async function syncFile(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    await handle.datasync();
  } finally {
    await handle.close();
  }
}
