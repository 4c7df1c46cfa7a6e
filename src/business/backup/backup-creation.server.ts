import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type pg from 'pg';
import { writeFileDurably } from '../../kernel/resources/crypto/durable-write.ts';
import type { Keys } from '../../kernel/resources/crypto/keys.ts';
import type { ReadableStore } from '../../platform/storage/store-copy.server.ts';
import { expireInFolder, removeUnfinishedBackups, unfinishedMark } from './backup-expiry.server.ts';
import {
  listBackups,
  type Manifest,
  newEncryption,
  writeHeader,
  writeManifest,
} from './backup-format.server.ts';
import { writePart } from './backup-part.server.ts';
import { type CopiedTable, type DatabaseSnapshot, withSnapshot } from './database-snapshot.server.ts';
import { noteErasures } from './erasure-notes.server.ts';
import { copyFiles, countFiles, syncFolder } from './file-backup.server.ts';

/** What to back up, and to which place. */
export interface BackupOrder {
  readonly owner: pg.ClientConfig;
  readonly dataDir: string;
  readonly keys: Keys;
  /** The store with the files' bytes. */
  readonly store: ReadableStore;
  /** True to copy the bytes; otherwise they stay in their bucket. */
  readonly withFiles: boolean;
  /** The folder for backups. */
  readonly to: string;
  /** '' for no passphrase. */
  readonly passphrase: string;
  /** How many backups of this installation to keep there; undefined keeps all. */
  readonly keep?: number | undefined;
  /** Version of the product, for people. */
  readonly version: string;
}

/** A finished backup. */
export interface MadeBackup {
  readonly folder: string;
  readonly rows: number;
  readonly files: Manifest['files'];
  /** Older backups that were removed. */
  readonly removed: readonly string[];
}

/**
 * Makes a backup while the product is running: the database in one snapshot, the bytes of all files that it
 * names, and the keys. The backup is written under another name and renamed when it is completely on disk, so
 * that a folder with the name of a backup is always complete.
 *
 * @throws Error with a sentence; nothing is left behind in that case
 */
export async function createBackup(order: BackupOrder): Promise<MadeBackup> {
  const to = path.resolve(order.to);
  mkdirSync(to, { recursive: true, mode: 0o700 });
  return withSnapshot(order.owner, async (snapshot) => {
    removeUnfinishedBackups(order.keys, to);
    const madeAt = new Date();
    const folder = path.join(to, `${unfinishedMark(order.keys)}${process.pid}`);
    mkdirSync(folder, { mode: 0o700 });
    try {
      const manifest = await writeBackup(snapshot, { ...order, to }, folder, madeAt);
      const name = freeName(to, madeAt);
      renameSync(folder, path.join(to, name));
      await noteErasures(snapshot, to);
      await syncFolder(to);
      const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0);
      return {
        folder: path.join(to, name),
        rows,
        files: manifest.files,
        removed: expireInFolder({ ...order, to }),
      };
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  });
}

async function writeBackup(
  snapshot: DatabaseSnapshot,
  order: BackupOrder,
  folder: string,
  madeAt: Date,
): Promise<Manifest> {
  const sealed = order.passphrase === '' ? undefined : await newEncryption(order.passphrase);
  const key = sealed?.key;
  const tables: Manifest['tables'] = [];
  for (const table of snapshot.tables) tables.push(await writeTable(snapshot, table, folder, key));
  const previous = listBackups(order.to, order.keys.voice_org_id)
    .filter(({ header }) => header.encryption === null)
    .at(-1);
  const manifest: Manifest = {
    postgres: snapshot.postgres,
    migrations: [...snapshot.migrations],
    tables,
    files: order.withFiles
      ? await copyFiles(snapshot, {
          store: order.store,
          folder,
          key,
          previous: sealed === undefined ? previous?.folder : undefined,
        })
      : await countFiles(snapshot),
    sequences: await snapshot.sequences(),
    // The file as it is now: it may have more keys than when it was loaded, but never another master secret.
    keys: await writePart(
      folder,
      'keys.json',
      once(readFileSync(path.join(order.dataDir, 'keys.json'))),
      key,
    ),
  };
  const header = writeHeader(
    {
      made_by: order.version,
      made_at: madeAt.toISOString(),
      installation: order.keys.voice_org_id,
      encryption: sealed?.encryption ?? null,
      manifest: await writePart(folder, 'manifest.json', once(Buffer.from(writeManifest(manifest))), key),
    },
    { key, masterSecret: order.keys.master_secret },
  );
  await syncFolder(path.join(folder, 'tables'));
  writeFileDurably(path.join(folder, header.name), header.text);
  return manifest;
}

async function writeTable(
  snapshot: DatabaseSnapshot,
  table: CopiedTable,
  folder: string,
  key: Buffer | undefined,
): Promise<Manifest['tables'][number]> {
  const copied = snapshot.copy(table);
  const number = snapshot.tables.indexOf(table);
  const plain = `${table.schema}.${table.name}`.replaceAll(/[^a-z0-9_.]/gi, '_');
  const part = await writePart(folder, `tables/${number}-${plain}.gz`, compressed(copied), key);
  return { ...table, columns: [...table.columns], rows: copied.rows(), part };
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

async function* compressed(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gzip = createGzip({ level: 3 });
  const fed = pipeline(Readable.from(source, { objectMode: false }), gzip);
  // An error of the source also ends the reading below.
  fed.catch(() => {});
  yield* gzip as AsyncIterable<Buffer>;
  await fed;
}

/** `northline-20261122T030000Z`, or the next free name when there is one of the same second. */
function freeName(to: string, madeAt: Date): string {
  const stamp = `northline-${madeAt.toISOString().replaceAll(/[-:]|\.\d+/g, '')}`;
  const taken = new Set(readdirSync(to));
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? stamp : `${stamp}-${number}`;
    if (!taken.has(name)) return name;
  }
}
