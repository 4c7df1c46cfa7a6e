import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  type ArchivedDatabase,
  rowsAt,
  startArchivedDatabase,
} from '../../../../tests/backup/archived-database.ts';
import { seeded } from '../../../../tests/histories/random.ts';
import { startS3Server } from '../../../../tests/support/servers/s3-server.ts';
import { readWalStatus } from '../../../kernel/resources/database/wal-status.ts';
import { expireArchives } from '../backup-expiry.server.ts';
import { type ArchivePlace, openArchivePlace } from './archive-place.server.ts';
import { restoreMoment } from './moment-restore.server.ts';
import { findMoment } from './moment-search.server.ts';
import { listArchives, listBases, openArchive } from './wal-archive.server.ts';

const PASSPHRASE = 'correct horse battery staple';
const ROUNDS = 6;
const ROWS = 20;

let installation: ArchivedDatabase;
let folder: string;
let place: ArchivePlace;

beforeAll(async () => {
  installation = await startArchivedDatabase();
  folder = mkdtempSync(path.join(os.tmpdir(), 'northline-archive-'));
  place = openArchivePlace(folder, path.join(folder, 'staging'));
});
afterAll(async () => {
  await installation?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const idsBefore = (at: number): number[] =>
  installation.rows.filter((row) => row.at <= at).map(({ id }) => id);

/** A place whose `put` fails for the numbers of calls that the test names, before or after its effect. */
function failingPlace(
  inner: ArchivePlace,
  fails: (call: number) => 'before' | 'after' | undefined,
): ArchivePlace {
  let calls = 0;
  return {
    ...inner,
    async put(name, source) {
      calls += 1;
      const when = fails(calls);
      if (when === 'before') throw new Error('The place is away.');
      await inner.put(name, source);
      if (when === 'after') throw new Error('The place is away.');
    },
  };
}

describe('with an encrypted archive, two databases that are killed and a writer that is killed', () => {
  const moments: number[] = [];
  let deleted: string;
  let erased: string;
  let beforeErasure: number;

  beforeAll(async () => {
    const random = seeded(685);
    const options = { passphrase: PASSPHRASE };
    await installation
      .archive(
        failingPlace(place, (call) => (call === 1 ? 'after' : undefined)),
        options,
      )
      .ship();
    const first = installation.archive(place, options);
    await first.ship();
    await first.makeBase();
    deleted = await installation.upload('a file that is deleted later');
    const [account] = await installation.query(
      "insert into auth.users (id, email) values (gen_random_uuid(), 'gone@example.com') returning id",
    );
    erased = String(account?.id);
    let shipping = first;
    for (let round = 0; round < ROUNDS; round += 1) {
      await installation.write(ROWS);
      moments.push(installation.rows.at(-random.below(ROWS) - 1)?.at ?? 0);
      // A process that is killed before, or after, its WAL came to the place; the next one goes on.
      const when = random.pick(['before', 'after', undefined] as const);
      shipping = installation.archive(
        failingPlace(place, (call) => (call === 1 ? when : undefined)),
        options,
      );
      await shipping.ship();
      if (round % 3 === 1) await installation.kill();
      if (round % 3 === 2) await installation.query('select pg_switch_wal()');
    }
    beforeErasure = Date.now();
    await installation.query('delete from auth.users where id = $1', [erased]);
    await installation.query('delete from storage.objects where version = $1', [deleted]);
    await installation.objects.remove(deleted);
    shipping = installation.archive(place, options);
    await shipping.ship();
  });

  test('a restore to a random moment has everything acknowledged before, and nothing committed after', async () => {
    for (const at of [moments[1] ?? 0, moments[4] ?? 0]) {
      const rows = await rowsAt(place, new Date(at), {
        passphrase: PASSPHRASE,
        statement: `select array_agg(id order by id) as ids, max(at) <= '${new Date(at + 1).toISOString()}' as early from private.seconds`,
      });
      const { ids, early } = rows[0] as { ids: number[]; early: boolean };
      expect(ids).toEqual(expect.arrayContaining(idsBefore(at)));
      expect(early).toBe(true);
    }
  });

  test('a file that was deleted later is there again, and an erased account stays erased', async () => {
    const dataDir = path.join(folder, 'restored');
    const wish = new Date(beforeErasure);
    const moment = await findMoment(place, PASSPHRASE, { wish, dataDir: path.join(folder, 'none') });
    const { faults, files } = await restoreMoment(moment, {
      DATA_DIR: dataDir,
      DATABASE_URL: '',
      STORAGE_URL: '',
    });
    expect({ faults, files }).toEqual({ faults: [], files: 1 });
    const file = path.join(dataDir, 'objects', deleted.slice(0, 2), deleted);
    expect(readFileSync(file, 'utf8')).toBe('a file that is deleted later');
    expect(moment.erased[erased]).toBeDefined();
    expect(readFileSync(path.join(dataDir, 'keys.json'), 'utf8')).toBe(
      readFileSync(path.join(installation.dataDir, 'keys.json'), 'utf8'),
    );
  });

  test('what was acknowledged and not archived yet is restored from a disk that survived', async () => {
    await installation.write(3);
    const latest = { passphrase: PASSPHRASE };
    const archived = await rowsAt(place, undefined, latest);
    expect(archived).toHaveLength(ROUNDS * ROWS);
    const all = await rowsAt(place, undefined, { ...latest, dataDir: installation.dataDir });
    expect(all.map(({ id }) => id)).toEqual(installation.rows.map(({ id }) => id));
  });

  test('nothing in the archive can be read without the passphrase', async () => {
    const none = path.join(folder, 'none');
    const wish = { wish: undefined, dataDir: none };
    await expect(findMoment(place, '', wish)).rejects.toThrow('is encrypted');
    await expect(findMoment(place, 'another passphrase', wish)).rejects.toThrow('does not fit');
  });
});

test('a place that is away for long: the state says so, the WAL on the disk is bounded, and the archive begins anew', async () => {
  const other = await startArchivedDatabase(64);
  onTestFinished(other.stop);
  let away = false;
  const fragile = failingPlace(openArchivePlace(path.join(folder, 'fragile'), folder), () =>
    away ? 'before' : undefined,
  );
  const before = other.archive(fragile);
  await before.ship();
  await before.makeBase();
  await other.write(1);
  await before.ship();
  away = true;
  await other.write(1);
  await before.ship();
  expect(readWalStatus(other.dataDir)).toMatchObject({ error: 'The place is away.', gap: null });
  for (let segment = 0; segment < 8; segment += 1) {
    await other.query("select pg_logical_emit_message(false, 'filler', repeat('x', 16000000))");
    await other.query('checkpoint');
  }
  away = false;
  const after = other.archive(fragile);
  await after.ship();
  const lost = readWalStatus(other.dataDir);
  expect(lost?.gap?.because).toContain('the place of backups was away for too long');
  expect(lost?.usable_from).toBeNull();
  expect(after.needsBase()).toBe(true);
  await after.makeBase();
  await after.ship();
  const mended = readWalStatus(other.dataDir);
  expect(mended).toMatchObject({ error: null, base_error: null });
  expect(mended?.gap?.to).toBe(mended?.usable_from);
  const inGap = new Date(Date.parse(mended?.gap?.to ?? '') - 1);
  await expect(rowsAt(fragile, inGap)).rejects.toThrow(
    `cannot be restored. These moments can: ${mended?.usable_from} to`,
  );
});

test('in a bucket: a second is restored, a full bucket is said, and what no restore needs is removed', async () => {
  const [other, s3] = [await startArchivedDatabase(), await startS3Server()];
  onTestFinished(async () => {
    await other.stop();
    await s3.close();
  });
  const bucket = openArchivePlace(s3.storageUrl, path.join(other.dataDir, 'wal-staging'));
  const shipping = other.archive(bucket);
  await shipping.ship();
  await shipping.makeBase();
  const deleted = await other.upload('deleted before the second copy');
  await other.write(5);
  await shipping.ship();
  const at = other.rows.at(-1)?.at ?? 0;
  expect(await rowsAt(bucket, new Date(at))).toHaveLength(5);
  const isDeleted = (): boolean => s3.keys().some((key) => key.endsWith(deleted));
  expect(isDeleted()).toBe(true);

  await other.write(1);
  s3.mishap((line) => line.startsWith('PUT'), { status: 507, code: 'InsufficientStorage' });
  await shipping.ship();
  expect(readWalStatus(other.dataDir)?.error).toMatch(/^The bucket of backups .* is full/);

  await other.query('delete from storage.objects where version = $1', [deleted]);
  await other.objects.remove(deleted);
  const next = other.archive(bucket);
  await next.ship();
  await next.makeBase();
  await next.ship();
  const [listed] = await listArchives(bucket);
  const archive = await openArchive(bucket, listed as NonNullable<typeof listed>, '');
  const limit = { days: 14, objects: other.objects };
  expect(await expireArchives(archive, { ...limit, now: new Date() })).toBe(0);
  expect(await listBases(archive)).toHaveLength(2);
  // The archive has noted the missing file; a copy made after that no longer needs it.
  await next.makeBase();
  await next.ship();
  await expireArchives(archive, { ...limit, now: new Date(Date.now() + 15 * 24 * 3600 * 1000) });
  expect(await listBases(archive)).toHaveLength(1);
  expect(isDeleted()).toBe(false);
  expect(await rowsAt(bucket, undefined)).toHaveLength(6);
});
