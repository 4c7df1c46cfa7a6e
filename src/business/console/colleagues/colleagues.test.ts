import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readMail } from '../../../../tests/support/auth/mail-read.ts';
import { claims } from '../../../../tests/support/claims.ts';
import { callWithKey, newApiKey } from '../../../../tests/support/customers/api-keys.ts';
import {
  addFactor,
  askConsole,
  newAccount,
  newOperator,
  newTrustedOperator,
  type TestAccount,
} from '../../../../tests/support/customers/operator-client.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { manageOperators } from '../../../cli/operators-command.ts';
import { PROJECT_ROOT } from '../../../kernel/config/project-root.ts';
import { uncheckedSql } from '../../../kernel/resources/database/fixed-sql.ts';
import { suppress } from '../../../kernel/resources/mailer/suppressions.ts';
import type { OperatorOverview } from '../console.contract.ts';
import { LEAST_ROLES, type OperatorFunctionName, type OperatorRole } from '../operator-roles.contract.ts';
import { hasAuditWords } from '../settings/audit-words.server.ts';
import type { ColleaguesPage } from './colleagues.contract.ts';

let app: TestApp;
let owner: TestAccount;
beforeAll(async () => {
  app = await startTestApp();
  owner = await newTrustedOperator(app);
});
afterAll(() => app.close());

type Answer = { readonly status: number; readonly code?: string; readonly role?: OperatorRole };

/** Calls a function of the console as an operator; refusals are answers too. */
const act = (who: TestAccount, name: OperatorFunctionName, body: object): Promise<Answer> =>
  askConsole<object>(name, who, body).then(
    () => ({ status: 200 }),
    (refusal: Answer) => refusal,
  );

async function call(
  { client }: TestAccount,
  name: string,
  body: object,
): Promise<Answer & { inviter?: string }> {
  const { data, error } = await client.functions.invoke(name, { body });
  return error === null
    ? { status: 200, ...data }
    : { status: error.context.status, ...(await error.context.json()) };
}

const accept = (who: TestAccount, token: string) => call(who, 'accept-console-invitation', { token });
const list = (who: TestAccount = owner) => askConsole<ColleaguesPage>('colleagues', who);

async function idOf({ client }: TestAccount): Promise<string> {
  const { data } = await client.auth.getUser();
  return data.user?.id ?? '';
}

/** Invites an address and returns the secret of the mail. */
async function invite(email: string, role: OperatorRole, who = owner): Promise<string> {
  const before = (await app.resources.mailer.kept(200)).filter(({ to }) => to === email).length;
  expect(await act(who, 'invite-colleague', { email, role })).toEqual({ status: 200 });
  await expect
    .poll(async () => (await app.resources.mailer.kept(200)).filter(({ to }) => to === email).length)
    .toBe(before + 1);
  const { text } = await readMail(app.url, email, /invited to the console/);
  return /\/operator#colleague=([\w-]+)/.exec(text)?.[1] ?? '';
}

