import { createReadStream, existsSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { listKeys, removeKeys, type S3Client } from '../../../kernel/resources/object-store/s3-client.ts';
import { abortUnfinished, sendFile } from '../../../kernel/resources/object-store/s3-file.ts';
import { inSentence, isBucketPlace, openBucket } from '../backup-place.server.ts';
import { syncFolder } from '../file-backup.server.ts';

/** A folder or bucket that holds files by names such as `wal-…/objects/ab/abcd…`. */
export interface ArchivePlace {
  /**
   * Writes a file, durably and whole: a name never stands for half a file. Replaces what is there.
   *
   * @throws Error with a sentence when the place is full or does not answer
   */
  put(name: string, source: AsyncIterable<Buffer>): Promise<void>;
  /** The bytes of a file; undefined when there is none. */
  get(name: string): Promise<AsyncIterable<Buffer> | undefined>;
  /** The names below a prefix that ends with `/`, sorted. */
  list(prefix: string): Promise<string[]>;
  /** Removes files; names that do not exist do not matter. */
  remove(names: readonly string[]): Promise<void>;
  /** Removes what killed processes left of names with a prefix; call it before this process writes there. */
  removeUnfinished(prefix: string): Promise<void>;
}

/** What a killed process leaves of a file that it was writing. */
const UNFINISHED = '.unfinished';
/** Bytes that are fetched from a bucket at once. */
const RANGE_BYTES = 4 * 1024 * 1024;

/**
 * Opens a place for backups.
 *
 * @param place a folder, or `s3://…`
 * @param staging a local folder for files on their way to a bucket
 */
export function openArchivePlace(place: string, staging: string): ArchivePlace {
  return isBucketPlace(place) ? bucketPlace(place, staging) : folderPlace(place);
}

function folderPlace(root: string): ArchivePlace {
  const synced = new Set<string>();
  let written = 0;
  return {
    async put(name, source) {
      const file = path.join(root, name);
      const folder = path.dirname(file);
      written += 1;
      const unfinished = `${file}.${process.pid}-${written}${UNFINISHED}`;
      if (!synced.has(folder)) {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await syncFolder(path.dirname(folder));
        synced.add(folder);
      }
      try {
        await writeWhole(unfinished, source);
        await rename(unfinished, file);
        await syncFolder(folder);
      } catch (error) {
        // Somebody may have removed the folder.
        synced.delete(folder);
        await rm(unfinished, { force: true }).catch(() => {});
        const { code = '' } = error as NodeJS.ErrnoException;
        if (code !== 'ENOSPC' && code !== 'EDQUOT') throw error;
        throw new Error(`The folder of backups ${root} is full: make space, or keep fewer backups.`, {
          cause: error,
        });
      }
    },
    async get(name) {
      const file = path.join(root, name);
      return existsSync(file) ? (createReadStream(file) as AsyncIterable<Buffer>) : undefined;
    },
    async list(prefix) {
      const folder = path.join(root, prefix);
      if (!existsSync(folder)) return [];
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      return entries
        .filter((entry) => entry.isFile() && !entry.name.endsWith(UNFINISHED))
        .map((entry) => prefix + path.relative(folder, path.join(entry.parentPath, entry.name)))
        .sort();
    },
    async remove(names) {
      for (const name of names) await rm(path.join(root, name), { force: true });
    },
    async removeUnfinished(prefix) {
      if (!existsSync(root)) return;
      for (const top of (await readdir(root)).filter((one) => one.startsWith(prefix))) {
        const names = await readdir(path.join(root, top), { recursive: true });
        for (const name of names.filter((one) => one.endsWith(UNFINISHED)))
          await rm(path.join(root, top, name), { force: true });
      }
    },
  };
}

function bucketPlace(place: string, staging: string): ArchivePlace {
  const client = openBucket(place);
  let sent = 0;
  return {
    async put(name, source) {
      sent += 1;
      const file = path.join(staging, `wal-${process.pid}-${sent}${UNFINISHED}`);
      await mkdir(staging, { recursive: true, mode: 0o700 });
      try {
        await writeWhole(file, source);
        await inSentence(place, () => sendFile(client, name, file));
      } finally {
        await rm(file, { force: true });
      }
    },
    async get(name) {
      return inSentence(place, async () => {
        // Asked first, because a missing key and a refused one are told apart only in a list.
        for await (const { key, size } of listKeys(client, name))
          if (key === name) return readByRanges(client, name, size);
        return undefined;
      });
    },
    async list(prefix) {
      return inSentence(place, async () => {
        const names: string[] = [];
        for await (const { key } of listKeys(client, prefix)) names.push(key);
        return names.sort();
      });
    },
    remove: (names) => inSentence(place, () => removeKeys(client, names)),
    async removeUnfinished(prefix) {
      await rm(staging, { recursive: true, force: true });
      await inSentence(place, () => abortUnfinished(client, prefix));
    },
  };
}

/**
 * The bytes of an object, each range fetched as a whole: a server gives up a connection whose reader is slow, and a
 * restore writes to a disk as it reads.
 */
async function* readByRanges(client: S3Client, key: string, size: number): AsyncGenerator<Buffer> {
  for (let start = 0; start < size; start += RANGE_BYTES) {
    const range = `bytes=${start}-${Math.min(size, start + RANGE_BYTES) - 1}`;
    const { stream } = await client.send({ method: 'GET', key, headers: { range } }, true);
    if (stream !== null) yield Buffer.from(await new Response(stream).arrayBuffer());
  }
}

async function writeWhole(file: string, source: AsyncIterable<Buffer>): Promise<void> {
  const handle = await open(file, 'w', 0o600);
  try {
    for await (const piece of source) await handle.writeFile(piece);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
