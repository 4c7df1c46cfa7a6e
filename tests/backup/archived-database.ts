import { createHash, randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { ArchivePlace } from '../../src/business/backup/wal/archive-place.server.ts';
import { withMoment } from '../../src/business/backup/wal/moment-restore.server.ts';
import { findMoment } from '../../src/business/backup/wal/moment-search.server.ts';
import { WalShipping } from '../../src/business/backup/wal/wal-shipping.server.ts';
import { type Keys, loadKeys } from '../../src/kernel/resources/crypto/keys.ts';
import { derivedSecret } from '../../src/kernel/resources/crypto/secrets.ts';
import { MIGRATIONS } from '../../src/kernel/resources/database/database-open.ts';
import {
  type EmbeddedPostgres,
  embeddedCluster,
  startEmbeddedPostgres,
  superuserOf,
} from '../../src/kernel/resources/database/embedded-postgres.ts';
import { migrate } from '../../src/kernel/resources/database/migrations.ts';
import { makeJobTables } from '../../src/kernel/resources/jobs/job-tables.ts';
import { createLog } from '../../src/kernel/resources/log/log.ts';
import { openDiskObjectStore } from '../../src/kernel/resources/object-store/disk-object-store.ts';
import { rememberNewObjects } from '../../src/kernel/resources/object-store/new-objects.ts';
import type { ObjectStore } from '../../src/kernel/resources/object-store/object-store.ts';

/** An acknowledged row, and a moment after the client knew of it, epoch ms. */
export interface AcknowledgedRow {
  readonly id: number;
  readonly at: number;
}

/** An embedded database with the product's schema, whose WAL is archived when a test says so. */
export interface ArchivedDatabase {
  readonly dataDir: string;
  readonly keys: Keys;
  readonly objects: ObjectStore;
  readonly rows: AcknowledgedRow[];
  /** Begins to archive; without closing an earlier one, as after a kill. */
  archive(place: ArchivePlace, options?: { readonly passphrase?: string }): WalShipping;
  query(text: string, values?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
  /** Commits rows one by one and notes each after its acknowledgement. */
  write(count: number): Promise<void>;
  /** Stores a file with its row, as an upload does; returns the id of its bytes. */
  upload(text: string): Promise<string>;
  /** Kills the server and starts it again. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts it in a new folder. @param walDiskMb most megabytes of WAL that wait for an archive */
export async function startArchivedDatabase(walDiskMb = 2048): Promise<ArchivedDatabase> {
  const root = mkdtempSync(path.join(os.tmpdir(), 'northline-seconds-'));
  // When we are root, PostgreSQL runs under another account, which has to enter the folder.
  chmodSync(root, 0o711);
  const dataDir = path.join(root, 'data');
  mkdirSync(dataDir, { mode: 0o711 });
  const keys = await loadKeys(dataDir);
  const password = derivedSecret(keys, 'postgres').toString('base64url');
  const server: EmbeddedPostgres = await startEmbeddedPostgres(dataDir, password, { walDiskMb });
  await migrate(server.owner, MIGRATIONS);
  await makeJobTables(server.owner);
  const { objects, newObjects } = rememberNewObjects(openDiskObjectStore(path.join(dataDir, 'objects')));
  const rows: AcknowledgedRow[] = [];
  const query = async (text: string, values: readonly unknown[] = []) => {
    const client = new pg.Client(superuserOf(server.owner));
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query(text, [...values])).rows as Record<string, unknown>[];
    } finally {
      await client.end();
    }
  };
  await query(
    'create table private.seconds (id serial primary key, at timestamptz default clock_timestamp())',
  );
  await query("insert into storage.buckets (id, name) values ('seconds', 'seconds')");
  await query('alter table private.seconds owner to northline');
  const shippings: WalShipping[] = [];
  return {
    ...{ dataDir, keys, objects, rows, query },
    archive(place, { passphrase = '' } = {}) {
      const shipping = new WalShipping({
        ...{ owner: server.owner, dataDir, keys, objects, newObjects, place, passphrase },
        days: 14,
        log: createLog('silent'),
      });
      shippings.push(shipping);
      return shipping;
    },
    async write(count) {
      const client = new pg.Client(server.owner);
      await client.connect();
      for (let done = 0; done < count; done += 1) {
        const answer = await client.query<{ id: number }>(
          'insert into private.seconds default values returning id',
        );
        rows.push({ id: answer.rows[0]?.id ?? 0, at: Date.now() + 1 });
      }
      await client.end();
      // That moment has come, so what is archived from now on reaches it.
      while (Date.now() <= (rows.at(-1)?.at ?? 0)) await pause(1);
    },
    async upload(text) {
      const id = randomUUID();
      const bytes = Buffer.from(text);
      await objects.keep(await objects.receive(id, once(bytes), { inspect() {} }));
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      await query(
        `insert into storage.objects (bucket_id, name, version, metadata)
         values ('seconds', $1, $2, jsonb_build_object('size', $3::int, 'eTag', $4::text))`,
        [`seconds/${id}`, id, bytes.length, `"${sha256}"`],
      );
      return id;
    },
    async kill() {
      const file = path.join(embeddedCluster(dataDir).folder, 'postmaster.pid');
      const pid = Number(readFileSync(file, 'utf8').split('\n')[0]);
      process.kill(pid, 'SIGKILL');
      while (isRunning(pid)) await pause(20);
      await server.revive();
    },
    async stop() {
      for (const shipping of shippings) await shipping.close();
      await server.stop();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** The rows of a restored moment, by `statement`. */
export async function rowsAt(
  place: ArchivePlace,
  wish: Date | undefined,
  options: { readonly passphrase?: string; readonly dataDir?: string; readonly statement?: string } = {},
): Promise<readonly Record<string, unknown>[]> {
  const scratch = mkdtempSync(path.join(os.tmpdir(), 'northline-second-'));
  chmodSync(scratch, 0o711);
  try {
    const dataDir = options.dataDir ?? path.join(scratch, 'none');
    const moment = await findMoment(place, options.passphrase ?? '', { wish, dataDir });
    return await withMoment(moment, { dataDir: scratch, scratch: true }, async ({ owner }) => {
      const client = new pg.Client(owner);
      await client.connect();
      const { rows } = await client.query(options.statement ?? 'select id from private.seconds order by id');
      await client.end();
      return rows;
    });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Whether a process is there; a zombie, which nobody has waited for yet, counts too. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
