import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { claims } from '../../../../tests/support/claims.ts';
import { callAuth, newClient, PASSWORD } from '../../../../tests/support/customers/auth-client.ts';
import {
  askConsole,
  newAccount,
  newOperator,
  type TestAccount,
} from '../../../../tests/support/customers/operator-client.ts';
import {
  type AutomationCall,
  startAutomation,
  type TestAutomation,
} from '../../../../tests/support/servers/automation-server.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { uncheckedSql } from '../../../kernel/resources/database/fixed-sql.ts';
import { tellBookings } from '../../bookings/booking-notices.server.ts';
import { mailReplies } from '../../enquiries/enquiry-replies.server.ts';
import { warnOfDue } from '../../enquiries/reply-reminder.server.ts';
import type { OperatorOverview } from '../console.contract.ts';
import type { HomePage } from '../home.contract.ts';
import type { CustomerRecord } from '../records/customer-record.contract.ts';
import { workOnDemoData } from './demo-data.server.ts';

let app: TestApp;
let owner: TestAccount;
let automation: TestAutomation;
/** Requests that another server of the agency has got. */
const heard: AutomationCall[] = [];
beforeAll(async () => {
  automation = await startAutomation();
  const listen = (): void => {
    void automation.next().then((call) => {
      heard.push(call);
      listen();
    });
  };
  listen();
  app = await startTestApp({
    settings: {
      AUTOMATION_URLS: `crm=${automation.url}/hook`,
      ENQUIRY_WEBHOOK_URL: `${automation.url}/enquiries`,
      ANALYSIS_WEBHOOK_URL: `${automation.url}/analyse`,
      OUTBOUND_ALLOW_HOSTS: automation.host,
    },
  });
  owner = await newOperator(app);
});
afterAll(async () => {
  await app.close();
  await automation.close();
});

const order = (wanted: 'add' | 'remove', by = owner) => askConsole('demo-data', by, { do: wanted });
const stateOf = async () => (await askConsole<OperatorOverview>('overview', owner)).demoData;
const until = (state: OperatorOverview['demoData']) => expect.poll(stateOf).toBe(state);
const customers = async () =>
  (
    await askConsole<{ rows: { user_id: string; email: string; full_name: string | null }[] }>(
      'customers',
      owner,
    )
  ).rows;

/** Tables that change while the product runs, whatever anybody does. */
const MOVING = [
  'private.running_minutes',
  'private.periodic_rounds',
  'private.rate_limits',
  'private.queue',
  'private.queue_stats',
  'private.version',
  'private.bam',
  'private.operator_audit',
  'private.installation',
  'auth.sessions',
];

/** The number of rows of each table and a digest of what they say, and the stored bytes. */
async function everything(): Promise<Record<string, string>> {
  const { database, objects } = app.resources;
  const tables = await database.many(
    uncheckedSql<{ name: string }>(
      `select schemaname || '.' || tablename as name from pg_tables
        where schemaname in ('auth', 'public', 'private', 'northline_app', 'storage', 'realtime') order by 1`,
      'composed',
    ),
  );
  const found: Record<string, string> = {};
  for (const { name } of tables.filter((table) => !MOVING.includes(table.name))) {
    const { rows } = await database.one(
      uncheckedSql<{ rows: string }>(
        `select count(*) || ' ' || coalesce(md5(string_agg(t::text, '|' order by t::text)), '') as rows from ${name} t`,
        'composed',
      ),
    );
    found[name] = rows;
  }
  const bytes: string[] = [];
  for await (const version of objects.kept()) bytes.push(version);
  for await (const version of objects.received()) bytes.push(version);
  return { ...found, bytes: bytes.sort().join(' ') };
}

/** Waits until every document of a demo customer has its report, as it will come to nobody otherwise. */
const reports = async (): Promise<number> =>
  Number(
    (
      await app.resources.database.one(
        uncheckedSql<{ count: string }>(
          `select count(*) from northline_app.analysis_reports r join private.demo_records d on d.id = r.user_id::text`,
          'composed',
        ),
      )
    ).count,
  );

