import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { PROJECT_ROOT } from '../../kernel/config/project-root.ts';
import { readSettings } from '../../kernel/config/settings.ts';
import { forgetWalStatus, writeWalStatus } from '../../kernel/resources/database/wal-status.ts';
import {
  checkDatabase,
  checkMachine,
  checkSettings,
  checkWalArchive,
  exposesSecrets,
  type Finding,
} from './installation-check.server.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const whats = (findings: Finding[]): string => findings.map(({ what }) => what).join('\n');
/** Every page named by the findings of this file. */
const pages = new Set<string>();
const noted = (findings: Finding[]): Finding[] => {
  for (const { page } of findings) pages.add(page);
  return findings;
};
// The folder is only in the settings of this call: an application with it would make a backup there at its
// hour.
const asked = async () => {
  const { database, settings } = app.resources;
  return noted(await checkDatabase(database, { ...settings, BACKUP_TO: '/nowhere' }, new Date()));
};

test('settings that do not suit a public site are reported, but not on this machine', () => {
  const read = (environment: Record<string, string>) =>
    noted(checkSettings(readSettings(environment, '/nowhere')));
  const found = whats(
    read({ SITE_URL: 'http://www.example.com', TEST_PAYMENTS: 'true', RATE_LIMITS: 'off' }),
  );
  for (const part of [
    'without TLS',
    'TRUST_PROXY names none',
    'No mail server',
    'Stripe emulator',
    'no limits',
  ])
    expect(found).toContain(part);
  expect(whats(read({ BACKUP_TO: '/b', BACKUP_PASSPHRASE_FILE: '/p' }))).toBe('');
  expect(whats(read({ BACKUP_TO: '/b' }))).toContain('not encrypted');
});

test('keys that others can read and a full disk are faults', async () => {
  const { settings } = app.resources;
  const full = noted(await checkMachine({ ...settings, DISK_MIN_FREE_MB: 10_000_000 }));
  expect(whats(full)).toContain('The disk under DATA_DIR is full');
  expect(whats(await checkMachine(settings))).not.toContain('keys.json');
  chmodSync(path.join(settings.DATA_DIR, 'keys.json'), 0o644);
  expect(whats(noted(await checkMachine(settings)))).toContain('Other accounts can read keys.json');
  chmodSync(path.join(settings.DATA_DIR, 'keys.json'), 0o600);
});

test('a file of settings that others can read is a fault if it names a secret', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'northline-env-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, '.env');
  const exposes = (text: string, mode = 0o644): boolean => {
    writeFileSync(file, text);
    chmodSync(file, mode);
    return exposesSecrets(file);
  };
  expect(exposes('PORT=8081\n')).toBe(false);
  expect(exposes('PORT=8081\nSTRIPE_SECRET_KEY=sk_test_1\n')).toBe(true);
  expect(exposes('STRIPE_SECRET_KEY=sk_test_1\n', 0o600)).toBe(false);
  expect(exposesSecrets(path.join(folder, 'none'))).toBe(false);
});

test('waiting, given-up and late work in the database is reported with what to do', async () => {
  const { database } = app.resources;
  expect(whats(await asked())).toBe('There has been no successful backup for 48 hours.');
  await database.run(
    `insert into private.backups (started_at, folder, row_count, file_count, lost_files) values (now(), '/b', 1, 1, 0)`,
  );
  expect(await asked()).toEqual([]);
  await database.run(
    `insert into private.outbox_events (kind, subject_id, state, queued_at) values ('x', gen_random_uuid(), 'dead', now())`,
  );
  await database.run(
    `insert into public.enquiries (id, name, email, enquiry_type, address_hash, text_hash, due_at, warned_at)
     values ('ENQ-1-aaaaaaaaa', 'A', 'a@example.com', 'x', 'a', 'b', now() - interval '1 hour', now())`,
  );
  await database.run(
    `insert into auth.users (email, raw_app_meta_data) values ('op@example.com', '{"role": "operator"}')`,
  );
  await database.run(
    `with call as (insert into private.voice_records (kind, body) values ('call', '{}') returning id)
     insert into private.voice_recordings (call_id, worker, expires_at, refused)
     select id, 'elsewhere 1', now() + interval '1 day', 'EntityTooLarge' from call`,
  );
  const found = whats(await asked());
  for (const part of [
    'Recordings of calls that could not be stored: 1.',
    'Events that were given up: 1.',
    'Enquiries past their 24 hours: 1.',
    'Operators without a second factor: 1.',
  ])
    expect(found).toContain(part);
  const later = new Date(Date.now() + 600_000);
  const wide = { ...app.resources.settings, DATABASE_POOL: 200 };
  const server = whats(noted(await checkDatabase(database, wide, later)));
  expect(server).toMatch(/clocks .* are \d+ s apart/);
  expect(server).toContain('One process may open 475 connections');
});

