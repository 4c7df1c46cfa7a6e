import { chown, mkdir, open, symlink } from 'node:fs/promises';
import path from 'node:path';
import type { Account } from '../../../kernel/resources/database/postgres-binaries.ts';
import { BackupRefused } from '../backup-format.server.ts';

const BLOCK = 512;

/**
 * Unpacks a tar file as PostgreSQL writes it in a base copy (POSIX ustar without prefixes): plain files,
 * folders and symbolic links, in a folder of its own.
 *
 * @param account the owner of everything unpacked; undefined keeps ours
 * @param durable true to wait for the disk
 * @throws BackupRefused for anything else
 */
export async function unpackTar(
  source: AsyncIterable<Buffer>,
  folder: string,
  { account, durable }: { readonly account: Account | undefined; readonly durable: boolean },
): Promise<void> {
  const { read, finish, close } = readerOf(source);
  const give = async (place: string): Promise<void> => {
    if (account !== undefined) await chown(place, account.uid, account.gid);
  };
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await give(folder);
    while (await unpackNext(read, folder, { give, durable }));
    await finish();
  } finally {
    await close();
  }
}

/** False at the end of the tar file. */
async function unpackNext(
  read: Reader,
  folder: string,
  { give, durable }: { give: (place: string) => Promise<void>; durable: boolean },
): Promise<boolean> {
  const head = await read(BLOCK);
  const name = textOf(head.subarray(0, 100));
  if (name === '') return false;
  const place = path.join(folder, name);
  if (place !== folder && !place.startsWith(folder + path.sep)) throw unknown(name);
  const size = Number.parseInt(textOf(head.subarray(124, 136)), 8);
  const kind = String.fromCharCode(head[156] ?? 0);
  if (kind === '5') {
    await mkdir(place, { recursive: true, mode: 0o700 });
  } else if (kind === '2' && name.startsWith('pg_tblspc/')) {
    await symlink(textOf(head.subarray(157, 257)), place);
    return true;
  } else if (kind === '0') {
    await unpackFile(read, place, { size, durable });
  } else {
    throw unknown(name);
  }
  await give(place);
  return true;
}

async function unpackFile(
  read: Reader,
  place: string,
  { size, durable }: { readonly size: number; readonly durable: boolean },
): Promise<void> {
  const handle = await open(place, 'wx', 0o600);
  try {
    for (let left = size; left > 0; ) {
      const bytes = await read(Math.min(left, 1024 * 1024));
      await handle.writeFile(bytes);
      left -= bytes.length;
    }
    if (durable) await handle.datasync();
  } finally {
    await handle.close();
  }
  await read((BLOCK - (size % BLOCK)) % BLOCK);
}

type Reader = (bytes: number) => Promise<Buffer>;

/**
 * Reads an exact number of bytes at a time from a stream of pieces. `finish` reads the rest, as only the end of a sealed
 * stream proves that it is whole; `close` gives up a stream that was not read to its end.
 */
function readerOf(source: AsyncIterable<Buffer>): {
  readonly read: Reader;
  finish(): Promise<void>;
  close(): Promise<void>;
} {
  const pieces = source[Symbol.asyncIterator]();
  let waiting: Buffer = Buffer.alloc(0);
  const read: Reader = async (bytes) => {
    const got: Buffer[] = [];
    for (let left = bytes; left > 0; ) {
      if (waiting.length === 0) {
        const { value, done } = await pieces.next();
        if (done === true) throw new BackupRefused('The copy of the database is cut short.');
        waiting = value;
      }
      const part = waiting.subarray(0, left);
      waiting = waiting.subarray(part.length);
      left -= part.length;
      got.push(part);
    }
    return Buffer.concat(got);
  };
  return {
    read,
    async finish() {
      while ((await pieces.next()).done !== true);
    },
    async close() {
      await pieces.return?.();
    },
  };
}

function textOf(field: Buffer): string {
  const end = field.indexOf(0);
  return field
    .subarray(0, end === -1 ? field.length : end)
    .toString()
    .trim();
}

function unknown(name: string): BackupRefused {
  return new BackupRefused(`The copy of the database has something unknown: ${name}.`);
}
