import type { SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { UPLOADS_BUCKET } from '../../src/kernel/contract/limits.ts';
import { codeOf, enrolledPerson, signInAgain } from '../support/auth/authenticator.ts';
import { claims } from '../support/claims.ts';
import { signUpPerson } from '../support/customers/auth-client.ts';
import { callFunction } from '../support/customers/plan-purchase.ts';
import { follow, type Payload } from '../support/customers/realtime-clients.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const TABLES = ['user_files', 'customers', 'credit_transactions', 'subscriptions', 'user_subscription'];
const OWN_TABLES = ['analysis_reports', 'files'];
const ABOUT_ACCOUNTS = [
  ...['billing-overview', 'open-billing-portal', 'billing-portal', 'preview-plan-change', 'change-plan'],
  ...['cancel-subscription', 'resume-subscription', 'analyze'],
];

/** Rows of every kind that an account has; two of them are files with their objects. */
async function fill(client: SupabaseClient, userId: string): Promise<void> {
  const { database } = app.resources;
  const customerId = `cus_${userId}`;
  await database.run('insert into public.customers (user_id, credits, customer_id) values ($1, 5, $2)', [
    userId,
    customerId,
  ]);
  await database.run(
    `insert into public.subscriptions (customer_id, subscription_id, price_id, tier, status)
     values ($1, $1, 'price_documents_pro', 'Pro', 'active')`,
    [customerId],
  );
  for (const name of ['first.txt', 'second.txt']) {
    const path = `${userId}/${name}`;
    const taken = { p_user_id: userId, p_amount: 1, p_description: 'Document Analysis' };
    expect((await client.rpc('use_credits', taken)).data).toBe(true);
    const stored = await client.storage.from(UPLOADS_BUCKET).upload(path, new Blob(['Words']), {
      contentType: 'text/plain',
    });
    expect(stored.error).toBeNull();
    const row = { user_id: userId, file_path: path, file_name: name, file_size: 5, mime_type: 'text/plain' };
    expect((await client.from('user_files').insert(row)).error).toBeNull();
  }
  await database.run(
    `insert into northline_app.analysis_reports (file_id, user_id, analysis_id, report, blocks)
     select id, user_id, id, '{}', '[]' from public.user_files where user_id = $1`,
    [userId],
  );
}

/** Number of rows in each table that the client sees. */
async function seen(client: SupabaseClient): Promise<Record<string, number>> {
  const own = client.schema('northline_app');
  const rows = await Promise.all([
    ...TABLES.map((name) => client.from(name).select('*')),
    ...OWN_TABLES.map((name) => own.from(name).select('*')),
  ]);
  return Object.fromEntries(rows.map(({ data }, at) => [NAMES[at] ?? '', data?.length ?? -1]));
}

const NAMES = [...TABLES, ...OWN_TABLES];
const NOTHING = Object.fromEntries(NAMES.map((name) => [name, 0]));
const deleted = (changes: Payload[]) => changes.filter(({ eventType }) => eventType === 'DELETE');

test('attack 54: before the second factor a session reads, stores, spends and receives nothing of the account', async () => {
  claims(
    'With one set up, a stolen password alone opens nothing: every sign-in asks for the code.',
    'This account has a second factor.',
  );
  const person = await enrolledPerson(app);
  const userId = person.session.user.id;
  await fill(person.client, userId);
  expect(await seen(person.client)).toMatchObject({
    user_files: 2,
    analysis_reports: 2,
    user_subscription: 1,
  });

  const { client: thief, session } = await signInAgain(app, person);
  expect(await seen(thief)).toEqual(NOTHING);
  const bucket = thief.storage.from(UPLOADS_BUCKET);
  const path = `${userId}/first.txt`;
  expect((await bucket.list(userId)).data).toEqual([]);
  expect((await bucket.remove([path])).data).toEqual([]);
  for (const refused of [
    await bucket.download(path),
    await bucket.info(path),
    await bucket.createSignedUrl(path, 60),
    await bucket.createSignedUploadUrl(`${userId}/third.txt`),
    await bucket.upload(`${userId}/third.txt`, new Blob(['Words']), { contentType: 'text/plain' }),
    await thief.rpc('use_credits', { p_user_id: userId, p_amount: 1, p_description: 'x' }),
  ])
    expect(refused.error).not.toBeNull();
  expect((await thief.from('user_files').delete().eq('user_id', userId).select()).data).toEqual([]);

  const early = await follow(thief, { table: 'user_files' });
  await person.client.realtime.setAuth();
  const own = await follow(person.client, { table: 'user_files' });
  await person.client.from('user_files').delete().eq('file_path', path);
  await expect.poll(() => deleted(own.changes).length).toBe(1);

  // The same client, with the client library's own calls.
  const { error } = await thief.auth.mfa.challengeAndVerify({
    factorId: person.factorId,
    code: codeOf(person.secret),
  });
  expect(error).toBeNull();
  expect(await seen(thief)).toMatchObject({ user_files: 1, analysis_reports: 1, user_subscription: 1 });
  expect((await thief.storage.from(UPLOADS_BUCKET).download(`${userId}/second.txt`)).error).toBeNull();
  // A channel that joins now receives what the earlier one was not sent.
  await thief.realtime.setAuth();
  const late = await follow(thief, { table: 'user_files' });
  await person.client.from('user_files').delete().eq('file_name', 'second.txt');
  await expect.poll(() => deleted(late.changes).length).toBe(1);
  expect(
    early.changes.filter(({ old }) => old.file_path === path || old.id === own.changes[0]?.old.id),
  ).toEqual([]);
  expect((await callFunction(app, 'billing-overview', session.access_token, {})).status).toBe(403);
  await Promise.all([thief, person.client].map((client) => client.realtime.disconnect()));
});

test('attack 54: no function about the account answers before the second factor', async () => {
  const person = await enrolledPerson(app);
  const { session } = await signInAgain(app, person);
  const bearer = session.access_token;
  const purchase = { price_id: 'x', success_url: 'x', cancel_url: 'x', mode: 'subscription' };
  const replies = [
    ...(await Promise.all(ABOUT_ACCOUNTS.map((name) => callFunction(app, name, bearer, {})))),
    await callFunction(app, 'checkout', bearer, purchase),
  ];
  const invoice = await fetch(`${app.url}/functions/v1/download-invoice?invoice_id=in_1`, {
    headers: { authorization: `Bearer ${bearer}` },
  });
  replies.push({ status: invoice.status, body: (await invoice.json()) as Record<string, string> });
  for (const reply of replies)
    expect(reply).toMatchObject({ status: 403, body: { code: 'insufficient_aal' } });
});

test('an account without a verified factor notices nothing of it', async () => {
  const { client, session } = await signUpPerson(app);
  await fill(client, session.user.id);
  await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'begun, not finished' });
  expect(await seen(client)).toMatchObject({ user_files: 2, customers: 1, subscriptions: 1 });
});
