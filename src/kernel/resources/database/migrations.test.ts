import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { ask } from '../../../../tests/support/test-database.ts';
import { migrate } from './migrations.ts';

/** An empty database and a folder of migrations, for one test. */
async function fresh() {
  const { admin, owner, ownerRole } = inject('testDatabase');
  const name = `northline_migrations_${randomBytes(5).toString('hex')}`;
  await ask(admin, `create database ${name} owner ${ownerRole}`);
  const folder = mkdtempSync(path.join(os.tmpdir(), 'northline-migrations-'));
  onTestFinished(async () => {
    rmSync(folder, { recursive: true, force: true });
    await ask(admin, `drop database ${name} with (force)`);
  });
  const write = (file: string, sql: string): void => writeFileSync(path.join(folder, file), sql);
  return { write, folder, run: () => migrate({ connectionString: owner.replace('DATABASE', name) }, folder) };
}

test('each file is applied once, in the order of the names, and a failing one changes nothing', async () => {
  const { write, run } = await fresh();
  write('0002_second.sql', 'insert into private.first values (2);');
  write('0001_first.sql', 'create table private.first (id int primary key);');
  expect(await run()).toEqual(['0001_first.sql', '0002_second.sql']);
  expect(await run()).toEqual([]);
  write('0003_third.sql', 'create table private.third (id int); insert into private.first values (2);');
  await expect(run()).rejects.toThrow(/^The migration 0003_third\.sql failed: duplicate key value/);
  write('0003_third.sql', 'create table private.third (id int);');
  expect(await run()).toEqual(['0003_third.sql']);
});

test('a changed or newer schema is refused by the name of its file', async () => {
  const { write, folder, run } = await fresh();
  write('0001_first.sql', 'create table private.first (id int);');
  write('0002_second.sql', 'create table private.second (id int);');
  await run();
  write('0001_first.sql', 'create table private.other (id int);');
  await expect(run()).rejects.toThrow('The migration 0001_first.sql was changed after it was applied');
  write('0001_first.sql', 'create table private.first (id int);');
  rmSync(path.join(folder, '0002_second.sql'));
  await expect(run()).rejects.toThrow('made by a newer version of Northline (it has 0002_second.sql)');
});

test('a database that does not answer is reported in one sentence', async () => {
  await expect(migrate({ host: '127.0.0.1', port: 1 }, os.tmpdir())).rejects.toThrow(
    /^The database cannot be reached: .*ECONNREFUSED/,
  );
});
