import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { codeIn, readMail } from '../../../tests/support/auth/mail-read.ts';
import { claims } from '../../../tests/support/claims.ts';
import { newClient, newEmail, PASSWORD, signUpPerson } from '../../../tests/support/customers/auth-client.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { uncheckedSql } from '../../kernel/resources/database/fixed-sql.ts';
import { withSnapshot } from '../backup/database-snapshot.server.ts';
import { eraseAgain, noteErasures, readNotes } from '../backup/erasure-notes.server.ts';
import { erasePerson, exportPerson } from './personal-data.server.ts';
import { forgetOld } from './retention.server.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app?.close());

const many = <Row extends object = Record<string, unknown>>(text: string, values: unknown[] = []) =>
  app.resources.database.many(uncheckedSql<Row>(text, 'composed'), values);

/** Creates an enquiry, a mail and a call about an address and a number. */
async function writeAbout(email: string, phone: string): Promise<void> {
  await many(
    `with enquiry as (
       insert into public.enquiries (id, name, email, phone, enquiry_type, address_hash, text_hash)
       values ('ENQ-1-' || substr(md5(random()::text), 1, 8), 'A', $1, $2, 'general', 'x', 'x')),
     mail as (
       insert into private.mails (recipient, sender, subject, body_text, body_html, state)
       values ($1, 'us@example.com', 'Hello', 'to ' || $1, '', 'kept'))
     insert into private.voice_records (kind, body)
     values ('call', jsonb_build_object('customer', jsonb_build_object('number', $2::text)))`,
    [email, phone],
  );
}

async function personOf(proven: boolean) {
  const person = await signUpPerson(app);
  const { data } = await person.client.auth.getSession();
  const [id, token] = [data.session?.user.id ?? '', data.session?.access_token ?? ''];
  if (proven) await many('update auth.users set email_proven_at = now() where id = $1', [id]);
  return { email: data.session?.user.email ?? '', id, token };
}

async function call(name: string, token: string, body: object) {
  const reply = await fetch(`${app.url}/functions/v1/${name}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: reply.status, body: (await reply.json()) as { data: Record<string, unknown[]> } };
}

/** Every table of the product with a row that contains one of these words. */
async function tablesWith(words: readonly string[]): Promise<string[]> {
  const tables = await many<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname in ('auth', 'northline_app', 'operator', 'private', 'public', 'realtime', 'storage') order by 1`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await many(
      `select from ${name} as t where exists (select from unnest($1::text[]) as word where strpos(t::text, word) > 0) limit 1`,
      [words],
    );
    if (rows.length > 0) found.push(name);
  }
  return found;
}

test('every table with a column about people is in the record, and each entry of it works', async () => {
  claims(
    '{brand} keeps what it needs to serve you, on its own server, and shows it to nobody who does not need it.',
    'What we keep is in our privacy notice.',
  );
  const missing = await many<{ name: string }>(
    `select distinct c.table_schema || '.' || c.table_name as name from information_schema.columns c
     join pg_tables t on t.schemaname = c.table_schema and t.tablename = c.table_name
     where c.table_schema in ('auth', 'northline_app', 'private', 'public', 'storage')
       and c.column_name in ('user_id', 'owner', 'email', 'phone', 'recipient', 'actor', 'actor_id', 'started_by')
       and not exists (select from private.personal_data d where d.table_name = c.table_schema || '.' || c.table_name)`,
  );
  // The owner of a bucket is the server's own key.
  expect(missing.map(({ name }) => name).filter((name) => name !== 'storage.buckets')).toEqual([]);
  expect(
    await exportPerson(app.resources.database, { email: 'nobody@example.com', phone: '+1 555' }),
  ).toEqual({});
  const gone = await many(
    'select table_name from private.personal_data where to_regclass(table_name) is null',
  );
  expect(gone).toEqual([]);
});

test('the export of an account has the data about its person, and no secret', async () => {
  claims('The documents themselves are on the Files tab.');
  const { email, id, token } = await personOf(true);
  await writeAbout(email, '+441234567001');
  const { status, body } = await call('export-account', token, {});
  expect(status).toBe(200);
  expect(Object.keys(body.data)).toEqual(
    expect.arrayContaining(['auth.users', 'auth.sessions', 'private.mails', 'public.enquiries']),
  );
  expect(body.data['auth.users']).toMatchObject([{ id, email }]);
  expect(JSON.stringify(body)).not.toMatch(/encrypted_password|\$argon2|address_hash/);
});

test('deleting an account deletes the data found by its proven address, except for the proofs', async () => {
  claims(
    'Your account, until you delete it: name, email address, phone number and picture if you gave them, a hash of your password, and where you are signed in.',
    'Messages: what you and we wrote to each other in your account, until you delete the account.',
    '… will be removed from your dashboard and from our servers.',
    'Then your documents, their reports, your enquiries and your sign-ins are deleted, and running plans end without a refund.',
  );
  const { email, id, token } = await personOf(true);
  await writeAbout(email, '+441234567002');
  expect(await tablesWith([id, email])).toEqual(
    expect.arrayContaining(['private.mails', 'public.enquiries']),
  );
  expect((await call('delete-account', token, { confirm: 'delete' })).status).toBe(200);
  const kept = await many<{ name: string }>(
    "select table_name as name from private.personal_data where on_erasure = 'kept'",
  );
  const allowed = new Set([...kept.map(({ name }) => name), 'private.erasures']);
  // What the deletion itself sends (its notices) is under way for some days at most.
  const left = (await tablesWith([id, email])).filter((name) => !allowed.has(name) && name !== 'private.job');
  expect(left).toEqual([]);
});