describe('an invitation', () => {
  test('is mailed, says who invites to what, asks for a second factor, and gives the role and nothing else', async () => {
    claims(
      '… invites you to the console of … as ….',
      'Then set up a second factor: the console opens with it.',
      'The link in the mail works for a week.',
      'The console opens with an account of that address and a second factor.',
    );
    const customer = await newAccount(app);
    await app.resources.database.run('insert into public.customers (user_id, credits) values ($1, 5)', [
      await idOf(customer),
    ]);
    const token = await invite(customer.email, 'staff');
    expect(await call(customer, 'read-console-invitation', { token })).toEqual({
      status: 200,
      email: customer.email,
      role: 'staff',
      inviter: owner.email,
    });
    expect((await list()).invitations).toMatchObject([{ email: customer.email, role: 'staff' }]);
    expect(await accept(customer, token)).toMatchObject({ status: 403, code: 'second_factor_missing' });
    await addFactor(app, customer);
    expect(await accept(customer, token)).toMatchObject({ status: 200, role: 'staff' });
    await customer.client.auth.refreshSession();
    expect(await askConsole('overview', customer)).toMatchObject({ role: 'staff', hasSecondFactor: true });
    const { colleagues, invitations } = await list();
    expect(invitations).toEqual([]);
    expect(colleagues.find(({ email }) => email === customer.email)).toMatchObject({
      role: 'staff',
      has_factor: true,
      is_own: false,
      seen_at: expect.stringMatching(/^\d{4}-/),
    });
    // A customer's own things stay.
    expect((await customer.client.from('customers').select('credits')).data).toEqual([{ credits: 5 }]);
    expect(await accept(customer, token)).toMatchObject({ status: 404, code: 'bad_invitation' });
    const audit = await app.resources.database.many(
      'select action, role, details from private.operator_audit where subject = $1 order by id',
      [customer.email],
    );
    expect(audit).toEqual([
      { action: 'operator.invite', role: 'owner', details: { to: 'staff' } },
      { action: 'operator.add', role: null, details: { by: `invitation of ${owner.email}`, to: 'staff' } },
    ]);
  });

  test('to an address whose mails are stopped is refused, and the owner reads why', async () => {
    const email = `stopped-${crypto.randomUUID()}@customers.example`;
    await suppress(app.resources.database, {
      address: email,
      reason: 'bounce',
      source: 'notice',
      detail: '',
    });
    expect(await act(owner, 'invite-colleague', { email, role: 'staff' })).toMatchObject({
      code: 'mails_stopped',
    });
    expect((await list()).invitations.filter((invited) => invited.email === email)).toEqual([]);
  });

  test('counts once, for a week, for its own address, from an owner, and the newest one only', async () => {
    const { database } = app.resources;
    const [ann, bob] = [await newAccount(app), await newAccount(app)];
    await Promise.all([addFactor(app, ann), addFactor(app, bob)]);
    const first = await invite(ann.email, 'owner');
    const second = await invite(ann.email, 'reader');
    expect(await accept(ann, first)).toMatchObject({ status: 404 });
    expect(await accept(bob, second)).toMatchObject({ status: 403, code: 'other_address' });
    expect((await list()).invitations).toMatchObject([{ email: ann.email, role: 'reader' }]);

    await database.run('update private.colleague_invitations set expires_at = now() where email = $1', [
      ann.email,
    ]);
    expect(await accept(ann, second)).toMatchObject({ status: 404 });
    expect((await list()).invitations).toEqual([]);

    const withdrawn = await invite(ann.email, 'reader');
    const [open] = (await list()).invitations;
    expect(await act(owner, 'withdraw-colleague', { id: open?.id })).toEqual({ status: 200 });
    expect(await act(owner, 'withdraw-colleague', { id: open?.id })).toMatchObject({ status: 404 });
    expect(await accept(ann, withdrawn)).toMatchObject({ status: 404 });

    const other = await newTrustedOperator(app);
    const ofOther = await invite(ann.email, 'owner', other);
    await act(owner, 'change-colleague', { user_id: await idOf(other), role: 'staff' });
    expect(await accept(ann, ofOther)).toMatchObject({ status: 404, code: 'bad_invitation' });
    expect(await call(ann, 'read-console-invitation', { token: ofOther })).toMatchObject({ status: 404 });

    // A person who came in another way keeps that role.
    const late = await invite(bob.email, 'reader');
    await manageOperators(database, ['add', bob.email]);
    expect(await accept(bob, late)).toMatchObject({ status: 409, code: 'already_colleague' });
    expect(await act(owner, 'invite-colleague', { email: bob.email, role: 'reader' })).toMatchObject({
      status: 409,
      code: 'already_colleague',
    });
    const twice = await invite(ann.email, 'staff');
    const answers = await Promise.all([accept(ann, twice), accept(ann, twice)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404]);
  });
});