describe('demo data', () => {
  test('comes with files, reports, calls, enquiries, a course, money, messages and bookings, and goes without a trace', async () => {
    claims(
      'Six invented customers come with files, reports, calls, enquiries, a course, money, messages and bookings.',
      'There is demo data: the people whose names end in “(demo)” are invented.',
      'It counts in these lists and figures.',
      'Demo data is being added.',
      'Its documents are read as any other.',
      'The demo data is being removed.',
    );
    const { database } = app.resources;
    // Something real stands beside it, and the other server has heard of it.
    const real = await newAccount(app, 'real');
    await database.run('insert into public.customers (user_id) select id from auth.users where email = $1', [
      real.email,
    ]);
    await expect.poll(() => heard.length).toBe(1);
    const before = await everything();
    await order('add');
    await until('ready');
    await expect.poll(reports).toBe(5);

    const people = (await customers()).filter(({ email }) => email.endsWith('.demo.invalid'));
    expect(people).toHaveLength(6);
    expect(people.every(({ full_name: name }) => name?.endsWith('(demo)'))).toBe(true);
    const priya = people.find(({ email }) => email.startsWith('priya'));
    const record = await askConsole<CustomerRecord>(`customer?id=${priya?.user_id}`, owner);
    expect(record).toMatchObject({ unread: 1, mails: [], customer: { credits: 98 } });
    expect(record.files.map(({ status }) => status)).toEqual(['analyzed', 'analyzed']);
    expect(record.invoices).toMatchObject([{ status: 'paid', total: 4900 }]);
    expect(record.events.map(({ kind }) => kind).sort()).toEqual([
      'booking',
      'call',
      'message',
      'message',
      'message',
    ]);
    // The portal of an invented customer is open, as nobody could allow it.
    expect(record).toMatchObject({ demo: true, support_until: null });
    for (const page of ['files', 'courses', 'messages', 'billing'])
      expect(await askConsole('portal', owner, { id: priya?.user_id, page })).toMatchObject({
        until: null,
        shown: { page },
      });
    const realId = (await customers()).find(({ email }) => email === real.email)?.user_id;
    await expect(askConsole('portal', owner, { id: realId, page: 'files' })).rejects.toMatchObject({
      status: 403,
    });
    const lists = await Promise.all(
      ['enquiries?list=all', 'calls', 'bookings?list=coming', 'lessons?list=all', 'threads'].map((name) =>
        askConsole(name, owner),
      ),
    );
    // Each list names them with the mark.
    for (const list of lists) expect(JSON.stringify(list)).toContain('(demo)');
    const home = await askConsole<HomePage>('home', owner);
    const sum = (figure: (day: HomePage['days'][number]) => number): number =>
      home.days.reduce((total, day) => total + figure(day), 0);
    expect([
      sum(({ paid }) => paid.gbp ?? 0),
      sum(({ customers }) => customers),
      sum(({ documents }) => documents),
      sum(({ calls }) => calls),
    ]).toEqual([
      4900 + 1500 + 24_900,
      // The owner and the real account are new as well.
      8,
      5,
      3,
    ]);
    expect(home.steps).toContainEqual({ id: 'call', done: false });

    await expect(order('add')).rejects.toMatchObject({ status: 409, code: 'nothing_to_do' });
    await order('remove');
    await until(null);
    await expect.poll(everything).toEqual(before);
    expect((await customers()).map(({ email }) => email)).toContain(real.email);
    await expect(order('remove')).rejects.toMatchObject({ status: 409 });
    const audit = await database.many(
      uncheckedSql<{ action: string }>(
        "select action from private.operator_audit where action like 'demo.%' order by id",
        'composed',
      ),
    );
    expect(audit.map(({ action }) => action)).toEqual(['demo.add', 'demo.remove']);
  });

  test('reaches nobody: no mail, no automation, no payment provider, no measured figure, no time of a booking', async () => {
    claims('Nobody gets a mail, and one button removes all of it again.');
    const { database } = app.resources;
    const before = heard.length;
    const mails = await database.many('select id from private.mails');
    await order('add');
    await until('ready');
    await expect.poll(reports).toBe(5);
    const firstOf = async (kind: string): Promise<string> => {
      const [row] = await database.many(
        uncheckedSql<{ id: string }>(
          'select id from private.demo_records where kind = $1 order by id',
          'composed',
        ),
        [kind],
      );
      if (row === undefined) throw new Error(`There is no ${kind}.`);
      return row.id;
    };
    // The owner works with it as with anything else.
    const customer = (await customers()).find(({ email }) => email.startsWith('priya'))?.user_id ?? '';
    const said = await askConsole<{ id: string }>('send-message', owner, {
      user_id: customer,
      text: 'We have looked at it.',
    });
    expect(
      await database.one('select mail_due, mailed_at from private.message_notes where message_id = $1', [
        said.id,
      ]),
    ).toEqual({ mail_due: false, mailed_at: null });
    const enquiry = await firstOf('enquiry');
    await askConsole('act', owner, { do: 'enquiry.reply', id: enquiry, text: 'Gladly.' });
    const booking = await firstOf('booking');
    const { times } = await askConsole<{ times: string[] }>('free-times', owner, {});
    await database.run('update northline_app.bookings set starts_at = $2 where id = $1', [booking, times[0]]);
    expect((await askConsole<{ times: string[] }>('free-times', owner, {})).times[0]).toBe(times[0]);
    await askConsole('book-call', owner, { start: times[0], name: 'Ann Lee', phone: '+44 20 7946 0000' });
    await askConsole('act', owner, { do: 'booking.cancel', id: booking });
    const [invoice] = (await askConsole<CustomerRecord>(`customer?id=${customer}`, owner)).invoices;
    await expect(
      askConsole('refund', owner, {
        id: customer,
        invoice: invoice?.id,
        amount: 100,
        reason: 'x',
        attempt: crypto.randomUUID(),
      }),
    ).rejects.toMatchObject({ status: 409, error: 'This is demo data: nobody paid this invoice.' });
    const reconciled = await fetch(`${app.url}/functions/v1/reconcile-billing`, {
      method: 'POST',
      headers: { apikey: app.serviceKey, authorization: `Bearer ${app.serviceKey}` },
    });
    expect(await reconciled.json()).toMatchObject({ failed: 0, subscriptions: 0, grants: 0, balances: 0 });
    await mailReplies(app.resources);
    await tellBookings(app.resources);
    await warnOfDue(app.resources);

    const demoMails = await database.many(
      'select recipient, subject, body_text from private.mails where id <> all ($1)',
      [mails.map((mail) => mail.id)],
    );
    // The real booking beside it is told to the agency; nothing else is told to anybody.
    expect(demoMails.filter(({ body_text: text }) => !text.includes('Ann Lee'))).toEqual([]);
    expect(heard.slice(before)).toEqual([]);
    expect(
      await database.many('select id from private.outbox_events where state <> $1 and kind <> $2', [
        'delivered',
        'x',
      ]),
    ).toEqual([]);
    expect(await database.many('select id from private.analysis_outcomes')).toEqual([]);
    expect(await database.many('select customer_id from private.customers_to_end')).toEqual([]);
    await order('remove');
    await until(null);
  });

  test('a demo customer cannot sign in, whatever is done to the account, and gets no right', async () => {
    const { database } = app.resources;
    await order('add');
    await until('ready');
    const { user_id: id, email } = (await customers()).find(({ email: address }) =>
      address.startsWith('tom'),
    ) ?? {
      user_id: '',
      email: '',
    };
    const admin = (method: string, path: string, body: object) =>
      callAuth(app, method, path, { bearer: app.serviceKey, body });
    await admin('PUT', `/admin/users/${id}`, {
      password: PASSWORD,
      ban_duration: 'none',
      email_confirm: true,
      email: 'somebody@agency.example',
      app_metadata: { role: 'operator', operator_role: 'owner' },
    });
    const account = await database.one(
      'select email, encrypted_password, raw_app_meta_data, banned_until > now() as barred from auth.users where id = $1',
      [id],
    );
    expect(account).toMatchObject({ email, encrypted_password: null, barred: true });
    expect(account.raw_app_meta_data).not.toHaveProperty('operator_role');
    const client = newClient(app);
    expect((await client.auth.signInWithPassword({ email, password: PASSWORD })).data.session).toBeNull();
    await client.auth.signInWithOtp({ email, options: { shouldCreateUser: false } });
    await client.auth.resetPasswordForEmail(email);
    const link = await admin('POST', '/admin/generate_link', { type: 'magiclink', email });
    const token = String(link.body.hashed_token ?? '');
    expect((await client.auth.verifyOtp({ type: 'magiclink', token_hash: token })).data.session).toBeNull();
    expect(await database.many('select id from auth.sessions where user_id = $1', [id])).toEqual([]);
    expect(await database.many('select id from private.mails where recipient = $1', [email])).toEqual([]);
    // Deleted by other means, it leaves nothing for the removal to miss.
    await admin('DELETE', `/admin/users/${id}`, {});
    expect(await database.many('select customer_id from private.customers_to_end')).toEqual([]);
    await order('remove');
    await until(null);
    expect(await database.many('select id from public.customers where user_id is null')).toEqual([]);
    expect(await database.many('select account from private.erasures')).toEqual([]);
  });

  test('a step that broke off after its file is found done, and the removal may come at any step', async () => {
    const still = await startTestApp();
    onTestFinished(() => still.close());
    const { resources } = still;
    const { database } = resources;
    // No round of its own: the steps are taken here.
    await resources.jobs.rest(4);
    const operator = await newOperator(still);
    await order('add', operator);
    const whole = { resources, scan: async () => {}, analyse: async () => {} };
    const broken = { ...whole, analyse: () => Promise.reject(new Error('killed')) };
    const files = async () => (await database.many('select id from public.user_files')).length;
    await workOnDemoData(broken);
    // The file is stored, and the note that the step is done is not.
    await expect(workOnDemoData(broken)).rejects.toThrow('killed');
    await expect(workOnDemoData(broken)).rejects.toThrow('killed');
    expect(await files()).toBe(1);
    // Of two processes one takes the step.
    await Promise.all([workOnDemoData(whole), workOnDemoData(whole)]);
    expect(await files()).toBe(1);
    await workOnDemoData(whole);
    expect(await files()).toBe(2);
    await order('remove', operator);
    await expect(order('remove', operator)).rejects.toMatchObject({ status: 409 });
    while (await workOnDemoData(broken));
    expect(await files()).toBe(0);
    expect(await database.many('select id from private.demo_records')).toEqual([]);
    expect(await database.many('select state from private.demo_data')).toEqual([]);
  });

  test('is for owners', async () => {
    for (const role of ['staff', 'reader'] as const)
      await expect(order('add', await newOperator(app, role))).rejects.toMatchObject({
        status: 403,
        code: 'role_too_low',
      });
    await expect(order('add', await newAccount(app))).rejects.toMatchObject({ status: 403 });
    expect(await stateOf()).toBeNull();
  });
});
