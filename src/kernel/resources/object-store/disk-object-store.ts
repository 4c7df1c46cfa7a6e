import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { link, mkdir, open, opendir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { ServiceError } from '../../contract/service-error.ts';
import { isUuid } from '../../contract/uuid.ts';
import { writeFileDurably } from '../crypto/durable-write.ts';
import { appendToFile } from './file-append.ts';
import { checkedId } from './object-id.ts';
import {
  type AppendOptions,
  type AssembleOptions,
  type ByteRange,
  MissingBytes,
  type ObjectStore,
  type ReceivedBytes,
  type ReceiveOptions,
} from './object-store.ts';
import { writeBehind } from './write-behind.ts';

/** Bytes read at once while serving. */
const READ_BYTES = 256 * 1024;
const PARTIAL = '.part';

/**
 * The object store on a local disk: `folder/ab/abcd…` for stored bytes, `folder/tmp/abcd….part` for bytes
 * that are being received. Several processes may share the folder.
 */
export function openDiskObjectStore(folder: string): ObjectStore {
  return new DiskObjectStore(folder);
}

class DiskObjectStore implements ObjectStore {
  readonly id: string;
  readonly #folder: string;
  readonly #temporary: string;
  /** Background syncs of resumable uploads by id; a failed one stays until `assemble` reports it. */
  readonly #syncing = new Map<string, Promise<void>>();

  constructor(folder: string) {
    this.#folder = folder;
    this.#temporary = path.join(folder, 'tmp');
    mkdirSync(this.#temporary, { recursive: true, mode: 0o700 });
    this.id = storeId(folder);
  }

  async receive(
    id: string,
    source: AsyncIterable<Buffer>,
    { inspect, ownsPieces = false }: ReceiveOptions,
  ): Promise<ReceivedBytes> {
    const file = this.#partial(id);
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
  }

  async append(
    id: string,
    offset: number,
    source: AsyncIterable<Buffer>,
    options: AppendOptions,
  ): Promise<void> {
    await appendToFile(this.#partial(id), offset, source, options).catch((error) => {
      throw asDiskError(error);
    });
    // Only `assemble` waits for this sync and reports its failure; by then little is left to sync.
    const before = this.#syncing.get(id) ?? Promise.resolve();
    const next = before.then(() => syncFile(this.#partial(id)));
    this.#syncing.set(id, next);
    next.then(
      () => this.#syncing.get(id) === next && this.#syncing.delete(id),
      () => {},
    );
  }

  async assemble(id: string, { inspect, known }: AssembleOptions): Promise<ReceivedBytes> {
    const file = this.#partial(id);
    const synced = (this.#syncing.get(id) ?? Promise.resolve()).then(() => syncFile(file));
    synced.catch(() => {});
    this.#syncing.delete(id);
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
  }

  async keep(received: ReceivedBytes): Promise<void> {
    await this.#linkDurably(received.file, received.id);
    await rm(received.file, { force: true });
  }

  discard(id: string): Promise<void> {
    this.#syncing.delete(id);
    return rm(this.#partial(id), { force: true });
  }

  async read(id: string, range?: ByteRange): Promise<Readable | undefined> {
    const handle = await open(this.#place(id), 'r').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    return handle?.createReadStream({ ...range, highWaterMark: READ_BYTES });
  }

  duplicate(id: string, copy: string): Promise<void> {
    return this.#linkDurably(this.#place(id), copy);
  }

  remove(id: string): Promise<void> {
    return rm(this.#place(id), { force: true });
  }

  async removeAll(ids: readonly string[]): Promise<void> {
    for (const id of ids) await this.remove(id);
  }

  async *kept(): AsyncGenerator<string> {
    for await (const entry of await opendir(this.#folder)) {
      if (!/^[0-9a-f]{2}$/.test(entry.name)) continue;
      for await (const blob of await opendir(path.join(this.#folder, entry.name))) {
        if (isUuid(blob.name)) yield blob.name;
      }
    }
  }

  async *received(): AsyncGenerator<string> {
    for await (const entry of await opendir(this.#temporary)) {
      const id = path.basename(entry.name, PARTIAL);
      if (isUuid(id)) yield id;
    }
  }

  #partial(id: string): string {
    return path.join(this.#temporary, `${checkedId(id)}${PARTIAL}`);
  }

  #shard(id: string): string {
    return path.join(this.#folder, checkedId(id).slice(0, 2));
  }

  #place(id: string): string {
    return path.join(this.#shard(id), id);
  }

  async #linkDurably(from: string, id: string): Promise<void> {
    if (!existsSync(this.#shard(id))) {
      await mkdir(this.#shard(id), { recursive: true, mode: 0o700 });
      await syncFolder(this.#folder);
    }
    await link(from, this.#place(id));
    await syncFolder(this.#shard(id));
  }
}

function storeId(folder: string): string {
  const file = path.join(folder, 'store-id');
  if (!existsSync(file)) writeFileDurably(file, `${randomUUID()}\n`);
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

/** Makes the bytes of a file durable on the disk. */
async function syncFile(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    await handle.datasync();
  } finally {
    await handle.close();
  }
}
