import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporaryFolder } from '../support/servers/product-process.ts';
import { checkRestored, type TakenBackup, takeBackups } from './backup-run.ts';

const BACKUPS = 3;

const folder = temporaryFolder('backups');
const taken: TakenBackup[] = [];
beforeAll(() =>
  takeBackups(folder.path, { backups: BACKUPS, seed: 51 }, async (backup) => {
    taken.push(backup);
  }),
);
afterAll(() => folder[Symbol.dispose]());

test('backups are made while customers sign up, pay and upload', () => {
  expect(taken).toHaveLength(BACKUPS);
  const last = taken.at(-1)?.expected ?? [];
  expect(last.reduce((sum, { files }) => sum + files.size, 0)).toBeGreaterThan(0);
  expect(last.reduce((sum, { payments }) => sum + payments, 0)).toBeGreaterThan(0);
});

test.each(Array.from({ length: BACKUPS }, (_, at) => at))(
  'backup %i, restored, has all that was acknowledged before it, once',
  async (at) => {
    expect(await checkRestored(taken[at] as TakenBackup)).toEqual([]);
  },
);
