import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { PROJECT_ROOT } from '../../kernel/config/project-root.ts';
import { writeWalStatus } from '../../kernel/resources/database/wal-status.ts';

const DEPLOY = path.join(PROJECT_ROOT, 'deploy');
let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({
    settings: { RATE_LIMITS: 'on', AUTOMATION_URLS: 'crm=https://hooks.example.com/x' },
  });
});
afterAll(() => app.close());

const get = (token?: string) =>
  fetch(`${app.url}/metrics`, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } });
/** The samples of a scrape, as a map from `name{labels}` to the value. */
async function scrape(): Promise<Map<string, number>> {
  const text = await (await get(app.resources.keys.metrics_token)).text();
  return new Map(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line): [string, number] => {
        const at = line.lastIndexOf(' ');
        return [line.slice(0, at), Number(line.slice(at + 1))];
      }),
  );
}

test('only the metrics token gives access, and guesses are limited', async () => {
  const refused = await get();
  expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  expect(((await refused.json()) as { error: string }).error).toContain('metrics_token of keys.json');
  expect((await get(app.serviceKey)).status).toBe(401);
  const text = await get(app.resources.keys.metrics_token);
  expect([text.status, text.headers.get('content-type')]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ]);
  const guesses = await Promise.all(Array.from({ length: 40 }, () => get('guess')));
  expect(guesses.map(({ status }) => status)).toContain(429);
  expect((await get(app.resources.keys.metrics_token)).status).toBe(200);
});

test('requests are counted by service, method and status, pages of the site too', async () => {
  const before = await scrape();
  const paths = ['/', '/auth/v1/settings', '/rest/v1/user_files?select=*'];
  const answers = await Promise.all(paths.map((at) => fetch(app.url + at)));
  for (const answer of answers) await answer.text();
  const [page, settings, rest] = answers.map(({ status }) => String(status));
  const grown = async (service: string, status = '200') => {
    const name = `northline_http_requests_total{service="${service}",method="GET",status="${status}"}`;
    return ((await scrape()).get(name) ?? 0) - (before.get(name) ?? 0);
  };
  await expect.poll(() => grown('site', page)).toBeGreaterThanOrEqual(1);
  await expect.poll(() => grown('auth', settings)).toBe(1);
  await expect.poll(() => grown('rest', rest)).toBe(1);
  const after = await scrape();
  for (const percentile of ['50', '99', '99.9'])
    expect(after.has(`nodejs_eventloop_delay_seconds{percentile="${percentile}"}`), percentile).toBe(true);
  const latency = (series: string) => after.get(`northline_http_request_seconds_${series}`) ?? Number.NaN;
  const count = latency('count{service="rest"}');
  expect(count).toBeGreaterThanOrEqual(1);
  expect(latency('bucket{service="rest",le="+Inf"}')).toBe(count);
  expect(latency('bucket{service="rest",le="0.005"}')).toBeLessThanOrEqual(count);
  expect(latency('sum{service="rest"}')).toBeGreaterThan(0);
});

test('waiting work, given-up work and payments are figures read from the database', async () => {
  const { database } = app.resources;
  await database.run(
    `insert into private.outbox_events (kind, subject_id, state, target, data, created_at, queued_at)
     values ('x', gen_random_uuid(), 'dead', 'crm', '{}', now(), now()),
            ('x', gen_random_uuid(), 'pending', 'crm', '{}', now() - interval '1 hour', now())`,
  );
  await database.run(
    `insert into private.payment_invoices (id, customer_id, status, total, amount_due, amount_remaining, refunded, created_at, currency)
     values ('in_1', 'cus_1', 'paid', 4900, 4900, 0, 900, now(), 'gbp'), ('in_2', 'cus_2', 'paid', 5900, 5900, 0, 0, now(), 'jpy')`,
  );
  await database.run(
    `insert into private.backups (started_at, finished_at, folder, row_count, file_count, lost_files)
     values (now(), to_timestamp(1000000), '/b', 1, 1, 0)`,
  );
  await database.run(
    `insert into private.backup_verifications (started_at, finished_at, kind, verified, file_count)
     values (now(), to_timestamp(2000000), 'second', '/b', 1)`,
  );
  const minuteAgo = new Date(Date.now() - 60_000).toISOString();
  writeWalStatus(app.resources.settings.DATA_DIR, {
    ...{ archive: 'wal-1', usable_from: minuteAgo, reached_at: minuteAgo, base_at: minuteAgo, gap: null },
    ...{ waiting_bytes: 4096, error: null, error_since: null, base_error: null, at: minuteAgo },
    is_complete: false,
  });
  const figures = (await scrape()) as ReadonlyMap<string, number>;
  // Figures read for an earlier scrape are reused for some seconds.
  await expect
    .poll(async () => (await scrape()).get('northline_outbox_events{target="crm",state="dead"}'))
    .toBe(1);
  const now = await scrape();
  expect(now.get('northline_outbox_oldest_seconds')).toBeGreaterThanOrEqual(3600);
  expect(now.get('northline_money_minor_units{kind="total",currency="gbp"}')).toBe(4900);
  expect(now.get('northline_money_minor_units{kind="total",currency="jpy"}')).toBe(5900);
  expect(now.get('northline_money_minor_units{kind="refunded",currency="gbp"}')).toBe(900);
  expect(now.get('northline_backup_timestamp_seconds')).toBe(1_000_000);
  expect(now.get('northline_backup_verified_timestamp_seconds{kind="second"}')).toBe(2_000_000);
  expect(now.get('northline_backup_verification_failed{kind="second"}')).toBe(0);
  expect(now.get('northline_wal_waiting_bytes')).toBe(4096);
  expect(now.get('northline_wal_archive_failed')).toBe(0);
  expect(now.get('northline_wal_at_risk_seconds')).toBeGreaterThan(59);
  expect(now.get('northline_database_up')).toBe(1);
  expect(now.get('northline_disk_bytes{kind="free"}')).toBeGreaterThan(0);
  expect(figures.size).toBeGreaterThan(30);
});

test('dashboard and alerts name only existing figures and pages', async () => {
  const known = await (await get(app.resources.keys.metrics_token)).text();
  const names = new Set([...known.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
  const guide = readFileSync(path.join(PROJECT_ROOT, 'docs', 'operators-guide.md'), 'utf8');
  const anchors = [...guide.matchAll(/^## (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^a-z0-9 ]/g, '')
      .replaceAll(' ', '-'),
  );
  for (const file of readdirSync(DEPLOY).filter((name) => /alerts|dashboard/.test(name))) {
    const text = readFileSync(path.join(DEPLOY, file), 'utf8');
    const used = [...text.matchAll(/\b(?:northline|process|nodejs)_[a-z_]+/g)].map(([name]) =>
      name.replace(/_bucket$/, ''),
    );
    expect(
      used.filter((name) => !names.has(name)),
      file,
    ).toEqual([]);
    const pages = [...text.matchAll(/operators-guide\.md#([a-z-]+)/g)].map(([, anchor]) => anchor);
    expect(
      pages.filter((page) => !anchors.includes(page ?? '')),
      file,
    ).toEqual([]);
  }
});
