import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  askConsole,
  newAccount,
  newOperator,
  type TestAccount,
} from '../../../../tests/support/customers/operator-client.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { uncheckedSql } from '../../../kernel/resources/database/fixed-sql.ts';
import type { SearchHits } from './console-search.contract.ts';

let app: TestApp;
let operator: TestAccount;
const CALL = randomUUID();
const BOOKING = randomUUID();
let priya: { readonly id: string; readonly email: string };

beforeAll(async () => {
  app = await startTestApp();
  operator = await newOperator(app);
  const account = await newAccount(app, 'priya');
  const { data } = await account.client.auth.updateUser({ data: { full_name: "Priya O'Shah" } });
  priya = { id: data.user?.id ?? '', email: account.email };
  const { database } = app.resources;
  const { id: customer } = await database.one(
    "insert into public.customers (user_id, customer_id) values ($1, 'cus_priya') returning id",
    [priya.id],
  );
  await database.run(
    "insert into private.payment_customers (customer_id, customer_row) values ('cus_priya', $1)",
    [customer],
  );
  await database.run(
    `insert into private.payment_invoices (id, customer_id, number, status, total, amount_due, amount_remaining, created_at, currency)
     values ('in_priya', 'cus_priya', 'KXW-2041', 'paid', 4900, 4900, 0, now(), 'gbp')`,
  );
  await database.run(
    `insert into public.enquiries (id, name, email, phone, enquiry_type, additional_notes, address_hash, text_hash)
     values ('ENQ-7-abc', 'P. Shah', $1, '020 7946 0018', 'App Builder', 'Two offices, one switchboard. 100% sure_thing', 'a', 't')`,
    [priya.email.toUpperCase()],
  );
  await database.run(
    `insert into northline_app.bookings (id, starts_at, minutes, name, phone) values ($1, now() + interval '1 day', 20, 'Ms Lindqvist', '+44 20 7946 0018')`,
    [BOOKING],
  );
  await database.run(`insert into private.voice_records (id, kind, body) values ($1, 'call', $2)`, [
    CALL,
    {
      status: 'ended',
      endedAt: '2026-11-27T10:00:00Z',
      customer: { number: '+442079460018' },
      transcript: 'AI: Hello\nUser: My boiler is leaking',
    },
  ]);
  await database.run(
    "insert into northline_app.messages (user_id, from_agency, body) values ($1, false, 'Is the draft of the lease ready?')",
    [priya.id],
  );
});
afterAll(() => app.close());

async function found(words: string, account = operator): Promise<string[]> {
  const { hits } = await askConsole<SearchHits>(`search?q=${encodeURIComponent(words)}`, account);
  return hits.map(({ kind, id }) => `${kind} ${kind === 'message' ? '' : id}`.trim());
}

test('one search finds customers, enquiries, calls, bookings, messages and invoices', async () => {
  expect(await found('priya')).toEqual([`customer ${priya.id}`, 'enquiry ENQ-7-abc']);
  expect(await found("priya o'shah")).toEqual([`customer ${priya.id}`, 'enquiry ENQ-7-abc']);
  expect(await found("o'shahs")).toEqual([]);
  expect(await found(priya.email)).toEqual([`customer ${priya.id}`, 'enquiry ENQ-7-abc']);
  expect(await found('kxw-2041')).toEqual(['invoice in_priya']);
  expect(await found('2041')).toEqual(['invoice in_priya']);
  expect(await found('cus_priya')).toEqual([`customer ${priya.id}`]);
  expect(await found('switchb')).toEqual(['enquiry ENQ-7-abc']);
  expect(await found('leaking boiler')).toEqual([`call ${CALL}`]);
  expect(await found('lindq')).toEqual([`booking ${BOOKING}`]);
  expect(await found('lease draft')).toEqual(['message']);
  expect(await found('ENQ-7-abc')).toEqual(['enquiry ENQ-7-abc']);
});

test('a telephone number finds its customer, however it is written', async () => {
  const all = [`customer ${priya.id}`, 'enquiry ENQ-7-abc', `call ${CALL}`, `booking ${BOOKING}`];
  for (const number of ['+44 20 7946 0018', '02079460018', '(020) 7946-0018', '7946 0018', '60018'])
    expect(await found(number), number).toEqual(all);
  expect(await found('7946 0019')).toEqual([]);
});

test('every sign is a letter of the words or nothing: no pattern, no operator, no mistake', async () => {
  for (const words of ['%', '__', "' | !priya", 'priya:*', '\\', "'; drop table x", '& | !', '🙂🙂', 'x'])
    expect(await found(words), words).not.toContain('invoice in_priya');
  expect(await found('sure_thing')).toEqual(['enquiry ENQ-7-abc']);
  expect(await found('w'.repeat(200))).toEqual([]);
  await expect(found('w'.repeat(201))).rejects.toMatchObject({ status: 400 });
});

test('the search is for operators, also in the database, and a deleted account is not found', async () => {
  const stranger = await newAccount(app);
  await expect(found('priya', stranger)).rejects.toMatchObject({ status: 403, code: 'not_operator' });
  const { data } = await stranger.client.auth.getUser();
  const claims = { sub: data.user?.id, role: 'authenticated', app_metadata: { role: 'operator' } };
  const asked = app.resources.database.asCaller(
    { role: 'authenticated', userId: data.user?.id, claims },
    (queries) => queries.many("select kind from operator.search('priya', 5)"),
  );
  await expect(asked).rejects.toThrow('This is for operators');
  await app.resources.database.run('update auth.users set deleted_at = now() where id = $1', [priya.id]);
  expect(await found('priya')).toEqual(['enquiry ENQ-7-abc']);
  expect(await found('kxw-2041')).toEqual([]);
  await app.resources.database.run('update auth.users set deleted_at = null where id = $1', [priya.id]);
});

test('each kind is found by an index', async () => {
  const indexes = await app.resources.database.many(
    uncheckedSql<{ name: string }>(
      `select indexrelname as name from pg_stat_user_indexes
        where indexrelname ~ '_(search|phone_ending|call_phone|call_search)_idx$'
          and relname not like '%passages' order by 1`,
      'composed',
    ),
  );
  expect(indexes.map(({ name }) => name)).toEqual([
    'bookings_phone_ending_idx',
    'bookings_search_idx',
    'course_lessons_search_idx',
    'enquiries_phone_ending_idx',
    'enquiries_search_idx',
    'messages_search_idx',
    'payment_invoices_search_idx',
    'users_phone_ending_idx',
    'users_search_idx',
    'voice_records_call_phone_idx',
    'voice_records_call_search_idx',
  ]);
  await app.resources.database.transaction(async (queries) => {
    // Few rows are read as they stand; this asks whether the index could serve.
    await queries.run(uncheckedSql('set local enable_seqscan = off', 'composed'));
    const uses = await queries.many(
      uncheckedSql<{ 'QUERY PLAN': string }>(
        `explain select id from public.enquiries e
          where private.search_words(e.id || ' ' || e.name || ' ' || e.email || ' ' || coalesce(e.company_name, '') || ' ' || e.enquiry_type
                 || ' ' || coalesce(e.additional_notes, '') || ' ' || coalesce(e.course_description, '') || ' ' || e.note)
                @@ to_tsquery('pg_catalog.simple', 'switchb:*')
             or e.phone is not null and private.phone_ending(e.phone) like '8100%'`,
        'composed',
      ),
    );
    const plan = uses.map((line) => line['QUERY PLAN']).join('\n');
    expect(plan).toContain('enquiries_search_idx');
    expect(plan).toContain('enquiries_phone_ending_idx');
  });
});
