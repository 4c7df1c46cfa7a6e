import { mkdirSync, mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { PROJECT_ROOT } from '../../src/kernel/config/project-root.ts';
import { readChecksums, readMigrations } from '../../src/kernel/resources/database/migration-files.ts';
import { migrate } from '../../src/kernel/resources/database/migrations.ts';
import {
  dropDatabase,
  type RestoredInstallation,
  restoreDatabase,
  startTestApp,
  templateAddress,
} from '../support/test-app.ts';
import { ask } from '../support/test-database.ts';
import { type Facts, missingFrom } from './installation-life.ts';
import { readCatalogue } from './read-catalogue.ts';

const MIGRATIONS = path.join(PROJECT_ROOT, 'migrations');
const fixture = JSON.parse(
  gunzipSync(readFileSync(path.join(import.meta.dirname, 'installation-105ef88.json.gz'))).toString(),
) as Fixture;

/** As `fixture-make.ts` writes it. */
interface Fixture extends RestoredInstallation {
  readonly facts: Facts;
}

/** The database of the fixture, as its owner; dropped after the test. */
async function oldDatabase(name: string, dump = fixture.dump): Promise<string> {
  onTestFinished(() => dropDatabase(inject('testDatabase').admin, name));
  return restoreDatabase(name, dump);
}

async function rowsOf(address: string, sql: string): Promise<object[]> {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

const appliedNames = async (address: string): Promise<unknown> =>
  rowsOf(address, 'select name, checksum from private.schema_migrations order by name');

test('an installation of commit 105ef88 starts, everything is there, and its schema is a new one', async () => {
  const app = await startTestApp({ restored: fixture });
  onTestFinished(() => app.close());
  expect(await missingFrom({ url: app.url, keys: app.resources.keys }, fixture.facts)).toEqual([]);
  const fresh = templateAddress();
  expect(await appliedNames(app.databaseUrl)).toEqual(await appliedNames(fresh));
  const [found, wanted] = await Promise.all([readCatalogue(app.databaseUrl), readCatalogue(fresh)]);
  expect(wanted.length).toBeGreaterThan(1000);
  expect(found).toEqual(wanted);
});

test('two processes may start on it at the same moment, and only one marks it', async () => {
  const address = await oldDatabase('northline_test_two_starts');
  const owner = { connectionString: address };
  await Promise.all([migrate(owner, MIGRATIONS), migrate(owner, MIGRATIONS)]);
  const marked = readMigrations(MIGRATIONS).map(({ name, checksum }) => ({ name, checksum }));
  expect(await appliedNames(address)).toEqual(marked.sort((a, b) => (a.name < b.name ? -1 : 1)));
});

test('one that stopped half way through the replaced migrations learns which version completes them', async () => {
  const address = await oldDatabase('northline_test_half');
  await ask(address, "delete from private.schema_migrations where name >= '0180'");
  const before = await appliedNames(address);
  await expect(migrate({ connectionString: address }, MIGRATIONS)).rejects.toThrow(
    /older than 0\.1\.0 \(commit 105ef88\) \(it lacks 0180_bookings\.sql\): start that version on it once/,
  );
  expect(await appliedNames(address)).toEqual(before);
});

test('one whose replaced migration was changed is refused by name', async () => {
  const address = await oldDatabase('northline_test_changed');
  await ask(address, "update private.schema_migrations set checksum = 'x' where name = '0005_billing.sql'");
  await expect(migrate({ connectionString: address }, MIGRATIONS)).rejects.toThrow(
    /0005_billing\.sql was changed after it was applied/,
  );
});

test('a first start that was interrupted between two files continues where it stopped', async () => {
  const address = await oldDatabase('northline_test_cut_off', 'select 1');
  using folder = mkdtempDisposableSync(path.join(os.tmpdir(), 'northline-half-'));
  for (const { name, sql } of readMigrations(MIGRATIONS).slice(0, 6)) {
    const place = path.join(folder.path, name);
    mkdirSync(path.dirname(place), { recursive: true });
    writeFileSync(place, sql);
  }
  const owner = { connectionString: address };
  expect(await migrate(owner, folder.path)).toHaveLength(6);
  const all = readMigrations(MIGRATIONS).map(({ name }) => name);
  expect(await migrate(owner, MIGRATIONS)).toEqual(all.slice(6));
});

test('a landed migration is never changed, and every one is listed', () => {
  const listed = readChecksums(path.join(MIGRATIONS, 'landed.sha256'));
  const found = readMigrations(MIGRATIONS).map(({ name, checksum }) => [name, checksum]);
  expect(found).toEqual([...listed]);
  expect([...readChecksums(path.join(MIGRATIONS, 'replaced.sha256'))]).toHaveLength(34);
});
