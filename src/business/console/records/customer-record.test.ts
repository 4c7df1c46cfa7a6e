import { randomUUID } from 'node:crypto';
import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { claims } from '../../../../tests/support/claims.ts';
import {
  askConsole,
  newAccount,
  newOperator,
  type TestAccount,
} from '../../../../tests/support/customers/operator-client.ts';
import { buyPlan, settle } from '../../../../tests/support/customers/plan-purchase.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { OWN_SCHEMA } from '../../../kernel/contract/routes.ts';
import type { CustomerRecord, RefundRequest } from './customer-record.contract.ts';
import type { PortalAnswer, SupportAccess } from './portal-view.contract.ts';

let app: TestApp;
let operator: TestAccount;
beforeAll(async () => {
  app = await startTestApp();
  operator = await newOperator(app);
});
afterAll(() => app.close());

interface Customer extends TestAccount {
  readonly id: string;
  readonly token: string;
}

async function newCustomer(name = 'priya'): Promise<Customer> {
  const account = await newAccount(app, name);
  const { data } = await account.client.auth.getSession();
  return { ...account, id: data.session?.user.id ?? '', token: data.session?.access_token ?? '' };
}

const record = ({ id }: Pick<Customer, 'id'>, as = operator) =>
  askConsole<CustomerRecord>(`customer?id=${id}`, as);
const act = (body: object, as = operator) => askConsole<{ done: unknown }>('act', as, body);
const own = ({ client }: TestAccount) => client.schema(OWN_SCHEMA);
const access = async (customer: TestAccount): Promise<SupportAccess> =>
  (await own(customer).rpc('support_access')).data;

async function auditOf(subject: string): Promise<string[]> {
  const rows = await app.resources.database.many(
    'select action, details from private.operator_audit where subject = $1 order by id',
    [subject],
  );
  return rows.map(({ action, details }) => `${action} ${JSON.stringify(details)}`);
}

async function storeFile(customer: Customer, name = 'lease.txt'): Promise<string> {
  const path = `${customer.id}/${randomUUID()}.txt`;
  await app.resources.database.run(
    'insert into public.customers (user_id, credits) values ($1, 0) on conflict (user_id) do nothing',
    [customer.id],
  );
  await act({ do: 'customer.credits', id: customer.id, amount: 1, reason: 'One document' });
  await customer.client.rpc('use_credits', { p_user_id: customer.id, p_amount: 1, p_description: 'x' });
  const uploaded = await customer.client.storage
    .from('user-uploads')
    .upload(path, Buffer.from('The rent is £900.'), { contentType: 'text/plain' });
  expect(uploaded.error).toBeNull();
  const { data, error } = await customer.client
    .from('user_files')
    .insert({
      user_id: customer.id,
      file_path: path,
      file_name: name,
      file_size: 18,
      mime_type: 'text/plain',
    })
    .select('id')
    .single();
  expect(error).toBeNull();
  return data?.id;
}

