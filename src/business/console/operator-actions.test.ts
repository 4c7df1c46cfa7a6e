import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { claims } from '../../../tests/support/claims.ts';
import {
  newAccount,
  newOperator,
  type TestAccount,
} from '../../../tests/support/customers/operator-client.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { manageOperators } from '../../cli/operators-command.ts';
import { createHeavyQueue } from '../../kernel/http/heavy-queue.ts';
import { uncheckedSql } from '../../kernel/resources/database/fixed-sql.ts';
import { forgetWalStatus, writeWalStatus } from '../../kernel/resources/database/wal-status.ts';
import { mailReplies } from '../enquiries/enquiry-replies.server.ts';
import type {
  BookingsPage,
  CustomerAccount,
  CustomersPage,
  EnquiryPage,
  EventsPage,
  MailsPage,
  OperatorOverview,
} from './console.contract.ts';
import type { HealthPage } from './health.contract.ts';
import { inAgencyQueue } from './operator-gate.server.ts';

let app: TestApp;
let operator: TestAccount;
beforeAll(async () => {
  app = await startTestApp();
  operator = await newOperator(app);
});
afterAll(() => app.close());
beforeEach(() => app.resources.database.run('delete from public.enquiries'));

async function ask<T>(name: string, { client }: Pick<TestAccount, 'client'> = operator): Promise<T> {
  const { data, error } = await client.functions.invoke(`operator-${name}`, { method: 'GET' });
  if (error !== null) throw Object.assign(error, { status: error.context.status });
  return data as T;
}

async function act(action: object, { client }: Pick<TestAccount, 'client'> = operator) {
  const { data, error } = await client.functions.invoke('operator-act', { body: action });
  return { done: data?.done, status: error === null ? 200 : (error.context.status as number) };
}

async function enquiry(id: string, more: { reasons?: string[]; hours?: number; notes?: string } = {}) {
  await app.resources.database.run(
    `insert into public.enquiries (id, name, email, enquiry_type, additional_notes, address_hash, text_hash,
       suspect_reasons, created_at, due_at)
     values ($1, 'Priya Shah', 'priya@example.com', 'App Builder', $2, 'a', 't', $3,
       now() - make_interval(hours => $4), now() + make_interval(hours => 24 - $4))`,
    [id, more.notes ?? null, more.reasons ?? [], more.hours ?? 0],
  );
}

const NAMES = [
  'overview',
  'enquiries',
  'events',
  'mails',
  'customers',
  'bookings',
  'news',
  'health',
  'lessons',
  'threads',
];

test('of customers that are found only those that are shown have their files counted', async () => {
  const { database } = app.resources;
  for (let n = 0; n < 4; n += 1) await newAccount(app);
  const { data } = await operator.client.auth.getUser();
  const claims = { sub: data.user?.id, role: 'authenticated', app_metadata: { role: 'operator' } };
  const [row] = await database.asCaller({ role: 'authenticated', userId: data.user?.id, claims }, (queries) =>
    queries.many(
      uncheckedSql<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
        `explain (analyze, format json) select user_id, files from operator.customers
            where user_id = any (array(select user_id from operator.customer_names where email ilike '%@%'
              order by created_at desc, user_id desc limit 2))`,
        'composed',
      ),
    ),
  );
  const counted = nodesOf(row?.['QUERY PLAN'][0].Plan).filter((node) => node['Node Type'] === 'Aggregate');
  expect(counted.map((node) => node['Actual Loops'])).toEqual([2]);
});

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Actual Loops': number;
  readonly Plans?: readonly PlanNode[];
}

