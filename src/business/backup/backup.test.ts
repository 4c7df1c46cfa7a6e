import { randomBytes, randomUUID } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { callWithKey, newApiKey } from '../../../tests/support/customers/api-keys.ts';
import {
  createCustomer,
  type UploadingCustomer,
} from '../../../tests/support/customers/uploading-customer.ts';
import { createEmptyDatabase } from '../../../tests/support/empty-database.ts';
import { startS3Server } from '../../../tests/support/servers/s3-server.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { MIGRATIONS } from '../../kernel/resources/database/database-open.ts';
import { uncheckedSql } from '../../kernel/resources/database/fixed-sql.ts';
import { migrate } from '../../kernel/resources/database/migrations.ts';
import { makeJobTables } from '../../kernel/resources/jobs/job-tables.ts';
import { unlinkDeleted } from '../../platform/storage/storage-sweep.server.ts';
import { withBackupOf } from './backup-bucket.server.ts';
import { createBackup, type MadeBackup } from './backup-creation.server.ts';
import { findBackup, writeHeader, writeManifest } from './backup-format.server.ts';
import { writePart } from './backup-part.server.ts';
import { checkParts, openBackup } from './backup-proof.server.ts';
import { makeBackup } from './backup-record.server.ts';
import { restoreBackup } from './backup-restore.server.ts';
import { restoreDatabase } from './database-restore.server.ts';
import { withSnapshot } from './database-snapshot.server.ts';

const PASSPHRASE = 'correct horse battery staple';
const MARK = 'The rent of the harbour flat';
/** A queue of the product whose jobs may wait. */
const QUEUE = 'work-payment-event';

let app: TestApp;
let customer: UploadingCustomer;
let root: string;
let plain: string;
let sealed: string;

const place = (name: string): string => path.join(root, name);

function backup(to: string, passphrase = '', keep?: number): Promise<MadeBackup> {
  return makeBackup(app.resources, { to: place(to), passphrase, keep, withBucket: false });
}

/** Restores into an empty folder and database; returns the rows of one statement there. */
async function restored(
  folder: string,
  passphrase: string,
  statement: string,
): Promise<{ dataDir: string; rows: unknown[] }> {
  const database = await createEmptyDatabase();
  onTestFinished(database.drop);
  const dataDir = place(`restored-${randomUUID()}`);
  await restoreBackup(await openBackup(folder, passphrase), {
    DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    STORAGE_URL: '',
  });
  return { dataDir, rows: await ask(database.url, statement) };
}

async function ask(url: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(path.join(folder, name)).isFile(),
  );

/** Replaces a file by a new one, because other backups may have links to it. */
function replace(file: string, change: (bytes: Buffer) => Buffer): void {
  const bytes = change(readFileSync(file));
  rmSync(file);
  writeFileSync(file, bytes);
}

function copyOf(folder: string): string {
  const copy = place(`copy-${randomUUID()}`);
  cpSync(folder, copy, { recursive: true });
  return copy;
}

beforeAll(async () => {
  app = await startTestApp();
  root = mkdtempSync(path.join(os.tmpdir(), 'northline-backups-'));
  customer = await createCustomer(app);
  expect(await customer.upload('flat.txt', `${MARK} is due. ${'It is paid monthly. '.repeat(5000)}`)).toBe(
    'stored',
  );
  const after = new Date(Date.now() + 86_400_000);
  await app.resources.jobs.add(app.resources.database, QUEUE, { event: MARK }, { after });
  plain = (await backup('plain')).folder;
  sealed = (await backup('sealed', PASSPHRASE)).folder;
});
afterAll(async () => {
  await app?.close();
  rmSync(root, { recursive: true, force: true });
});