describe('a role', () => {
  test('is lowered and taken away at once, in pages and for keys that were made before', async () => {
    claims(
      'At once open pages and API keys of this person get nothing more of the console.',
      'The account stays, with its own files.',
    );
    const colleague = await newTrustedOperator(app);
    const id = await idOf(colleague);
    const { key } = await newApiKey(colleague, ['enquiries:read', 'enquiries:write', 'documents:read']);
    const note = { do: 'enquiry.note', id: 'ENQ-9-a', note: 'x' };
    const withKey = async () => [
      (await callWithKey(app, key, 'operator-enquiries')).status,
      (await callWithKey(app, key, 'operator-act', note)).body.code,
      (await callWithKey(app, key, 'list-documents', {})).status,
    ];
    const mayAttend = async (): Promise<unknown> => {
      const { data } = await colleague.client.auth.getSession();
      const claims = JSON.parse(atob(data.session?.access_token.split('.')[1] ?? ''));
      return (
        await app.resources.database.asCaller({ role: 'authenticated', userId: id, claims }, (queries) =>
          queries.one('select operator.may_attend() as may'),
        )
      ).may;
    };
    expect([await withKey(), await mayAttend()]).toEqual([[200, 'nothing_to_do', 200], true]);

    expect(await act(owner, 'change-colleague', { user_id: id, role: 'reader' })).toEqual({ status: 200 });
    expect(await act(colleague, 'act', note)).toMatchObject({ status: 403, code: 'role_too_low' });
    expect(await act(colleague, 'portal', { id, page: 'files' })).toMatchObject({ code: 'role_too_low' });
    expect(await askConsole('overview', colleague)).toMatchObject({ role: 'reader' });
    expect([await withKey(), await mayAttend()]).toEqual([[200, 'right_missing', 200], false]);
    await expect(newApiKey(colleague, ['messages:write'])).rejects.toMatchObject({ code: 'right_missing' });
    expect(await list(colleague)).toMatchObject({ invitations: [] });
    expect((await list(colleague)).colleagues).toContainEqual(
      expect.objectContaining({ email: owner.email, role: 'owner', has_factor: null, seen_at: null }),
    );

    expect(await act(owner, 'remove-colleague', { user_id: id })).toEqual({ status: 200 });
    await expect(askConsole('overview', colleague)).rejects.toMatchObject({ code: 'not_operator' });
    expect(await withKey()).toEqual([403, 'right_missing', 200]);
    expect(await act(owner, 'remove-colleague', { user_id: id })).toMatchObject({ status: 404 });
  });

  test('of staff makes no key that writes for the agency, and nobody writes a role into a profile', async () => {
    const staff = await newOperator(app, 'staff');
    await expect(newApiKey(staff, ['bookings:write'])).rejects.toMatchObject({ code: 'right_missing' });
    expect((await newApiKey(staff, ['bookings:read', 'documents:write'])).key).toMatch(/^nlk_/);
    await staff.client.auth.updateUser({
      data: { operator_role: 'owner', app_metadata: { operator_role: 'owner' } },
    });
    await staff.client.auth.refreshSession();
    expect(await askConsole('overview', staff)).toMatchObject({ role: 'staff' });
    // Changes of colleagues ask an owner for a second factor.
    const bare = await newOperator(app);
    expect(await act(bare, 'leave', {})).toMatchObject({ status: 403, code: 'second_factor_missing' });
  });

  test('of a person that no role was written for is a reader’s', async () => {
    const odd = await newOperator(app, 'staff');
    await app.resources.database.run(
      "update auth.users set raw_app_meta_data = raw_app_meta_data - 'operator_role' where email = $1",
      [odd.email],
    );
    expect(await askConsole('overview', odd)).toMatchObject({ role: 'reader' });
  });

  test('is what a program with the service key writes', async () => {
    const program = createClient(app.url, app.serviceKey, { auth: { persistSession: false } }).auth.admin;
    const made = async (app_metadata: object) => {
      const account = await newAccount(app);
      expect((await program.updateUserById(await idOf(account), { app_metadata })).error).toBeNull();
      await account.client.auth.refreshSession();
      return (await askConsole<OperatorOverview>('overview', account)).role;
    };
    expect(await made({ role: 'operator', operator_role: 'owner' })).toBe('owner');
    expect(await made({ role: 'operator' })).toBe('reader');
  });

  test('of the last owner stays: neither lowered, nor removed, nor left, nor deleted with the account', async () => {
    const fresh = await startTestApp();
    try {
      const last = await newTrustedOperator(fresh);
      const staff = await newTrustedOperator(fresh, 'staff');
      const user_id = await idOf(last);
      claims(
        'You have left the console.',
        'At once you see nothing of the console.',
        'Your account and its own files stay yours.',
      );
      const refused = { status: 409, code: 'last_owner' };
      expect(await act(last, 'change-colleague', { user_id, role: 'staff' })).toMatchObject(refused);
      expect(await act(last, 'remove-colleague', { user_id })).toMatchObject(refused);
      expect(await act(last, 'leave', {})).toMatchObject(refused);
      expect(await call(last, 'delete-account', { confirm: 'delete', at_once: true })).toMatchObject(refused);
      expect(await act(staff, 'leave', {})).toEqual({ status: 200 });
      await expect(askConsole('overview', staff)).rejects.toMatchObject({ code: 'not_operator' });
      expect((await staff.client.from('user_files').select('id')).error).toBeNull();

      // Two owners who lower each other at the same moment: one of them stays.
      const other = await newTrustedOperator(fresh);
      const answers = await Promise.all([
        act(last, 'change-colleague', { user_id: await idOf(other), role: 'reader' }),
        act(other, 'change-colleague', { user_id, role: 'reader' }),
      ]);
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      const roles = await fresh.resources.database.many(
        'select private.operator_role_of(raw_app_meta_data) as role from auth.users where email = any ($1) order by 1',
        [[last.email, other.email]],
      );
      expect(roles).toEqual([{ role: 'owner' }, { role: 'reader' }]);
      // The command line is for emergencies.
      expect(await manageOperators(fresh.resources.database, ['add', last.email, 'staff'])).toContain(
        'staff',
      );
      expect(await manageOperators(fresh.resources.database, ['remove', other.email])).toContain(
        'no operator',
      );
      expect(await manageOperators(fresh.resources.database, ['list'])).toBe(`${last.email}  staff`);
      await expect(manageOperators(fresh.resources.database, ['add', last.email, 'boss'])).rejects.toThrow(
        'owner, staff, reader',
      );
    } finally {
      await fresh.close();
    }
  });
});

