import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import type { Queries } from './database.ts';
import { changedUnlessTaken } from './unique-violation.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const add = (queries: Queries, key: string, value: string | null) =>
  queries.run('insert into private.installation (key, value) values ($1, $2)', [key, value]);
const storedAt = async (key: string) =>
  (await app.resources.database.maybe('select value from private.installation where key = $1', [key]))?.value;

test('a value that another row has leaves the transaction unchanged, and it continues', async () => {
  const { database } = app.resources;
  await add(database, 'taken', 'theirs');
  const made = await database.transaction(async (queries) => [
    await changedUnlessTaken(queries, () => add(queries, 'free', 'ours')),
    await changedUnlessTaken(queries, async () => {
      await add(queries, 'half', 'ours');
      await add(queries, 'taken', 'ours');
    }),
    await changedUnlessTaken(queries, () => add(queries, 'last', 'ours')),
  ]);
  expect(made).toEqual([true, false, true]);
  const values = await Promise.all(['taken', 'free', 'half', 'last'].map(storedAt));
  expect(values).toEqual(['theirs', 'ours', undefined, 'ours']);
});

test('any other failure is thrown, and nothing of the transaction stays', async () => {
  const work = app.resources.database.transaction(async (queries) => {
    await add(queries, 'before', 'ours');
    return changedUnlessTaken(queries, () => add(queries, 'nothing', null));
  });
  await expect(work).rejects.toMatchObject({ code: '23502' });
  expect(await storedAt('before')).toBeUndefined();
});