describe('a customer’s page', () => {
  test('shows what a call may be about: plans, credits, invoices, files, calls, messages, bookings, team, mails', async () => {
    const ada = await newCustomer('ada');
    const { database } = app.resources;
    await buyPlan(app, ada.token, 'price_documents_pro', ada.email);
    await settle(app);
    await storeFile(ada, 'lease.txt');
    await database.run(
      `insert into public.enquiries (id, name, email, phone, enquiry_type, additional_notes, address_hash, text_hash)
       values ('ENQ-8-ada', 'Ada', $1, '020 7946 0777', 'App Builder', 'An app for my boat', 'a', 't')`,
      [ada.email],
    );
    const call = randomUUID();
    await database.run("insert into private.voice_records (id, kind, body) values ($1, 'call', $2)", [
      call,
      { status: 'ended', endedAt: '2026-11-27T10:00:00Z', customer: { number: '+442079460777' } },
    ]);
    await database.run(
      "insert into northline_app.messages (user_id, from_agency, body) values ($1, false, 'Is it ready?')",
      [ada.id],
    );
    await database.run(
      "insert into northline_app.bookings (starts_at, minutes, name, phone, email) values (now() + interval '9 days', 20, 'Ada', '+44 20 7946 0777', $1)",
      [ada.email],
    );
    const seen = await record(ada);
    expect(seen.customer).toMatchObject({ email: ada.email, files: 1 });
    expect(seen.customer.plans).toMatchObject([{ price_id: 'price_documents_pro', status: 'active' }]);
    expect(seen.phones).toEqual(['020 7946 0777']);
    expect(seen.storage).toEqual({ used: 18, limit: 1000 * 1024 * 1024 });
    expect(seen.invoices).toMatchObject([{ status: 'paid', total: 4900, refundable: 4900, refunded: 0 }]);
    expect(seen.files).toMatchObject([{ file_name: 'lease.txt', file_size: 18, status: 'uploaded' }]);
    expect(new Set(seen.events.map(({ kind }) => kind))).toEqual(
      new Set(['booking', 'call', 'enquiry', 'message']),
    );
    expect(seen.events.find(({ kind }) => kind === 'call')?.id).toBe(call);
    expect(seen.unread).toBe(1);
    expect(seen.team).toBeNull();
    expect(seen.mails.length).toBeGreaterThan(0);
    expect(seen.support_until).toBeNull();
    // Not what a document says.
    expect(JSON.stringify(seen)).not.toMatch(/rent is|report_line|file_path/);
    claims('Nothing was invoiced yet.', 'No call, message, enquiry, booking or lesson yet.');
    const stranger = await newCustomer('nobody');
    expect(await record(stranger)).toMatchObject({ invoices: [], events: [], files: [], ledger: [] });
    await expect(record(ada, stranger)).rejects.toMatchObject({ status: 403 });
    await expect(record({ id: randomUUID() })).rejects.toMatchObject({ status: 404 });
  });

  test('gives credits and takes them back with a reason, which the customer reads; all of it adds up', async () => {
    claims('The customer reads the reason in the credit history.', '… taken back.');
    const ben = await newCustomer('ben');
    await act({ do: 'customer.credits', id: ben.id, amount: 5, reason: 'Sorry for the wait' });
    await act({ do: 'customer.credits', id: ben.id, amount: -2, reason: 'Two too many' });
    const { data } = await ben.client
      .from('credit_transactions')
      .select('amount, description')
      .order('created_at');
    expect(data).toEqual([
      { amount: 5, description: 'Sorry for the wait' },
      { amount: -2, description: 'Two too many' },
    ]);
    await expect(
      act({ do: 'customer.credits', id: ben.id, amount: -4, reason: 'More than there are' }),
    ).rejects.toMatchObject({ status: 409, code: 'nothing_to_do' });
    for (const wrong of [{ amount: 0 }, { amount: 1.5 }, { amount: 1001 }, { reason: ' ' }, { id: 'x' }])
      await expect(
        act({ do: 'customer.credits', id: ben.id, amount: 1, reason: 'Why', ...wrong }),
      ).rejects.toMatchObject({ status: 400 });
    await act({ do: 'customer.credits', id: ben.id, amount: -3, reason: 'The rest' });
    const { customer, ledger } = await record(ben);
    expect([customer.credits, ledger.map(({ balance }) => balance)]).toEqual([0, [0, 3, 5]]);
    const { database } = app.resources;
    expect(await database.many('select customer_row from private.unexplained_balances')).toEqual([]);
    // A refused change leaves no trace in the audit.
    expect(await auditOf(ben.id)).toEqual([
      'customer.credits {"amount":5,"reason":"Sorry for the wait"}',
      'customer.credits {"amount":-2,"reason":"Two too many"}',
      'customer.credits {"amount":-3,"reason":"The rest"}',
    ]);
    await expect(
      act({ do: 'customer.credits', id: ben.id, amount: 9, reason: 'For me' }, ben),
    ).rejects.toMatchObject({ status: 403 });
  });
});