describe('what is restored', () => {
  test.each([
    ['plain', () => plain, ''],
    ['encrypted', () => sealed, PASSPHRASE],
  ])(
    'from a backup that is %s: rows, generated columns, waiting jobs, sequences, files and keys',
    async (_kind, folder, passphrase) => {
      const { dataDir, rows } = await restored(
        folder(),
        passphrase,
        `select (select sum(amount)::int from public.credit_transactions) as ledger,
              (select credits from public.customers) as credits,
              (select count(*)::int from public.user_files) as files,
              (select path_tokens[2] from storage.objects) as generated,
              (select count(*)::int from private.job where data ->> 'event' = '${MARK}' and state = 'created') as jobs,
              (select count(*)::int from pg_constraint where contype = 'f' and convalidated) as foreign_keys,
              (select count(*)::int from pg_trigger where not tgisinternal and tgenabled = 'O') as triggers`,
      );
      const [here] = await app.resources.database.many(
        `select (select count(*)::int from pg_constraint where contype = 'f' and convalidated) as foreign_keys,
              (select count(*)::int from pg_trigger where not tgisinternal and tgenabled = 'O') as triggers`,
      );
      expect(rows).toEqual([{ ledger: 9, credits: 9, files: 1, generated: 'flat.txt', jobs: 1, ...here }]);
      expect(readFileSync(path.join(dataDir, 'keys.json'), 'utf8')).toBe(
        readFileSync(path.join(app.resources.settings.DATA_DIR, 'keys.json'), 'utf8'),
      );
      const bytes = filesOf(path.join(dataDir, 'objects')).map((name) =>
        readFileSync(path.join(dataDir, 'objects', name), 'utf8'),
      );
      expect(bytes.filter((text) => text.startsWith(MARK))).toHaveLength(1);
    },
  );

  test('every API key ends there, because it may have been revoked since; here it stays valid', async () => {
    const { key } = await newApiKey(customer, ['documents:read']);
    const { folder } = await backup('with-key');
    const { rows } = await restored(
      folder,
      '',
      'select ended_at is not null as ended, ended_by from private.api_keys',
    );
    expect(rows).toEqual([{ ended: true, ended_by: 'restore' }]);
    expect((await callWithKey(app, key, 'list-documents', {})).status).toBe(200);
    await app.resources.database.run("update private.api_keys set ended_at = now(), ended_by = 'restore'");
    expect(await callWithKey(app, key, 'list-documents', {})).toMatchObject({
      status: 401,
      body: { error: 'This API key ended when a backup was restored. Make a new one.' },
    });
  });

  test('a database that is not empty is refused and stays as it is', async () => {
    const database = await createEmptyDatabase();
    onTestFinished(database.drop);
    await ask(database.url, 'create table mine (id int)');
    const dataDir = place('refused');
    await expect(
      restoreBackup(await openBackup(plain, ''), {
        DATA_DIR: dataDir,
        DATABASE_URL: database.url,
        STORAGE_URL: '',
      }),
    ).rejects.toThrow('The database is not empty');
    expect(readdirSync(dataDir)).toEqual([]);
    expect(await ask(database.url, "select nspname from pg_namespace where nspname = 'auth'")).toEqual([]);
  });

  test('attack 51: a backup of an older schema is restored at its own migrations and then migrated', async () => {
    const newest = '0999_backup_made_later.sql';
    const newer = place('newer-migrations');
    cpSync(MIGRATIONS, newer, { recursive: true });
    writeFileSync(path.join(newer, newest), 'create table private.made_later (id int);\n');
    const [from, to] = [await createEmptyDatabase(), await createEmptyDatabase()];
    onTestFinished(async () => {
      await from.drop();
      await to.drop();
    });
    await migrate({ connectionString: from.url }, MIGRATIONS);
    await makeJobTables({ connectionString: from.url });
    await ask(from.url, `insert into auth.users (id, email) values ('${randomUUID()}', 'old@example.com')`);
    const { keys, objects, settings } = app.resources;
    const made = await createBackup({
      ...{ owner: { connectionString: from.url }, dataDir: settings.DATA_DIR, keys, store: objects },
      ...{ withFiles: true, to: place('older'), passphrase: '', version: '0.0.9' },
    });
    const opened = await openBackup(made.folder, '');
    expect(opened.manifest.migrations.map(({ name }) => name)).not.toContain(newest);
    await restoreDatabase({ connectionString: to.url }, opened, newer);
    expect(await ask(to.url, 'select email from auth.users')).toEqual([{ email: 'old@example.com' }]);
    expect(
      await ask(to.url, `select 1 as there from private.schema_migrations where name = '${newest}'`),
    ).toEqual([{ there: 1 }]);
  });

  test('a table that no migration makes is never left out in silence', async () => {
    const database = await createEmptyDatabase();
    onTestFinished(database.drop);
    await app.resources.database.run(
      uncheckedSql('create table public.parcels_of_mine (id int)', 'composed'),
    );
    const { folder } = await backup('own-table');
    await app.resources.database.run(uncheckedSql('drop table public.parcels_of_mine', 'composed'));
    const dataDir = place('own-table-restored');
    await expect(
      restoreBackup(await openBackup(folder, ''), {
        DATA_DIR: dataDir,
        DATABASE_URL: database.url,
        STORAGE_URL: '',
      }),
    ).rejects.toThrow('The backup has the table public.parcels_of_mine, which no migration makes');
  });
});