/** Each action of the audit log, with the function of the console that does it. */
const ACTIONS: Readonly<Record<string, OperatorFunctionName>> = {
  'api_key.end': 'end-api-key',
  'assistant.create': 'save-assistant',
  'assistant.delete': 'delete-assistant',
  'assistant.file': 'add-file',
  'assistant.preview': 'voice-preview',
  'assistant.restore': 'restore-assistant',
  'assistant.save': 'save-assistant',
  'assistant.try': 'try-assistant',
  'booking.cancel': 'act',
  'call.delete': 'delete-call',
  'call.end': 'end-call',
  'call.listen': 'call-recording',
  'campaign.create': 'save-campaign',
  'campaign.delete': 'delete-campaign',
  'campaign.end': 'end-campaign',
  'campaign.save': 'save-campaign',
  'console.leave': 'leave',
  'course.answer': 'lesson-answer',
  'course.state': 'lesson-state',
  'course.watch': 'lesson-video',
  'credential.create': 'save-credential',
  'credential.delete': 'delete-credential',
  'credential.save': 'save-credential',
  'credential.try': 'try-credential',
  'customer.credits': 'act',
  'customer.end_override': 'act',
  'customer.override': 'act',
  'customer.refund': 'refund',
  'demo.add': 'demo-data',
  'demo.remove': 'demo-data',
  'enquiry.assign': 'act',
  'enquiry.not_suspect': 'act',
  'enquiry.note': 'act',
  'enquiry.replied': 'act',
  'enquiry.reply': 'act',
  'event.replay': 'act',
  'mail.lift': 'act',
  'mail.retry': 'act',
  'mail.suppress': 'act',
  'message.open_file': 'message-file',
  'message.read': 'read-thread',
  'message.send': 'send-message',
  'news.delete': 'delete-news',
  'news.save': 'save-news',
  'operator.change': 'change-colleague',
  'operator.invite': 'invite-colleague',
  'operator.remove': 'remove-colleague',
  'operator.withdraw': 'withdraw-colleague',
  'recording.delete': 'delete-meeting-recording',
  'settings.change': 'save-settings',
  'settings.restart': 'restart',
  'site.preview': 'preview-content',
  'site.publish': 'publish-content',
  'support.end': 'act',
  'support.look': 'portal',
  'target.replay': 'act',
  'target.test': 'act',
  'test.delete': 'delete-test',
  'test.run': 'run-tests',
  'test.save': 'save-test',
  'tool.create': 'save-tool',
  'tool.delete': 'delete-tool',
  'tool.save': 'save-tool',
  'tool.try': 'try-tool',
};

