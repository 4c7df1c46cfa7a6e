import { mkdirSync, mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { createBackup } from '../../src/business/backup/backup-creation.server.ts';
import { openBackup } from '../../src/business/backup/backup-proof.server.ts';
import { restoreDatabase as restoreBackup } from '../../src/business/backup/database-restore.server.ts';
import { PROJECT_ROOT } from '../../src/kernel/config/project-root.ts';
import { loadKeys } from '../../src/kernel/resources/crypto/keys.ts';
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
  gunzipSync(readFileSync(path.join(import.meta.dirname, 'installation-ff04e4b2.json.gz'))).toString(),
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

test('an installation of commit ff04e4b2 starts, everything is there, and its schema is a new one', async () => {
  const app = await startTestApp({ restored: fixture });
  onTestFinished(() => app.close());
  const installation = { url: app.url, keys: app.resources.keys, database: app.databaseUrl };
  expect(await missingFrom(installation, fixture.facts)).toEqual([]);
  const fresh = templateAddress();
  expect(await appliedNames(app.databaseUrl)).toEqual(await appliedNames(fresh));
  const [found, wanted] = await Promise.all([readCatalogue(app.databaseUrl), readCatalogue(fresh)]);
  expect(wanted.length).toBeGreaterThan(1000);
  expect(found).toEqual(wanted);
  for (const table of ['private.personal_data', 'private.plan_allowances']) {
    const rows = `select to_jsonb(t) as row from ${table} as t order by 1`;
    expect(await rowsOf(app.databaseUrl, rows), table).toEqual(await rowsOf(fresh, rows));
  }
});

/** How many rows each table has, by its name without its schema. */
async function countRows(address: string): Promise<Record<string, unknown>> {
  const rows = (await rowsOf(
    address,
    `select relname as name,
            (xpath('/row/n/text()', query_to_xml(format('select count(*) as n from %s', oid::regclass), false, true, '')))[1]::text as rows
       from pg_class
      where relkind = 'r' and relnamespace::regnamespace::text in ('auth', 'northline_app', 'private', 'public', 'storage')
        and relname <> 'schema_migrations'`,
  )) as { name: string; rows: string }[];
  return Object.fromEntries(rows.map(({ name, rows: count }) => [name, count]));
}

test('every row of it is kept, and two processes that start at the same moment upgrade it once', async () => {
  const address = await oldDatabase('northline_test_two_starts');
  await ask(
    address,
    `insert into public.course_messages (lesson_id, user_id, from_agency, body, mailed_at)
     select id, user_id, asked.from_agency, asked.body, asked.mailed_at from (select * from public.course_lessons limit 1) lesson,
       (values (false, 'Is it loud enough?', now()), (true, 'It is.', null)) as asked (from_agency, body, mailed_at)`,
  );
  const { course_messages: aboutLessons, ...before } = await countRows(address);
  const owner = { connectionString: address };
  await Promise.all([migrate(owner, MIGRATIONS), migrate(owner, MIGRATIONS)]);
  const marked = readMigrations(MIGRATIONS).map(({ name, checksum }) => ({ name, checksum }));
  expect(await appliedNames(address)).toEqual(marked.sort((a, b) => (a.name < b.name ? -1 : 1)));
  // Messages about lessons are messages now.
  const more = (table: string, by: number): string => String(Number(before[table]) + by);
  const after = Object.entries(await countRows(address));
  expect(Object.fromEntries(after.filter(([table]) => table in before))).toEqual({
    ...before,
    messages: more('messages', Number(aboutLessons)),
    message_notes: more('message_notes', Number(aboutLessons)),
    // The register of personal data names the tables that came since.
    personal_data: after.find(([table]) => table === 'personal_data')?.[1],
    // The site's greeting was changed, which makes a version.
    voice_assistant_versions: more('voice_assistant_versions', 1),
  });
  const moved = `select m.body, m.from_agency, n.mail_due from northline_app.messages m
    join private.message_notes n on n.message_id = m.id where m.lesson_id is not null order by m.from_agency`;
  expect(await rowsOf(address, moved)).toEqual([
    { body: 'Is it loud enough?', from_agency: false, mail_due: false },
    { body: 'It is.', from_agency: true, mail_due: true },
  ]);
});

test('everybody who was an operator becomes an owner of the console, and nobody else', async () => {
  const address = await oldDatabase('northline_test_operators');
  const people = `select email, raw_app_meta_data ->> 'operator_role' as role from auth.users
    where email like '%@roles.example' order by email`;
  await ask(
    address,
    `insert into auth.users (email, raw_app_meta_data) values
       ('ada@roles.example', '{"role": "operator", "provider": "email"}'), ('bob@roles.example', '{"provider": "email"}')`,
  );
  await migrate({ connectionString: address }, MIGRATIONS);
  expect(await rowsOf(address, people)).toEqual([
    { email: 'ada@roles.example', role: 'owner' },
    { email: 'bob@roles.example', role: null },
  ]);
});

test('one that is cut off in the middle of its upgrade is as it was before', async () => {
  const address = await oldDatabase('northline_test_cut_in_upgrade');
  const before = [await appliedNames(address), await readCatalogue(address)];
  // The last statement of the upgrade waits for this lock: everything else is done by then.
  const holder = new pg.Client({ connectionString: address });
  await holder.connect();
  await holder.query('begin; lock table private.schema_migrations in share mode');
  const upgrade = migrate({ connectionString: address }, MIGRATIONS);
  const cut = expect(upgrade).rejects.toThrow();
  const waiting = `select pid from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like 'delete from private.schema_migrations%'`;
  await expect.poll(() => rowsOf(address, waiting)).toHaveLength(1);
  await holder.query(`select pg_terminate_backend(pid) from (${waiting}) as found`);
  await cut;
  await holder.end();
  expect([await appliedNames(address), await readCatalogue(address)]).toEqual(before);
  await migrate({ connectionString: address }, MIGRATIONS);
});

test('one on which a process still runs is refused until that has stopped', async () => {
  const address = await oldDatabase('northline_test_still_runs');
  const running = new pg.Client({ connectionString: address, application_name: 'northline listen' });
  await running.connect();
  const before = await appliedNames(address);
  await expect(migrate({ connectionString: address }, MIGRATIONS)).rejects.toThrow(
    'stop every process, then start this version',
  );
  expect(await appliedNames(address)).toEqual(before);
  await running.end();
});

test('one that stopped half way through its migrations is told which version finishes them', async () => {
  const address = await oldDatabase('northline_test_half');
  await ask(
    address,
    "delete from private.schema_migrations where name = '0530_voice_meeting_recordings.sql'",
  );
  const before = await appliedNames(address);
  await expect(migrate({ connectionString: address }, MIGRATIONS)).rejects.toThrow(
    /older than ff04e4b2 \(it lacks 0530_voice_meeting_recordings\.sql\): start that version on it once/,
  );
  expect(await appliedNames(address)).toEqual(before);
});

test('one whose migration was changed is refused by its name, and so is one with another migration', async () => {
  const address = await oldDatabase('northline_test_changed');
  const change = "update private.schema_migrations set checksum = 'x' where name = '0212_backups.sql'";
  await ask(address, change);
  const upgrade = () => migrate({ connectionString: address }, MIGRATIONS);
  await expect(upgrade()).rejects.toThrow(/0212_backups\.sql was changed after it was applied/);
  await ask(
    address,
    "insert into private.schema_migrations (name, checksum) values ('0600_parcels.sql', 'x')",
  );
  await expect(upgrade()).rejects.toThrow('another version of Northline (it has 0600_parcels.sql)');
});

test('its backup is restored into this version', async () => {
  const old = await oldDatabase('northline_test_backup_of');
  using folder = mkdtempDisposableSync(path.join(os.tmpdir(), 'northline-old-backup-'));
  for (const [name, bytes] of Object.entries(fixture.folder)) {
    mkdirSync(path.dirname(path.join(folder.path, 'data', name)), { recursive: true });
    writeFileSync(path.join(folder.path, 'data', name), Buffer.from(bytes, 'base64'));
  }
  const made = await createBackup({
    owner: { connectionString: old },
    dataDir: path.join(folder.path, 'data'),
    keys: await loadKeys(path.join(folder.path, 'data')),
    store: { read: () => Promise.reject(new Error('no file is read')) },
    withFiles: false,
    to: path.join(folder.path, 'backups'),
    passphrase: '',
    version: 'ff04e4b2',
  });
  const restored = await oldDatabase('northline_test_backup_into', 'select 1');
  await restoreBackup({ connectionString: restored }, await openBackup(made.folder, ''));
  await migrate({ connectionString: old }, MIGRATIONS);
  const [kept, found] = [await countRows(old), await countRows(restored)];
  for (const table of [
    'messages',
    'course_lessons',
    'bookings',
    'analysis_reports',
    'user_files',
    'customers',
  ])
    expect(found[table], table).toBe(kept[table]);
  expect(await readCatalogue(restored)).toEqual(await readCatalogue(templateAddress()));
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
});