describe('attack 51: what is not restored', () => {
  test('a backup of which any file was changed, cut short or taken away', async () => {
    // Checks some of the many tables, and everything that is not a table, because deriving the key of an
    // encrypted part is slow by design.
    for (const [original, passphrase, oneIn] of [
      [plain, '', 10],
      [sealed, PASSPHRASE, 50],
    ] as const) {
      const copy = copyOf(original);
      const parts = filesOf(copy).filter((name) => !name.startsWith('objects'));
      expect(parts.length).toBeGreaterThan(20);
      const changes: [string, (bytes: Buffer) => Buffer | undefined][] = [
        [
          'changed',
          (bytes) =>
            Buffer.concat([bytes.subarray(0, 40), Buffer.from([(bytes[40] ?? 0) ^ 1]), bytes.subarray(41)]),
        ],
        ['cut short', (bytes) => bytes.subarray(0, -1)],
        ['taken away', () => undefined],
      ];
      const chosen = parts.filter((name, at) => !name.startsWith('tables') || at % oneIn === 0);
      for (const name of chosen) {
        const file = path.join(copy, name);
        const whole = readFileSync(file);
        for (const [what, change] of changes) {
          // The header's last byte is a line end, which has no meaning.
          if (name === 'backup.json' && what === 'cut short') continue;
          const bytes = change(whole);
          if (bytes === undefined) rmSync(file);
          else writeFileSync(file, bytes);
          const attempt = openBackup(copy, passphrase).then(checkParts);
          await expect(attempt, `${name} ${what}`).rejects.toThrow(
            /changed or is damaged|There is no backup|newer version|not the one of/,
          );
        }
        writeFileSync(file, whole);
      }
      await openBackup(copy, passphrase).then(checkParts);
    }
  });

  test('a manifest that was written again with its right hash, but without the secret', async () => {
    const copy = copyOf(sealed);
    const opened = await openBackup(sealed, PASSPHRASE);
    const { tables: _, ...rest } = opened.manifest;
    rmSync(path.join(copy, 'manifest.json'));
    const manifest = await writePart(
      copy,
      'manifest.json',
      chunks(writeManifest({ ...rest, tables: [] })),
      opened.key,
    );
    const { mac: __, format: ___, ...fields } = opened.header;
    const forged = writeHeader({ ...fields, manifest }, { key: randomBytes(32), masterSecret: '' });
    writeFileSync(path.join(copy, forged.name), forged.text);
    await expect(openBackup(copy, PASSPHRASE)).rejects.toThrow(
      'its manifest is not the one that was written',
    );
  });

  test('an encrypted backup without its passphrase or with another one; nothing in it can be read', async () => {
    await expect(openBackup(sealed, '')).rejects.toThrow('is encrypted: name the file with its passphrase');
    await expect(openBackup(sealed, 'another passphrase')).rejects.toThrow('The passphrase does not fit');
    const secret = app.resources.keys.master_secret;
    const readable = (folder: string): number =>
      filesOf(folder).filter(
        (name) =>
          /The rent of|user_files|customers/.test(readFileSync(path.join(folder, name), 'latin1')) ||
          readFileSync(path.join(folder, name), 'latin1').includes(secret),
      ).length;
    expect(readable(plain)).toBeGreaterThan(0);
    expect(readable(sealed)).toBe(0);
  });

  test('a backup of a newer version, by its layout or by its migrations', async () => {
    const layout = copyOf(plain);
    replace(path.join(layout, 'backup.json'), (bytes) =>
      Buffer.from(bytes.toString().replace('"format": 1', '"format": 2')),
    );
    await expect(openBackup(layout, '')).rejects.toThrow('was made by a newer version of Northline');
    const database = await createEmptyDatabase();
    onTestFinished(database.drop);
    const opened = await openBackup(plain, '');
    const migrations = [...opened.manifest.migrations, { name: '9999_later.sql', checksum: 'x' }];
    await expect(
      restoreDatabase(
        { connectionString: database.url },
        { ...opened, manifest: { ...opened.manifest, migrations } },
      ),
    ).rejects.toThrow('was made by a newer version of Northline (it has 9999_later.sql)');
  });
});

