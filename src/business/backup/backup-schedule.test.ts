import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { orderBackup, WARNING_HOURS, warnOfNoBackup } from './backup-schedule.server.ts';

const to = mkdtempSync(path.join(os.tmpdir(), 'northline-daily-'));
const settings = {
  BACKUP_TO: to,
  BACKUP_HOUR: '0',
  BACKUP_KEEP: '2',
  CONTACT_EMAIL: 'agency@example.com',
  TIME_ZONE: 'UTC',
};
let app: TestApp;
let beside: TestApp;
beforeAll(async () => {
  app = await startTestApp({ settings });
  beside = await startTestApp({ settings, beside: app });
});
afterAll(async () => {
  await beside?.close();
  await app?.close();
  rmSync(to, { recursive: true, force: true });
});

const records = () =>
  app.resources.database.many('select folder, error from private.backups order by finished_at');
const mails = () =>
  app.resources.database.many("select subject from private.mails where subject like 'No backup%'");
const hoursAhead = (hours: number): Date => new Date(Date.now() + hours * 3_600_000);

test('all processes together make one backup a day, the first at once, and keep as many as configured', async () => {
  await expect.poll(async () => (await records()).length).toBe(1);
  for (const day of [1, 2]) {
    const at = hoursAhead(24 * day);
    await Promise.all([orderBackup(app.resources, at), orderBackup(beside.resources, at)]);
    await orderBackup(app.resources, at);
    await expect.poll(async () => (await records()).length).toBe(day + 1);
  }
  const made = await records();
  expect(made.map(({ error }) => error)).toEqual([null, null, null]);
  expect(readdirSync(to).sort()).toEqual(
    made
      .slice(-2)
      .map(({ folder }) => path.basename(folder))
      .sort(),
  );
});

test('no backup is made before its hour', async () => {
  const late = { ...app.resources, settings: { ...app.resources.settings, BACKUP_HOUR: 23 } };
  const before = await app.resources.database.many('select from private.job where name = $1', [
    'backup.make',
  ]);
  await orderBackup(late, new Date('2031-05-04T22:59:00Z'));
  expect(
    await app.resources.database.many('select from private.job where name = $1', ['backup.make']),
  ).toHaveLength(before.length);
});

test(`after ${WARNING_HOURS} hours without a good backup the agency gets one mail, and another when backups stop again`, async () => {
  const { resources } = app;
  await warnOfNoBackup(resources, hoursAhead(WARNING_HOURS - 1));
  expect(await mails()).toEqual([]);
  await Promise.all([
    warnOfNoBackup(resources, hoursAhead(49)),
    warnOfNoBackup(beside.resources, hoursAhead(49)),
  ]);
  await warnOfNoBackup(resources, hoursAhead(72));
  expect(await mails()).toHaveLength(1);
  await resources.database.run(
    "update private.backups set finished_at = now() + interval '10 days' where id = (select id from private.backups limit 1)",
  );
  await warnOfNoBackup(resources, hoursAhead(241));
  expect(await mails()).toHaveLength(1);
  await warnOfNoBackup(resources, hoursAhead(240 + 49));
  expect(await mails()).toHaveLength(2);
});
