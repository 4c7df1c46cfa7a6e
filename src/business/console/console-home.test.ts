import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { claims } from '../../../tests/support/claims.ts';
import {
  askConsole,
  newAccount,
  newOperator,
  type TestAccount,
} from '../../../tests/support/customers/operator-client.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import type { OperatorOverview } from './console.contract.ts';
import type { HomePage } from './home.contract.ts';

let app: TestApp;
let operator: TestAccount;
beforeAll(async () => {
  app = await startTestApp({ settings: { TIME_ZONE: 'Europe/London' } });
  operator = await newOperator(app);
});
afterAll(() => app.close());

const home = (): Promise<HomePage> => askConsole('home', operator);

test('the home of the console counts what happened by day, and names the bookings of today and tomorrow', async () => {
  claims('What waits for you, and how the week goes.');
  const { database } = app.resources;
  const before = await home();
  expect(before.days).toHaveLength(14);
  expect(before.bookings).toEqual([]);
  await database.run(
    `insert into private.payment_invoices (id, customer_id, status, total, amount_due, amount_remaining, refunded, created_at, currency)
     values ('in_a', 'cus_a', 'paid', 4900, 4900, 0, 900, now(), 'gbp'), ('in_b', 'cus_a', 'open', 4900, 4900, 4900, 0, now(), 'gbp'),
            ('in_c', 'cus_a', 'void', 4900, 0, 0, 0, now(), 'gbp'), ('in_d', 'cus_a', 'paid', 24900, 24900, 0, 0, now() - interval '8 days', 'gbp'),
            ('in_e', 'cus_a', 'paid', 100, 100, 0, 0, now() - interval '40 days', 'gbp'),
            ('in_f', 'cus_b', 'paid', 5900, 5900, 0, 0, now(), 'eur'), ('in_g', 'cus_b', 'paid', 100, 100, 0, 0, now(), 'eur')`,
  );
  await database.run(
    `insert into private.voice_records (kind, body) values
       ('call', '{"status":"ended","endedAt":"2026-11-27T10:00:00Z","analysis":{"successEvaluation":"false"}}'),
       ('call', '{"status":"ended","analysis":{"successEvaluation":"true"}}')`,
  );
  await database.run(
    `insert into northline_app.bookings (id, starts_at, minutes, name, phone, state) values
       ($1, now() + interval '5 minutes', 30, 'Ann Lee', '+44 1', 'booked'),
       ($2, now() + interval '6 minutes', 30, 'Gone', '+44 2', 'cancelled'),
       ($3, now() + interval '3 days', 30, 'Later', '+44 3', 'booked')`,
    [randomUUID(), randomUUID(), randomUUID()],
  );
  const after = await home();
  const sum = (currency: string, from: number, to?: number): number =>
    after.days.slice(from, to).reduce((total, { paid }) => total + (paid[currency] ?? 0), 0);
  expect([sum('gbp', 7), sum('gbp', 0, 7)]).toEqual([4000, 24_900]);
  expect([sum('eur', 7), sum('eur', 0, 7)]).toEqual([6000, 0]);
  expect(after.days.at(-1)).toMatchObject({ calls: 2, customers: before.days.at(-1)?.customers });
  expect(await askConsole('overview', operator)).toMatchObject({ openWishes: 1, bookingsSoon: 1 });
  expect(after.bookings.map(({ name }) => name)).toEqual(['Ann Lee']);
});

test('courses are in the menu of an agency that sells some, or has lessons of former ones', async () => {
  const { site } = app.resources;
  const sells = async () => (await askConsole<OperatorOverview>('overview', operator)).hasCourses;
  expect(await sells()).toBe(true);
  const before = site.installed;
  onTestFinished(() => site.install(before));
  site.install({ content: {}, plans: { sold: site.plans.documents, former: [] } });
  expect(await sells()).toBe(false);
});

test('each step of the checklist is looked up, and done only when it is', async () => {
  claims('… of … done.', 'Each is looked up anew when you open this page.');
  const { database } = app.resources;
  const stepsDone = async () => (await home()).steps.filter(({ done }) => done).map(({ id }) => id);
  const early = await stepsDone();
  expect(early).not.toEqual(expect.arrayContaining(['backup']));
  expect(early).not.toEqual(expect.arrayContaining(['colleague']));
  expect(early).not.toEqual(expect.arrayContaining(['address']));
  expect(early).not.toEqual(expect.arrayContaining(['mail']));
  for (const step of ['plans', 'legal']) expect(early).not.toContain(step);
  await database.run(
    `insert into private.site_versions (id, content, note) values (1, '{"plans": [], "legal": {"terms": "Geneva law applies."}}', '')`,
  );
  expect(await stepsDone()).toEqual(expect.arrayContaining(['plans', 'legal']));
  // The home page shows invented entries until the agency has replaced each.
  const samples = ['first', 'second', 'third', 'fourth'].flatMap((nth) => [
    `map.${nth}.sample`,
    `map.${nth}.result`,
  ]);
  const texts = Object.fromEntries(samples.map((place) => [place, 'Relevé de mars']));
  const { 'map.fourth.result': _left, ...most } = texts;
  const publish = (id: number, own: object) =>
    database.run("insert into private.site_versions (id, content, note) values ($1, $2, '')", [
      id,
      JSON.stringify({ texts: own }),
    ]);
  await publish(2, most);
  expect(await stepsDone()).not.toContain('sample');
  await publish(3, texts);
  expect(await stepsDone()).toContain('sample');
  await database.run(
    "insert into private.backups (started_at, folder, error) values (now(), '/b/1', 'the disk is full')",
  );
  expect(await stepsDone()).not.toContain('backup');
  await database.run(
    "insert into private.backups (started_at, folder, row_count, file_count, lost_files) values (now(), '/b/2', 1, 0, 0)",
  );
  await newOperator(app);
  expect(await stepsDone()).toEqual(expect.arrayContaining(['backup', 'colleague', 'call']));
});

test('the home is for operators', async () => {
  await expect(askConsole('home', await newAccount(app))).rejects.toMatchObject({ status: 403 });
});