test('a restore into the scratch folder that failed is a fault, and names the last that was right', async () => {
  const { database } = app.resources;
  const add = (at: string, faults: string[]) =>
    database.run(
      `insert into private.backup_verifications (started_at, finished_at, kind, verified, file_count, faults)
       values ($1, $1, 'backup', '/b/northline-1', 4, $2)`,
      [at, faults],
    );
  await add('2026-11-26T03:01:00Z', []);
  expect(whats(await asked())).not.toContain('could not be restored, or is not right');
  await add('2026-11-27T03:01:00Z', ['uploads/rent.pdf: its bytes are damaged.']);
  const found = (await asked()).find(({ what }) => what.includes('could not be restored'));
  expect(found).toMatchObject({
    level: 'fault',
    what: 'The newest backup could not be restored, or is not right: uploads/rent.pdf: its bytes are damaged.',
    act: 'The last that was right: 2026-11-26 03:01 UTC. Run verify and see what it says.',
  });
});

test('an archive of the write-ahead log that stands still, began anew or cannot be copied is reported', () => {
  const { settings } = app.resources;
  const now = new Date();
  const before = (seconds: number): string => new Date(now.getTime() - seconds * 1000).toISOString();
  const good = {
    ...{ archive: 'wal-1', usable_from: before(9000), reached_at: before(1), base_at: before(9000) },
    ...{ waiting_bytes: 0, gap: null, error: null, error_since: null, base_error: null },
    ...{ is_complete: false, at: before(1) },
  };
  const found = (changes: object): string => {
    writeWalStatus(settings.DATA_DIR, { ...good, ...changes });
    return whats(noted(checkWalArchive(settings, now)));
  };
  expect(found({})).toBe('');
  expect(found({ error: 'The bucket is full.', error_since: before(60), waiting_bytes: 5_000_000 })).toMatch(
    /^The write-ahead log is not archived since .* UTC: The bucket is full\.$/,
  );
  expect(found({ at: before(300), reached_at: before(300) })).toBe(
    'If the disk were lost now, up to 300 seconds of work would be lost.',
  );
  expect(found({ at: before(300), reached_at: before(300), is_complete: true })).toBe('');
  expect(found({ base_error: 'No space.' })).toContain(
    'The last copy of the database for the archive failed',
  );
  expect(found({ gap: { from: before(900), to: before(600), because: 'It was away.' } })).toContain(
    `no second between ${before(900)} and ${before(600)} can be restored. It was away.`,
  );
  forgetWalStatus(settings.DATA_DIR);
  expect(checkWalArchive(settings, now)).toEqual([]);
});

test('every finding names an existing page', () => {
  const guide = readFileSync(path.join(PROJECT_ROOT, 'docs', 'operators-guide.md'), 'utf8');
  const headings = [...guide.matchAll(/^## (.+)$/gm)].map(
    ([, title = '']) =>
      `docs/operators-guide.md#${title
        .toLowerCase()
        .replace(/[^a-z0-9 ]/g, '')
        .replaceAll(' ', '-')}`,
  );
  expect(pages.size).toBeGreaterThan(5);
  expect([...pages].filter((page) => !headings.includes(page))).toEqual([]);
});