describe('the database', () => {
  test('asks for the same least role as the server for every action that is audited', async () => {
    const migrations = path.join(PROJECT_ROOT, 'migrations');
    const sql = [migrations, path.join(migrations, 'baseline')].flatMap((folder) =>
      readdirSync(folder)
        .filter((file) => file.endsWith('.sql'))
        .map((file) => readFileSync(path.join(folder, file), 'utf8')),
    );
    const src = path.join(PROJECT_ROOT, 'src');
    const server = readdirSync(src, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.server.ts'))
      .map((file) => readFileSync(path.join(src, file), 'utf8'));
    const sources = server.filter((text) => text.includes('signAsOperator'));
    const named = [
      ...sql.flatMap((text) => [...text.matchAll(/private\.operate\('([a-z_.]+[a-z])'/g)]),
      ...sources.flatMap((text) => [
        ...text.matchAll(/(?:action: |, id, |userId \?\? '', )'([a-z_]+\.[a-z_.]+)'/g),
      ]),
    ].map(([, action = '']) => action);
    const deleted = server
      .flatMap((text) => [...text.matchAll(/declareDeletion\(scope, '(\w+)'/g)])
      .map(([, kind]) => `${kind}.delete`);
    named.push(...deleted);
    expect([...new Set(named)].filter((action) => !action.startsWith('booking.')).toSorted()).toEqual(
      Object.keys(ACTIONS).filter((action) => action !== 'booking.cancel'),
    );
    // The Audit page has words for each.
    const others = sql.flatMap((text) => [...text.matchAll(/private\.operate\('call\.' \|\|/g)]).length;
    expect(others).toBeGreaterThan(0);
    const attending = ['listen_in', 'say', 'whisper', 'take_over', 'give_back'].map((act) => `call.${act}`);
    const accounts = [
      ...readFileSync(path.join(src, 'platform/auth/audit-log.server.ts'), 'utf8').matchAll(
        /^ {2}\| '(\w+)'/gm,
      ),
    ].map(([, action = '']) => action);
    expect(accounts.length).toBeGreaterThan(30);
    const codes = [...named, ...attending, ...accounts, 'booking.book', 'booking.move', 'booking.cancel'];
    expect(codes.filter((code) => !hasAuditWords(code))).toEqual([]);
    const rows = await app.resources.database.many(
      'select action, private.least_role_of(action) as least from unnest($1::text[]) as action',
      [Object.keys(ACTIONS)],
    );
    const wanted = Object.entries(ACTIONS).map(([action, name]) => ({ action, least: LEAST_ROLES[name] }));
    expect(rows).toEqual(wanted);
  });

  test('lets a reader change nothing, past the server too, and shows logs and keys to owners only', async () => {
    const reader = await newOperator(app, 'reader');
    const staff = await newOperator(app, 'staff');
    const bare = await newOperator(app);
    await newApiKey(bare, ['documents:read']);
    const { database } = app.resources;
    const as = async (who: TestAccount, statement: string) =>
      database.asCaller(
        {
          role: 'authenticated',
          userId: await idOf(who),
          claims: { sub: await idOf(who), role: 'authenticated', app_metadata: { role: 'operator' } },
        },
        (queries) => queries.many(uncheckedSql<object>(statement, 'composed')),
      );
    for (const change of [
      "operator.set_note('ENQ-1', 'x')",
      'operator.cancel_booking(gen_random_uuid())',
      "operator.change_credits(gen_random_uuid(), 5, 'gift')",
      "operator.attend_call(gen_random_uuid(), 'listen_in')",
      "operator.look_as(gen_random_uuid(), 'files', null)",
      "operator.publish_site(0, '{}', null, '')",
      'operator.add_demo_data()',
      'operator.remove_demo_data()',
      'operator.end_api_key(gen_random_uuid())',
    ])
      await expect(as(reader, `select ${change}`), change).rejects.toMatchObject({ code: '42501' });
    for (const view of ['trail', 'api_keys']) {
      expect(await as(staff, `select 1 from operator.${view} limit 1`), view).toEqual([]);
      expect(await as(bare, `select 1 from operator.${view} limit 1`), view).toHaveLength(1);
    }
    // The data service serves a reader the rows of any account, and the schema of the console to nobody.
    const { client } = reader;
    expect((await client.from('enquiries').select('id')).data ?? []).toEqual([]);
    expect(
      (
        await client
          .from('customers')
          .select('user_id')
          .neq('user_id', await idOf(reader))
      ).data,
    ).toEqual([]);
    for (const name of ['trail', 'customers'])
      expect((await client.schema('operator').from(name).select()).error?.code).toBe('PGRST106');
    expect((await client.schema('operator').rpc('set_note', { p_id: 'x', p_note: 'y' })).error?.code).toBe(
      'PGRST106',
    );
    const live = await client.schema('northline_app').from('live_calls').delete().neq('status', 'x');
    expect(live.error).not.toBeNull();
  });
});