function nodesOf(node: PlanNode | undefined): PlanNode[] {
  return node === undefined ? [] : [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

test('nobody but who claims to be an operator can fill the agency’s queue of heavy work', async () => {
  const heavyQueues = { customers: createHeavyQueue(1), agency: createHeavyQueue(1) };
  const end = Promise.withResolvers<void>();
  const held = heavyQueues.agency.run('an operator', () => end.promise);
  const http = { heavyQueues } as Parameters<typeof inAgencyQueue>[0];
  const begun: string[] = [];
  const start = (name: string, claims: object, role: 'authenticated' | 'service_role' = 'authenticated') =>
    inAgencyQueue(http, { role, userId: name, claims: { ...claims } }, async () => void begun.push(name));
  await start('customer', { app_metadata: { provider: 'email' } });
  await start('nobody', {});
  expect(begun).toEqual(['customer', 'nobody']);
  const waiting = [
    start('operator', { app_metadata: { role: 'operator' } }),
    start('server', {}, 'service_role'),
  ];
  await new Promise((resolve) => setImmediate(resolve));
  expect(begun).toEqual(['customer', 'nobody']);
  end.resolve();
  await Promise.all([held, ...waiting]);
  expect(begun).toEqual(['customer', 'nobody', 'operator', 'server']);
});

describe('who is let in', () => {
  test('nobody but operators, whatever they ask', async () => {
    const user = await newAccount(app);
    const anonymous = { client: createClient(app.url, app.anonKey) };
    for (const caller of [user, anonymous]) {
      for (const name of NAMES) await expect(ask(name, caller)).rejects.toMatchObject({ status: 403 });
      expect((await act({ do: 'target.pause', target: 'enquiries', paused: true }, caller)).status).toBe(403);
    }
    for (const name of NAMES) expect(await ask(name)).toBeTruthy();
  });

  test('not who only says so: not in a profile, not with an old token', async () => {
    const pretender = await newAccount(app);
    await pretender.client.auth.updateUser({
      data: { role: 'operator', app_metadata: { role: 'operator' } },
    });
    await pretender.client.auth.refreshSession();
    await expect(ask('overview', pretender)).rejects.toMatchObject({ status: 403 });
    const former = await newOperator(app);
    expect(await ask('overview', former)).toBeTruthy();
    await manageOperators(app.resources.database, ['remove', former.email]);
    await expect(ask('overview', former)).rejects.toMatchObject({ status: 403 });
  });

  test('the database decides: no view shows and no procedure does anything to others', async () => {
    const { data } = await (await newAccount(app)).client.auth.getUser();
    const claims = { sub: data.user?.id, role: 'authenticated', app_metadata: { role: 'operator' } };
    const caller = { role: 'authenticated' as const, userId: data.user?.id, claims };
    await enquiry('ENQ-1-a');
    const { database } = app.resources;
    const views = await database.many(
      "select relname as name from pg_class where relnamespace = 'operator'::regnamespace and relkind = 'v'",
    );
    expect(views.length).toBeGreaterThanOrEqual(9);
    for (const { name } of views) {
      const rows = await database.asCaller(caller, (queries) =>
        queries.many(uncheckedSql<object>(`select * from operator.${name}`, 'composed')),
      );
      expect(rows, name).toEqual([]);
    }
    await expect(
      database.asCaller(caller, (queries) => queries.run("select operator.mark_replied('ENQ-1-a', true)")),
    ).rejects.toMatchObject({ code: '42501' });
    for (const table of ['private.mails', 'public.enquiries', 'private.operator_audit']) {
      await expect(
        database.asCaller(caller, (queries) =>
          queries.run(uncheckedSql(`select * from ${table}`, 'composed')),
        ),
      ).rejects.toMatchObject({ code: '42501' });
    }
  });

  test('with a second factor only after it was used', async () => {
    claims(
      'This account signs in with a password only.',
      'People who read enquiries and mail should set up a second factor.',
    );
    const careful = await newOperator(app);
    const { data } = await careful.client.auth.getUser();
    await app.resources.database.run(
      "insert into auth.mfa_factors (user_id, factor_type, status) values ($1, 'totp', 'verified')",
      [data.user?.id],
    );
    const refused = await ask('overview', careful).catch((error) => error.context.json());
    expect(refused).toMatchObject({ code: 'second_factor_needed' });
  });
});

describe('enquiries', () => {
  test('what is due first stands first; marked ones have a list of their own; words are found', async () => {
    await enquiry('ENQ-1-a', { hours: 2 });
    await enquiry('ENQ-2-a', { hours: 22, notes: 'A switchboard for 100% of calls' });
    await enquiry('ENQ-3-a', { reasons: ['many links'] });
    await enquiry('ENQ-4-a', { reasons: ['no proof of work'], hours: 25 });
    const ids = async (query: string) =>
      (await ask<EnquiryPage>(`enquiries?${query}`)).rows.map(({ id }) => id);
    expect(await ids('list=open')).toEqual(['ENQ-4-a', 'ENQ-2-a', 'ENQ-1-a']);
    expect(await ids('list=suspect')).toEqual(['ENQ-3-a']);
    expect(await ids('list=all&q=100%25')).toEqual(['ENQ-2-a']);
    expect(await ids('list=all&q=_____')).toEqual([]);
    expect(await ask<OperatorOverview>('overview')).toMatchObject({
      open: 3,
      late: 2,
      overdue: 1,
      suspect: 1,
    });
  });

  test('a long list comes in pages', async () => {
    await app.resources.database.run(
      `insert into public.enquiries (id, name, email, enquiry_type, address_hash, text_hash)
       select 'ENQ-' || n || '-a', 'N', 'n@example.com', 'App Builder', 'a' || n, 't' || n from generate_series(1, 60) n`,
    );
    const first = await ask<EnquiryPage>('enquiries');
    const second = await ask<EnquiryPage>(`enquiries?after=${first.next}`);
    expect([first.rows.length, second.rows.length, second.next]).toEqual([50, 10, null]);
    expect(new Set([...first.rows, ...second.rows].map(({ id }) => id)).size).toBe(60);
  });

  test('the clock stops with the reply and goes on when that was wrong; every act is audited', async () => {
    claims('Its clock runs again.', 'Marked as answered.');
    await enquiry('ENQ-1-a');
    expect(await act({ do: 'enquiry.replied', id: 'ENQ-1-a', replied: true })).toEqual({
      done: true,
      status: 200,
    });
    const [row] = (await ask<EnquiryPage>('enquiries?list=answered')).rows;
    expect(row).toMatchObject({ id: 'ENQ-1-a', replied_by: operator.email });
    await act({ do: 'enquiry.note', id: 'ENQ-1-a', note: '<b>called</b>' });
    await act({ do: 'enquiry.replied', id: 'ENQ-1-a', replied: false });
    expect((await ask<EnquiryPage>('enquiries')).rows[0]).toMatchObject({
      note: '<b>called</b>',
      replied_at: null,
    });
    expect((await act({ do: 'enquiry.replied', id: 'ENQ-9-a', replied: true })).status).toBe(409);
    const audit = await app.resources.database.many(
      "select action from private.operator_audit where subject = 'ENQ-1-a' order by id",
    );
    expect(audit.map(({ action }) => action)).toEqual(['enquiry.replied', 'enquiry.note', 'enquiry.replied']);
    await expect(app.resources.database.run('delete from private.operator_audit')).rejects.toThrow(
      'append-only',
    );
  });

  test('one is given to a colleague, stands in the list of that colleague, and is taken back; who is no operator has none', async () => {
    await enquiry('ENQ-1-a', { hours: 1 });
    await enquiry('ENQ-2-a', { hours: 2 });
    const colleague = await newOperator(app);
    const stranger = await newAccount(app);
    const give = async (
      assignee: string | null,
      who: Pick<TestAccount, 'client'> = operator,
      id = 'ENQ-1-a',
    ) => (await act({ do: 'enquiry.assign', id, assignee }, who)).status;
    const ofTheirs = async (who: Pick<TestAccount, 'client'>) =>
      (await ask<EnquiryPage>('enquiries?list=mine', who)).rows.map(({ id, assignee }) => [id, assignee]);
    const { colleagues } = await ask<OperatorOverview>('overview');
    expect(colleagues).toEqual(expect.arrayContaining([operator.email, colleague.email]));
    expect(colleagues).not.toContain(stranger.email);

    expect(await give(colleague.email)).toBe(200);
    expect(await ofTheirs(colleague)).toEqual([['ENQ-1-a', colleague.email]]);
    expect(await ofTheirs(operator)).toEqual([]);
    expect(await give(operator.email)).toBe(200);
    expect([await ofTheirs(colleague), await ofTheirs(operator)]).toEqual([
      [],
      [['ENQ-1-a', operator.email]],
    ]);
    for (const [assignee, id] of [
      [stranger.email, 'ENQ-1-a'],
      ['nobody@agency.example', 'ENQ-1-a'],
      [operator.email, 'ENQ-9-a'],
      [null, 'ENQ-2-a'],
    ] as const)
      expect(await give(assignee, operator, id)).toBe(409);
    expect(await give('no address')).toBe(400);
    expect(await give(stranger.email, stranger)).toBe(403);
    expect(await ofTheirs(operator)).toEqual([['ENQ-1-a', operator.email]]);
    expect(await give(null)).toBe(200);
    expect(await ofTheirs(operator)).toEqual([]);
    // An answered enquiry waits for nobody.
    await give(operator.email);
    await act({ do: 'enquiry.replied', id: 'ENQ-1-a', replied: true });
    expect(await ofTheirs(operator)).toEqual([]);
    const audited = await app.resources.database.many(
      "select action from private.operator_audit where subject = 'ENQ-1-a' and action = 'enquiry.assign'",
    );
    expect(audited).toHaveLength(4);
  });

  test('what was held back as advertising is an enquiry like others once an operator says so', async () => {
    await enquiry('ENQ-1-a', { reasons: ['many links'] });
    expect((await act({ do: 'enquiry.not_suspect', id: 'ENQ-1-a' })).done).toBe(true);
    expect((await ask<EnquiryPage>('enquiries')).rows.map(({ id }) => id)).toEqual(['ENQ-1-a']);
  });

  test('attack 38: the export holds no formula, for whatever program opens it', async () => {
    await enquiry('ENQ-1-a', { notes: '=HYPERLINK("https://evil.example","x")' });
    const { data } = await operator.client.auth.getSession();
    const reply = await fetch(`${app.url}/functions/v1/operator-enquiries.csv?list=open`, {
      headers: { authorization: `Bearer ${data.session?.access_token}` },
    });
    expect(reply.headers.get('content-disposition')).toBe('attachment; filename="enquiries-open.csv"');
    expect(await reply.text()).toContain(`"'=HYPERLINK(""https://evil.example"",""x"")"`);
  });
});

describe('events, mail and customers', () => {
  test('a queue is paused and goes on, dead letters are sent again', async () => {
    claims('… gets its events again.', 'No tool is connected yet.');
    const other = await startTestApp({
      settings: { AUTOMATION_URLS: 'crm=https://127.0.0.1:9/secret/path#customer.created' },
    });
    try {
      const boss = await newOperator(other);
      const events = () => ask<EventsPage>('events?target=crm', boss);
      await other.resources.database.run("insert into public.customers (customer_id) values ('cus_1')");
      await expect.poll(async () => (await events()).events[0]?.state).toBe('dead');
      const { targets, events: shown } = await events();
      expect(targets.find(({ name }) => name === 'crm')).toMatchObject({
        url: 'https://127.0.0.1:9',
        dead: 1,
      });
      expect(shown[0]?.last_reply).toContain('not a public address');
      expect((await act({ do: 'target.pause', target: 'crm', paused: true }, boss)).done).toBe(true);
      expect((await act({ do: 'target.replay', target: 'crm' }, boss)).done).toBe(1);
      const crm = async () => (await events()).targets.find(({ name }) => name === 'crm');
      expect(await crm()).toMatchObject({ paused_at: expect.any(String), pending: 1, dead: 0 });
      await act({ do: 'target.pause', target: 'crm', paused: false }, boss);
      await expect.poll(async () => (await crm())?.dead).toBe(1);
      const { attempts } = await ask<{ attempts: unknown[] }>(`event?id=${shown[0]?.id}`, boss);
      expect(attempts).toHaveLength(2);
    } finally {
      await other.close();
    }
  });

  test('mails are shown without their text; a suppression is set and lifted', async () => {
    claims(
      'No mail server is named, so mails stay in the mailbox at /dev/mail.',
      'The last seven days, without their text.',
      'The address gets no notices.',
    );
    await app.resources.mailer.send(app.resources.database, {
      ...{
        to: 'ada@customers.example',
        purpose: 'account',
        subject: 'Sign in',
        text: 'https://secret-link',
        html: 'x',
      },
    });
    const mails = await ask<MailsPage>('mails?q=ada@');
    expect(mails.mails[0]).toMatchObject({ recipient: 'ada@customers.example', state: 'kept' });
    expect(JSON.stringify(mails)).not.toContain('secret-link');
    expect((await act({ do: 'mail.suppress', address: 'Bea@customers.example' })).done).toBe(true);
    expect((await ask<MailsPage>('mails')).suppressions).toMatchObject([
      { address: 'bea@customers.example' },
    ]);
    expect((await act({ do: 'mail.lift', address: 'bea@customers.example' })).done).toBe(true);
    expect((await act({ do: 'mail.suppress', address: 'not an address' })).status).toBe(400);
  });

  test("a customer's ledger adds up to the balance", async () => {
    const customer = await newAccount(app, 'customer');
    const { data } = await customer.client.auth.getUser();
    const { id: row } = await app.resources.database.one(
      `insert into public.customers (user_id, credits) values ($1, 4)
       on conflict (user_id) do update set credits = 4 returning id`,
      [data.user?.id],
    );
    await app.resources.database.run(
      `insert into public.credit_transactions (user_id, customer_row, amount, kind, state, created_at) values
       ($1, $2, 5, 'grant', 'settled', now() - interval '3 hours'), ($1, $2, -1, 'spend', 'settled', now() - interval '2 hours'),
       ($1, $2, -1, 'spend', 'returned', now() - interval '1 hour')`,
      [data.user?.id, row],
    );
    const account = await ask<CustomerAccount>(`customer?id=${data.user?.id}`);
    expect(account.ledger.map(({ balance }) => balance)).toEqual([4, 4, 5]);
    expect(account.customer).toMatchObject({ email: customer.email, credits: 4 });
    await expect(ask(`customer?id=${crypto.randomUUID()}`)).rejects.toMatchObject({ status: 404 });
  });
});

describe('a plan in place of the paid one', () => {
  test('is given with a reason until a day, replaced and ended, and every step is audited', async () => {
    claims('The plan is given.');
    const customer = await newAccount(app, 'customer');
    const id = (await customer.client.auth.getUser()).data.user?.id ?? '';
    const until = new Date(Date.now() + 86_400_000).toISOString();
    const give = (plan: string, more: object = {}) =>
      act({ do: 'customer.override', id, plan, reason: 'trial of the summer', until, ...more });
    expect((await give('Pro Plan')).status).toBe(200);
    expect((await give('Premium Plan')).status).toBe(200);
    const account = () => ask<CustomerAccount>(`customer?id=${id}`);
    expect((await account()).override).toMatchObject({
      plan: 'Premium Plan',
      reason: 'trial of the summer',
      set_by: operator.email,
    });
    expect((await give('Golden')).status).toBe(400);
    expect((await give('Pro Plan', { until: '2020-01-01T00:00:00Z' })).status).toBe(400);
    expect((await give('Pro Plan', { until: '2999-01-01T00:00:00+16:00' })).status).toBe(400);
    expect((await give('Pro Plan', { reason: ' ' })).status).toBe(400);
    expect((await act({ do: 'customer.end_override', id })).done).toBe(true);
    expect((await account()).override).toBeNull();
    expect((await act({ do: 'customer.end_override', id })).status).toBe(409);
    const audit = await app.resources.database.many(
      'select action from private.operator_audit where subject = $1 order by id',
      [id],
    );
    // What came to nothing is rolled back together with its entry.
    expect(audit.map(({ action }) => action)).toEqual([
      'customer.override',
      'customer.override',
      'customer.end_override',
    ]);
  });
});

describe('northline operators', () => {
  test('says what it did, refuses who is not there, and is audited', async () => {
    const { database } = app.resources;
    await expect(manageOperators(database, ['add', 'nobody@agency.example'])).rejects.toThrow('no account');
    expect(await manageOperators(database, ['add', operator.email.toUpperCase()])).toContain('already');
    expect(await manageOperators(database, ['list'])).toContain(
      `${operator.email}  owner  (no second factor)`,
    );
    await expect(manageOperators(database, ['promote', operator.email])).rejects.toThrow(
      'Say add EMAIL, remove EMAIL or list.',
    );
    const audit = await database.many('select action from private.operator_audit where subject = $1', [
      operator.email,
    ]);
    expect(audit).toEqual([{ action: 'operator.add' }]);
  });
});

describe('pages beside them', () => {
  test('an enquiry is answered by a mail, once, and its clock stops; one without an address is not', async () => {
    claims('This one left no email address.');
    await enquiry('ENQ-7-answer', { notes: 'Can you build it by March?' });
    expect(
      (await act({ do: 'enquiry.reply', id: 'ENQ-7-answer', text: 'Gladly.\n\nOn Tuesday?' })).status,
    ).toBe(200);
    const answers = async () => {
      await mailReplies(app.resources);
      return app.resources.database.many(
        "select recipient, body_text from private.mails where subject like '%(ENQ-7-answer)%'",
      );
    };
    await expect.poll(answers).toEqual([
      {
        recipient: 'priya@example.com',
        body_text: expect.stringMatching(
          /^Hello,\n\nGladly\.\n\nOn Tuesday\?\n\n> You wrote: Can you build it by March\?/,
        ),
      },
    ]);
    const { rows } = await ask<EnquiryPage>('enquiries?list=answered');
    expect(rows[0]).toMatchObject({ id: 'ENQ-7-answer', replied_by: operator.email });
    expect(rows[0]?.replies).toMatchObject([{ body: 'Gladly.\n\nOn Tuesday?', author: operator.email }]);
    await enquiry('ENQ-8-phone');
    await app.resources.database.run("update public.enquiries set email = '' where id = 'ENQ-8-phone'");
    expect((await act({ do: 'enquiry.reply', id: 'ENQ-8-phone', text: 'Gladly.' })).status).toBe(409);
    const user = await newAccount(app);
    expect((await act({ do: 'enquiry.reply', id: 'ENQ-8-phone', text: 'x' }, user)).status).toBe(403);
  });

  test('bookings are searched in pages and cancelled; customers are listed in pages', async () => {
    claims(
      'Calls that people booked with the phone assistant or on your booking page, in your own time.',
      'The booking is cancelled.',
      'All customers, newest first.',
    );
    await app.resources.database.run(
      `insert into northline_app.bookings (starts_at, minutes, name, phone)
       select now() + n * interval '1 hour', 20, 'Caller ' || n, '+44 20 7946 00' || n from generate_series(1, 60) n`,
    );
    const first = await ask<BookingsPage>('bookings');
    expect(first.rows).toHaveLength(50);
    const second = await ask<BookingsPage>(`bookings?after=${encodeURIComponent(first.next ?? '')}`);
    expect([second.rows.map(({ name }) => name).at(-1), second.next]).toEqual(['Caller 60', null]);
    for (const start of ['0000-01-01T00:00:00.000Z', '2026-02-31T00:00:00.000Z', '::::Z'])
      await expect(
        ask<BookingsPage>(`bookings?after=${encodeURIComponent(`${start}/${crypto.randomUUID()}`)}`),
      ).rejects.toMatchObject({ status: 400 });
    const [found] = (await ask<BookingsPage>('bookings?q=Caller%2042')).rows;
    // A number is found however it is written.
    for (const number of ['020 7946 0042', '+44 (0)20 7946 0042', '0044-20.7946.0042', '7946 0042'])
      expect((await ask<BookingsPage>(`bookings?q=${encodeURIComponent(number)}`)).rows).toMatchObject([
        { name: 'Caller 42' },
      ]);
    expect((await ask<BookingsPage>('bookings?q=42%2042')).rows).toEqual([]);
    const user = await newAccount(app);
    expect((await act({ do: 'booking.cancel', id: found?.id }, user)).status).toBe(403);
    expect((await ask<BookingsPage>('bookings?q=Caller%2042')).rows).toHaveLength(1);
    expect((await act({ do: 'booking.cancel', id: found?.id })).done).toBe(true);
    expect((await ask<BookingsPage>('bookings?q=Caller%2042')).rows).toEqual([]);
    expect((await ask<BookingsPage>('bookings?list=past')).rows).toEqual([]);
    expect((await ask<BookingsPage>('bookings?list=cancelled')).rows).toMatchObject([
      { id: found?.id, state: 'cancelled', changes: 1, changed_by: 'desk', confirmed_by: null },
    ]);
    await app.resources.database.run(
      `insert into private.booking_holds (starts_at, holder, until)
       values (now() + interval '1 day', 'a call', now() + interval '1 hour'), (now() + interval '2 days', 'a call', now())`,
    );
    expect((await ask<BookingsPage>('bookings')).held).toHaveLength(1);
    await expect(ask<BookingsPage>('bookings', user)).rejects.toMatchObject({ status: 403 });
    await app.resources.database.run(
      "insert into auth.users (email) select 'many' || n || '@example.com' from generate_series(1, 55) n",
    );
    const some = await ask<CustomersPage>('customers?q=many');
    const rest = await ask<CustomersPage>(`customers?q=many&after=${some.next}`);
    expect([some.rows.length, rest.rows.length, rest.next]).toEqual([50, 5, null]);
    await app.resources.database.run(
      "update auth.users set created_at = now() + interval '1 hour' where email = 'many17@example.com'",
    );
    expect((await ask<CustomersPage>('customers')).rows[0]?.email).toBe('many17@example.com');
  });

  test('a post is written, has a page when its time has come, and is deleted; only by operators', async () => {
    claims('Posts of the home page, each with a page of its own.', 'The post is saved.');
    const invoke = async (name: string, body: object, { client }: Pick<TestAccount, 'client'> = operator) => {
      const { data, error } = await client.functions.invoke(`operator-${name}`, { body });
      return { data, status: error === null ? 200 : (error.context.status as number) };
    };
    const post = {
      id: null,
      title: 'We moved',
      content: 'To the harbour.',
      url: '/#phone',
      published_at: '2026-01-02T10:00:00Z',
    };
    const { id } = (await invoke('save-news', post)).data as { id: string };
    const article = () => operator.client.functions.invoke(`news-article?id=${id}`, { method: 'GET' });
    expect((await article()).data).toEqual({
      title: 'We moved',
      content: 'To the harbour.',
      url: '/#phone',
      date: '2026-01-02T10:00:00.000Z',
    });
    await invoke('save-news', { ...post, id, published_at: '2999-01-01T00:00:00Z' });
    expect((await article()).error?.context.status).toBe(404);
    expect((await invoke('save-news', { ...post, url: 'javascript:alert(1)' })).status).toBe(400);
    expect((await invoke('save-news', { ...post, url: '//elsewhere.example' })).status).toBe(400);
    // A link to a part that the home page does not have leads nowhere.
    const { error: nowhere } = await operator.client.functions.invoke('operator-save-news', {
      body: { ...post, url: '/#plans' },
    });
    expect((await nowhere?.context.json())?.error).toContain(
      'must be a part of the home page: /#services, /#courses, /#documents, /#phone, /#news',
    );
    for (const published_at of [
      '0000-01-02T10:00:00Z',
      '2026-01-02T10:00:00+16:00',
      '9999-12-31T23:59:59-01:00',
    ]) {
      const { error } = await operator.client.functions.invoke('operator-save-news', {
        body: { ...post, published_at },
      });
      expect([published_at, error?.context.status, (await error?.context.json())?.error]).toEqual([
        ...[published_at, 400],
        'The field published_at is not valid: must be a time as 2026-01-31T09:30:00.000Z.',
      ]);
    }
    const user = await newAccount(app);
    expect((await invoke('save-news', post, user)).status).toBe(403);
    expect((await invoke('delete-news', { id }, user)).status).toBe(403);
    expect((await invoke('delete-news', { id })).status).toBe(200);
    expect((await invoke('delete-news', { id })).status).toBe(404);
    const audited = await app.resources.database.many(
      "select action from private.operator_audit where action like 'news.%' order by id",
    );
    expect(audited.map(({ action }) => action)).toEqual(['news.save', 'news.save', 'news.delete']);
  });

  test('health says what the doctor finds, the disk, the queues and the backups', async () => {
    claims(
      'Is everything running?',
      'Nothing is wrong.',
      'No backup has been made yet.',
      'No daily backup is made: Settings name no place for it.',
      'Each night the newest backup is restored into a scratch folder and checked.',
    );
    const health = await ask<HealthPage>('health');
    expect(health.findings).toContainEqual({
      level: 'advice',
      what: 'No daily backup is set up.',
      // In the words of the page on which it is done.
      act: 'Set “Place” (Settings, Backups) to another disk or a bucket.',
    });
    expect(health.disk?.free).toBeGreaterThan(0);
    expect(health.databaseBytes).toBeGreaterThan(1_000_000);
    expect(health).toMatchObject({ backups: [], backsUp: false, verifications: [], archive: null });
    await app.resources.database.run(
      `insert into private.backup_verifications (started_at, finished_at, kind, verified, file_count, faults)
       values (now(), '2026-11-26T03:00:00Z', 'backup', '/b/1', 1, '{}'),
              (now(), '2026-11-27T03:00:00Z', 'backup', '/b/2', 1, '{rent.pdf: its bytes are damaged.}')`,
    );
    const at = new Date().toISOString();
    writeWalStatus(app.resources.settings.DATA_DIR, {
      ...{ archive: 'wal-1', usable_from: null, reached_at: null, base_at: null, gap: null },
      ...{ waiting_bytes: 0, error: null, error_since: null, base_error: null, at },
      is_complete: false,
    });
    const restored = await ask<HealthPage>('health');
    expect(restored.verifications).toEqual([
      {
        kind: 'backup',
        good_at: '2026-11-26T03:00:00.000Z',
        failed_at: '2026-11-27T03:00:00.000Z',
        failure: 'rent.pdf: its bytes are damaged.',
      },
    ]);
    expect(restored.archive).toEqual({ usable_from: null, at_risk_seconds: null, waiting_bytes: 0 });
    forgetWalStatus(app.resources.settings.DATA_DIR);
  });
});