async function* chunks(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

describe('beside the product', () => {
  test('the bytes of files that are deleted during a backup stay until it is made', async () => {
    const { database, objects } = app.resources;
    expect(await customer.upload('deleted.txt', 'soon gone')).toBe('stored');
    const { version } = await database.one(
      "select version /* not null */ from storage.objects where name like '%deleted.txt'",
    );
    await withSnapshot(database.owner, async (snapshot) => {
      expect((await customer.bucket.remove([customer.path('deleted.txt')])).error).toBeNull();
      await unlinkDeleted(app.resources);
      expect(await snapshot.many('select from storage.objects where version = $1', [version])).toHaveLength(
        1,
      );
      const bytes = await objects.read(version);
      expect(bytes).toBeDefined();
      bytes?.destroy();
    });
    await unlinkDeleted(app.resources);
    expect(await objects.read(version)).toBeUndefined();
  });

  test('a second simultaneous backup is refused, and both results are recorded', async () => {
    await withSnapshot(app.resources.database.owner, async () => {
      await expect(backup('second')).rejects.toThrow('Another backup of this installation is under way.');
    });
    const { folder } = await backup('second');
    const rows = await app.resources.database.many(
      'select folder, error from private.backups order by finished_at desc limit 2',
    );
    expect(rows).toEqual([
      { folder, error: null },
      { folder: place('second'), error: 'Another backup of this installation is under way.' },
    ]);
  });

  test('files of the previous backup are linked, and stay when that backup is removed', async () => {
    const first = await backup('kept', '', 2);
    const [object = ''] = filesOf(path.join(first.folder, 'objects'));
    const second = await backup('kept', '', 2);
    const inode = (folder: string): number => statSync(path.join(folder, 'objects', object)).ino;
    expect(inode(second.folder)).toBe(inode(first.folder));
    // A damaged file of the previous backup is not linked into the next one.
    replace(path.join(second.folder, 'objects', object), () => Buffer.from('rotten'));
    const third = await backup('kept', '', 2);
    expect(third.removed).toEqual([first.folder]);
    expect(readdirSync(place('kept')).sort()).toEqual(
      [second, third].map(({ folder }) => path.basename(folder)).sort(),
    );
    expect(readFileSync(path.join(third.folder, 'objects', object), 'utf8')).toContain(MARK);
    expect(findBackup(place('kept'))).toBe(third.folder);
  });

  test('a file that the installation itself has lost is named, and the others are still saved', async () => {
    const { database, objects } = app.resources;
    expect(await customer.upload('lost.txt', 'lost on the disk')).toBe('stored');
    const { version } = await database.one(
      "select version /* not null */ from storage.objects where name like '%lost.txt'",
    );
    await objects.remove(version);
    const made = await backup('lost');
    expect(made.files.lost).toEqual([
      { object: `user-uploads/${customer.path('lost.txt')}`, version, what: 'its bytes are missing' },
    ]);
    const { rows } = await restored(made.folder, '', 'select count(*)::int as files from public.user_files');
    expect(rows).toHaveLength(1);
  });

  test('a failed write is reported, and leaves nothing behind', async () => {
    writeFileSync(place('file'), '');
    await expect(backup('file/inside')).rejects.toThrow('ENOTDIR');
    expect(existsSync(place('file/inside'))).toBe(false);
  });
});

describe('in a bucket', () => {
  const backupTo = (to: string, keep?: number): Promise<MadeBackup> =>
    makeBackup(app.resources, { to, passphrase: '', keep, withBucket: false });

  test('a backup is sent completely, its header last; the newest is restored, and as many stay as requested', async () => {
    const server = await startS3Server();
    onTestFinished(() => server.close());
    const to = server.storageUrl.replace('?', '/daily?');
    const first = await backupTo(to);
    const header = server.lines.findLastIndex((line) => /^PUT .*\/backup\.json/.test(line));
    expect(header).toBe(server.lines.findLastIndex((line) => /^PUT .*\/northline-/.test(line)));
    const second = await backupTo(to, 1);
    expect(second.removed).toEqual([first.folder]);
    expect(server.keys().filter((key) => key.endsWith('/backup.json'))).toHaveLength(1);
    expect(server.keys().filter((key) => key.includes(`${path.basename(first.folder)}/`))).toEqual([]);
    expect(readdirSync(path.join(app.resources.settings.DATA_DIR, 'backup-staging'))).toEqual([]);

    const files = 'select id, file_path from public.user_files order by id';
    const { dataDir, rows } = await withBackupOf(to, (folder) => restored(folder, '', files));
    expect(rows.length).toBeGreaterThan(0);
    expect(rows).toEqual(await ask(app.databaseUrl, files));
    expect(existsSync(path.join(dataDir, 'keys.json'))).toBe(true);
    // Texts for operators contain no keys of the bucket.
    const [secret = ''] = /TESTKEY:[^@]+/.exec(to) ?? [];
    expect(secret).not.toBe('');
    const said = JSON.stringify([second, await ask(app.databaseUrl, 'select * from private.backups')]);
    expect(said).toContain('/daily/northline-');
    expect(said).not.toContain(secret);
    expect(said).not.toContain('TESTKEY');
  });

  test('an interrupted transfer is not a backup, says why, and damaged bytes are noticed', async () => {
    const server = await startS3Server();
    onTestFinished(() => server.close());
    const to = server.storageUrl;
    await expect(withBackupOf(to, async () => {})).rejects.toThrow('There is no backup in s3://');
    server.mishap((line) => line.includes('/backup.json'), 403);
    await expect(backupTo(to)).rejects.toThrow(/The bucket of backups s3:\/\/[^@]+ refused \(403 Mishap\)/);
    await expect(withBackupOf(to, async () => {})).rejects.toThrow('There is no backup in s3://');
    const name = path.basename((await backupTo(to)).folder);
    const damaged = server.keys().find((key) => key.includes(name) && key.endsWith('auth.users.gz')) ?? '';
    server.damage(damaged, Buffer.from('something else'));
    await expect(withBackupOf(to, (folder) => restored(folder, '', 'select'))).rejects.toThrow(
      'was changed or is damaged',
    );
  });
});
