import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { uncheckedSql } from './fixed-sql.ts';
import { prepared } from './prepared-statements.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ settings: { DATABASE_POOL: '2' } });
});
afterAll(() => app?.close());

test('a prepared statement is planned once for each connection, and works on after a migration changes its table', async () => {
  const { database } = app.resources;
  await database.run(uncheckedSql('create table private.prepared_here (a int)', 'command'));
  await database.run(uncheckedSql('insert into private.prepared_here values (1)', 'foreign'));
  const select = prepared('select * from private.prepared_here where a = $1');
  const rows = () =>
    Promise.all([1, 2].map(() => database.one(uncheckedSql<object>(select, 'composed'), [1])));
  const plans = async () =>
    database.transaction(async (queries) => {
      const { n } = await queries.one(
        "select count(*) as n from pg_prepared_statements where name like 'northline_%'",
      );
      return Number(n);
    });
  expect(await rows()).toEqual([{ a: 1 }, { a: 1 }]);
  expect(await rows()).toEqual([{ a: 1 }, { a: 1 }]);
  expect(await plans()).toBe(1);
  await database.run(
    uncheckedSql("alter table private.prepared_here add column b text default 'new'", 'command'),
  );
  expect(await rows()).toEqual([
    { a: 1, b: 'new' },
    { a: 1, b: 'new' },
  ]);
});