describe('a refund', () => {
  test('goes through the payment provider once, takes the share of the credits back, and is audited first', async () => {
    claims(
      'The money goes back to the card.',
      "The same share of the invoice's credits is taken back, as far as they are left.",
    );
    const cleo = await newCustomer('cleo');
    await buyPlan(app, cleo.token, 'price_documents_pro', cleo.email);
    await settle(app);
    const before = await record(cleo);
    const [invoice] = before.invoices;
    const body: RefundRequest = {
      id: cleo.id,
      invoice: invoice?.id ?? '',
      amount: 2450,
      reason: 'Half a month away',
      attempt: randomUUID(),
    };
    // Twice at once, as a press that is repeated after a lost answer.
    await Promise.all([askConsole('refund', operator, body), askConsole('refund', operator, body)]);
    const after = await record(cleo);
    expect(after.invoices).toMatchObject([{ refunded: 2450, refundable: 2450 }]);
    expect(after.customer.credits).toBe(before.customer.credits / 2);
    await settle(app);
    expect((await record(cleo)).customer.credits).toBe(before.customer.credits / 2);
    expect((await auditOf(cleo.id))[0]).toContain('customer.refund {"amount":2450');
    const refund = (changes: Partial<RefundRequest>, as = operator) =>
      askConsole('refund', as, { ...body, attempt: randomUUID(), ...changes });
    await expect(refund({ amount: 2451 })).rejects.toMatchObject({ status: 409, code: 'bad_amount' });
    await expect(refund({ id: (await newCustomer('dora')).id })).rejects.toMatchObject({ status: 404 });
    await expect(refund({ amount: 0 })).rejects.toMatchObject({ status: 400 });
    await expect(refund({}, cleo)).rejects.toMatchObject({ status: 403, code: 'not_operator' });
    await refund({ amount: 2450 });
    expect((await record(cleo)).invoices).toMatchObject([{ refunded: 4900, refundable: 0 }]);
  });
});

