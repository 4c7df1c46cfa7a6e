import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import type { JobPolicy, Jobs } from '../../kernel/resources/jobs/jobs.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { makeBackup } from './backup-record.server.ts';
import { scheduleVerification } from './verification-schedule.server.ts';

const to = mkdtempSync(path.join(os.tmpdir(), 'northline-nightly-'));
let app: TestApp;
let beside: TestApp;
/** The schedules of two processes; the apps themselves have no place for backups, so they do nothing meanwhile. */
let schedules: Schedule[];
beforeAll(async () => {
  app = await startTestApp();
  beside = await startTestApp({ beside: app });
  schedules = [app, beside].map((one) => scheduleOf(one.resources));
});
afterAll(async () => {
  await beside?.close();
  await app?.close();
  rmSync(to, { recursive: true, force: true });
});

interface Schedule {
  readonly policy: JobPolicy;
  /** Looks for a backup that was not verified. */
  look(): Promise<void>;
  /** What a worker does with the job. */
  work(): Promise<void>;
}

/** The schedule of a process, run by the test instead of by the clock. */
function scheduleOf(resources: Resources): Schedule {
  const settings = { ...resources.settings, BACKUP_TO: to };
  const found: Partial<Record<keyof Schedule, unknown>> = {};
  const jobs = {
    define: (_name: string, policy: JobPolicy, work: () => Promise<void>) =>
      Object.assign(found, { policy, work }),
    every: (_name: string, _seconds: number, look: () => Promise<void>) => Object.assign(found, { look }),
    add: resources.jobs.add.bind(resources.jobs),
  } as unknown as Jobs;
  scheduleVerification({ ...resources, settings, jobs });
  return found as unknown as Schedule;
}

const backUp = async (): Promise<string> => {
  const { settings, database, keys, objects } = app.resources;
  const wish = { to, passphrase: '', keep: undefined, withBucket: false };
  return (await makeBackup({ settings, database, keys, objects }, wish)).folder;
};
const results = () =>
  app.resources.database.many(
    'select kind, verified, file_count, faults, error from private.backup_verifications order by finished_at',
  );

test('all processes together order one verification for each new backup, and run one at a time', async () => {
  await Promise.all(schedules.map(({ look }) => look()));
  const jobs = () =>
    app.resources.database.many("select group_id from private.job where name = 'backup.verify'");
  expect(await jobs()).toEqual([]);
  await backUp();
  await Promise.all(schedules.map(({ look }) => look()));
  await schedules[0]?.look();
  expect(await jobs()).toEqual([{ group_id: expect.any(String) }]);
  expect(schedules[0]?.policy).toMatchObject({ concurrency: 1, perGroup: 1 });
});

test('the newest backup of this installation is restored and found right, and a damaged one is not', async () => {
  const { DATA_DIR } = app.resources.settings;
  const newest = await backUp();
  const foreign = path.join(to, 'northline-20990101T000000Z');
  cpSync(newest, foreign, { recursive: true });
  const header = path.join(foreign, 'backup.json');
  const { installation } = JSON.parse(readFileSync(header, 'utf8'));
  writeFileSync(
    header,
    readFileSync(header, 'utf8').replace(installation, 'b5a3f2a0-5f3e-4a53-9e0f-0d5d9d0c2a11'),
  );
  // What a killed verification left.
  mkdirSync(path.join(DATA_DIR, 'verification', 'restored-1', 'postgres'), { recursive: true });
  await schedules[0]?.work();
  expect((await results()).at(-1)).toEqual({
    ...{ kind: 'backup', verified: newest, file_count: expect.anything(), faults: [], error: null },
  });
  expect(existsSync(path.join(DATA_DIR, 'verification'))).toBe(false);

  const [table = ''] = readdirSync(path.join(newest, 'tables'));
  appendFileSync(path.join(newest, 'tables', table), 'x');
  await schedules[1]?.work();
  const last = (await results()).at(-1);
  expect(last?.error).toContain('was changed or is damaged');
  expect(last).toMatchObject({ verified: to, file_count: null });
});