test('what came with an address that the account has proven follows it to a new one, and goes with it', async () => {
  const [former, next] = [newEmail(), newEmail()];
  const client = newClient(app);
  await client.auth.signUp({ email: former, password: PASSWORD });
  await writeAbout(former, '+441234567008');
  await many(
    `insert into northline_app.bookings (starts_at, minutes, name, phone, email)
     values (now() + interval '1 day', 30, 'A', '07700 900123', upper($1))`,
    [former],
  );
  expect((await client.auth.updateUser({ email: next })).error).toBeNull();
  // The code that came to the present address proves that address too.
  for (const email of [former, next]) {
    const token = codeIn(await readMail(app.url, email, /^Confirm the new address/));
    expect((await client.auth.verifyOtp({ email, token, type: 'email_change' })).error).toBeNull();
  }
  const booked = await client.functions.invoke('own-bookings', { method: 'GET' });
  expect(booked.data.bookings).toHaveLength(1);
  const { data: enquiries } = await client.schema('northline_app').rpc('enquiries_in_thread');
  expect(enquiries).toHaveLength(1);
  const gone = await client.functions.invoke('delete-account', {
    body: { confirm: 'delete', at_once: true },
  });
  expect(gone.error).toBeNull();
  for (const email of [former, next]) {
    const left = Object.keys(await exportPerson(app.resources.database, { email }));
    // Mails that were sent are kept for a week.
    expect(left.filter((table) => table !== 'private.mails')).toEqual([]);
  }
});

test('what came with an address that was never proven stays there when the account takes another one', async () => {
  const { email, id } = await personOf(false);
  await writeAbout(email, '+441234567009');
  await many('update auth.users set email = $2 where id = $1', [id, newEmail()]);
  expect(await tablesWith([email])).toContain('public.enquiries');
});

test('an account with somebody else’s unproven address neither shows nor deletes the data of that address', async () => {
  claims('Once your address is proven by a mailed link, also the mails to it.');
  const { email, token } = await personOf(false);
  await writeAbout(email, '+441234567003');
  const { body } = await call('export-account', token, {});
  expect(Object.keys(body.data)).not.toContain('public.enquiries');
  await call('delete-account', token, { confirm: 'delete' });
  expect(await tablesWith([email])).toContain('public.enquiries');
});

test('a person without an account is found and erased by address and number, in any spelling', async () => {
  claims('Your enquiries: what you wrote, so that we can answer it, until you ask us to delete it.');
  const { database } = app.resources;
  await writeAbout('Visitor@Example.com', '+44 1234 567004');
  const person = { email: 'visitor@example.COM', phone: '(+44) 1234-567004' };
  expect(Object.keys(await exportPerson(database, person)).sort()).toEqual([
    'private.mails',
    'private.voice_records',
    'public.enquiries',
  ]);
  expect(await erasePerson(database, person)).toEqual({
    'private.mails': 1,
    'private.voice_records': 1,
    'public.enquiries': 1,
  });
  expect(await exportPerson(database, person)).toEqual({});
});

test('enquiries, calls and bookings are deleted after their days, and never when the setting is 0', async () => {
  const { database } = app.resources;
  await writeAbout('old@example.com', '+441234567005');
  await many(
    "update public.enquiries set created_at = now() - interval '31 days' where email = 'old@example.com'",
  );
  await many(
    "update private.voice_records set updated_at = now() - interval '31 days' where body #>> '{customer,number}' = '+441234567005'",
  );
  await many(
    "insert into northline_app.bookings (starts_at, minutes, name, phone) values (now() - interval '31 days', 30, 'A', '1')",
  );
  expect(await forgetOld(database, { ENQUIRY_DAYS: 0, CALL_DAYS: 0 })).toEqual({
    enquiries: 0,
    calls: 0,
    bookings: 0,
  });
  expect(await forgetOld(database, { ENQUIRY_DAYS: 40, CALL_DAYS: 40 })).toEqual({
    enquiries: 0,
    calls: 0,
    bookings: 0,
  });
  expect(await forgetOld(database, { ENQUIRY_DAYS: 30, CALL_DAYS: 30 })).toEqual({
    enquiries: 1,
    calls: 1,
    bookings: 1,
  });
});

test('a person who was erased after a backup is erased again when it is restored', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'northline-notes-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { database } = app.resources;
  const [gone, stays] = [await personOf(true), await personOf(true)];
  await call('delete-account', gone.token, { confirm: 'delete' });
  await withSnapshot({ connectionString: app.databaseUrl }, (snapshot) => noteErasures(snapshot, folder));
  expect(Object.keys(JSON.parse(readFileSync(path.join(folder, 'erased.json'), 'utf8')))).toContain(gone.id);
  await many('insert into auth.users (id, email) values ($1, $2)', [gone.id, gone.email]);
  const there = async (id: string) => (await many('select from auth.users where id = $1', [id])).length;
  await eraseAgain(database, readNotes(folder), new Date(Date.now() + 60_000));
  expect(await there(gone.id)).toBe(1);
  await eraseAgain(database, readNotes(folder), new Date(Date.now() - 3_600_000));
  expect([await there(gone.id), await there(stays.id)]).toEqual([0, 1]);
  writeFileSync(path.join(folder, 'erased.json'), '{"x": 1}');
  expect(() => readNotes(folder)).toThrow(/the list of erased accounts/);
  expect(
    (await newClient(app).auth.signInWithPassword({ email: stays.email, password: PASSWORD })).error,
  ).toBeNull();
});