describe('support access', () => {
  const portal = (id: string, page: string, as = operator) =>
    askConsole<PortalAnswer>('portal', as, { id, page });

  test('is the customer’s to give and to end; nothing is shown without it, and every look is told', async () => {
    claims(
      'When you need help, you can let us see your portal for an hour.',
      'The customer lets you see it until ….',
      'As the customer sees it.',
      'As … sees it, until ….',
      'No lesson was sent.',
      'We cannot see your portal any more.',
      'The customer reads when you opened which page.',
      'We then see your files, messages, courses and billing.',
      'We can change nothing.',
      'You see names and states of files, never what they say.',
    );
    const eve = await newCustomer('eve');
    const file = await storeFile(eve);
    await expect(portal(eve.id, 'files')).rejects.toMatchObject({ status: 403, code: 'no_support_access' });
    await expect(askConsole('portal-file', operator, { id: eve.id, file })).rejects.toMatchObject({
      status: 403,
    });
    expect(await access(eve)).toEqual({ until: null, looks: [] });

    const given = await own(eve).rpc('allow_support');
    expect(given.error).toBeNull();
    const minutes = (Date.parse(given.data) - Date.now()) / 60_000;
    expect(minutes).toBeGreaterThan(58);
    expect(minutes).toBeLessThanOrEqual(60.5);
    expect((await own(eve).rpc('allow_support')).data).toBe(given.data);
    expect(Date.parse((await record(eve)).support_until ?? '')).toBe(Date.parse(given.data));

    const files = await portal(eve.id, 'files');
    expect(files.shown).toMatchObject({ page: 'files', files: [{ id: file, file_name: 'lease.txt' }] });
    const billing = await portal(eve.id, 'billing');
    expect(billing.shown).toMatchObject({ page: 'billing', credits: 0, plans: [] });
    expect((await portal(eve.id, 'messages')).shown).toEqual({ page: 'messages', messages: [] });
    expect((await portal(eve.id, 'courses')).shown).toEqual({ page: 'courses', lessons: [] });
    const { url } = await askConsole<{ url: string }>('portal-file', operator, { id: eve.id, file });
    expect(await (await fetch(app.url + url)).text()).toBe('The rent is £900.');
    expect((await access(eve)).looks.map(({ page, file: name }) => name ?? page)).toEqual([
      'lease.txt',
      'courses',
      'messages',
      'billing',
      'files',
    ]);

    expect((await own(eve).rpc('end_support')).data).toBe(true);
    expect((await own(eve).rpc('end_support')).data).toBe(false);
    await expect(portal(eve.id, 'files')).rejects.toMatchObject({ status: 403 });
    expect((await access(eve)).looks).toHaveLength(5);
  });

  test('ends by itself, by the agency, and with the account; it never grows past its hour', async () => {
    const finn = await newCustomer('finn');
    const { database } = app.resources;
    await own(finn).rpc('allow_support');
    await database.run(
      "update private.support_access set until = now() - interval '1 second' where user_id = $1",
      [finn.id],
    );
    await expect(portal(finn.id, 'files')).rejects.toMatchObject({ status: 403 });
    expect(await access(finn)).toEqual({ until: null, looks: [] });
    await own(finn).rpc('allow_support');
    await portal(finn.id, 'files');
    expect(await act({ do: 'support.end', id: finn.id })).toEqual({ done: true });
    await expect(act({ do: 'support.end', id: finn.id })).rejects.toMatchObject({ status: 409 });
    await expect(portal(finn.id, 'files')).rejects.toMatchObject({ status: 403 });
    for (let n = 0; n < 18; n += 1) {
      await own(finn).rpc('allow_support');
      await own(finn).rpc('end_support');
    }
    expect((await own(finn).rpc('allow_support')).error?.message).toContain('twenty times today');
    await database.run(
      'update private.support_access set ended_at = null, ended_by = null where user_id = $1',
      [finn.id],
    );
    await portal(finn.id, 'files');
    await database.run('update auth.users set deleted_at = now() where id = $1', [finn.id]);
    await expect(portal(finn.id, 'files')).rejects.toMatchObject({ status: 403 });
    await database.run('delete from auth.users where id = $1', [finn.id]);
    expect(
      await database.many('select id from private.support_access where user_id = $1', [finn.id]),
    ).toEqual([]);
  });

  test('is for operators and about one account: nobody else looks, gives or ends it', async () => {
    const gwen = await newCustomer('gwen');
    const hugo = await newCustomer('hugo');
    await own(gwen).rpc('allow_support');
    await expect(portal(gwen.id, 'files', hugo)).rejects.toMatchObject({ status: 403, code: 'not_operator' });
    await expect(portal(hugo.id, 'files')).rejects.toMatchObject({ status: 403, code: 'no_support_access' });
    const foreign = await storeFile(hugo);
    await expect(askConsole('portal-file', operator, { id: gwen.id, file: foreign })).rejects.toMatchObject({
      status: 404,
    });
    await own(hugo).rpc('end_support');
    expect((await access(gwen)).until).not.toBeNull();
    const visitor = createClient(app.url, app.anonKey, { auth: { persistSession: false } });
    for (const procedure of ['support_access', 'allow_support', 'end_support'])
      expect((await visitor.schema(OWN_SCHEMA).rpc(procedure)).error, procedure).not.toBeNull();
    expect((await own(gwen).from('support_access').select()).error).not.toBeNull();
  });

  test('reads with the customer’s rights where PostgreSQL refuses every write', async () => {
    const iris = await newCustomer('iris');
    const claimsOf = { sub: iris.id, role: 'authenticated', aal: 'aal2' };
    const write = app.resources.database.asCaller(
      { role: 'authenticated', userId: iris.id, claims: claimsOf },
      async (queries) => {
        await queries.one("select set_config('transaction_read_only', 'on', true) as mode");
        await queries.one('select northline_app.allow_support() as until');
      },
    );
    await expect(write).rejects.toThrow(/read-only transaction/);
  });
});
