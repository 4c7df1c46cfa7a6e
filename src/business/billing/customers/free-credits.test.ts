import { randomUUID } from 'node:crypto';
import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { codeIn, readMail } from '../../../../tests/support/auth/mail-read.ts';
import { claims } from '../../../../tests/support/claims.ts';
import { upload } from '../../../../tests/support/customers/analysis-customer.ts';
import { callAuth, newClient, PASSWORD } from '../../../../tests/support/customers/auth-client.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { MESSAGES } from '../../../kernel/contract/messages.ts';
import { pageValues } from '../../../kernel/http/site/static-site.ts';
import { customerRowOf, explainBalance } from './balance-explanation.server.ts';
import { forgetFreeCredits, mailboxOf } from './free-credits.server.ts';

/** Two processes on one database. */
let app: TestApp;
let second: TestApp;
const SETTINGS = {
  FREE_CREDITS: '3',
  TRUST_PROXY: '127.0.0.1',
  AUTH_ANONYMOUS: 'true',
  AUTH_AUTOCONFIRM: 'false',
};
beforeAll(async () => {
  app = await startTestApp({ settings: SETTINGS });
  second = await startTestApp({ beside: app, settings: SETTINGS });
});
afterAll(async () => {
  await second.close();
  await app.close();
});

/** A network for one test, so that no test uses up another one's credits. */
const someNetwork = (): string => `2001:db8:${randomUUID().slice(9, 13)}:${randomUUID().slice(0, 4)}::1`;
const someName = (): string => `ann${randomUUID().slice(0, 8)}`;
const idOf = (user: unknown): string => (user as { id: string }).id;
const from = (network: string) => ({ 'x-forwarded-for': network });

/** Signs up and confirms the address from a network; returns the account's id. */
async function signUp(email: string, network = someNetwork()): Promise<string> {
  const { status, body } = await callAuth(app, 'POST', '/signup', {
    body: { email, password: PASSWORD },
    headers: from(network),
  });
  expect(status).toBe(200);
  await confirm(app, email, network);
  return idOf(body);
}

async function confirm(process: TestApp, email: string, network: string): Promise<void> {
  const token = codeIn(await readMail(app.url, email, /Confirm/));
  const confirmed = await callAuth(process, 'POST', '/verify', {
    body: { email, token, type: 'signup' },
    headers: from(network),
  });
  expect(confirmed.status).toBe(200);
}

async function creditsOf(id: string): Promise<number | undefined> {
  const row = await app.resources.database.maybe('select credits from public.customers where user_id = $1', [
    id,
  ]);
  return row?.credits;
}

test('an account comes with its credits once its address is confirmed, and they upload a document', async () => {
  const email = `${someName()}@customers.example`;
  const { body } = await callAuth(app, 'POST', '/signup', { body: { email, password: PASSWORD } });
  const id = idOf(body);
  expect(await creditsOf(id)).toBeUndefined();
  const client = newClient(app);
  const token = codeIn(await readMail(app.url, email, /Confirm/));
  const { data } = await client.auth.verifyOtp({ email, token, type: 'signup' });
  expect(await creditsOf(id)).toBe(3);

  const { database } = app.resources;
  const explained = await explainBalance(database, await customerRowOf(database, email));
  expect(explained).toMatchObject({
    credits: 3,
    explained: true,
    entries: [
      {
        kind: 'grant',
        amount: 3,
        description: 'Free documents of a new account',
        source: 'sign-up',
        lapses_at: null,
      },
    ],
  });
  const bearer = data.session?.access_token ?? '';
  const caller = createClient(app.url, app.anonKey, { accessToken: async () => bearer });
  await upload(
    { id, token: bearer, client: caller },
    'note.txt',
    Buffer.from('A note of two lines.\nThe second.'),
  );
  expect(await creditsOf(id)).toBe(2);
});

test('the sign-up page says what comes with an account and on which terms, and nothing when nothing does', async () => {
  const page = await (await fetch(`${app.url}/signup`)).text();
  expect(page).toContain(`>${MESSAGES.signup.free(3)}<`);
  expect(page).toContain(
    'Once for each email address, and for at most three new accounts a day from one network.',
  );
  expect(MESSAGES.signup.free(1)).toBe('Your account comes with 1 free document.');
  const { settings, siteUrl } = app.resources;
  expect(pageValues({ ...settings, FREE_CREDITS: 0 }, siteUrl).freeNote).toBe('');
});

test('one mailbox gets free credits once, in any spelling, and not again after its account was deleted', async () => {
  claims(
    'If your account came with free documents: a fingerprint of its address that only this server can compare, so that they are given once.',
  );
  const name = someName();
  const first = await signUp(`${name}@gmail.com`);
  expect(await creditsOf(first)).toBe(3);
  const again = [`${name}+more@gmail.com`, `${name.slice(0, 3)}.${name.slice(3)}@googlemail.com`];
  for (const email of again) expect(await creditsOf(await signUp(email))).toBeUndefined();
  await app.resources.database.run('delete from auth.users where id = $1', [first]);
  expect(await creditsOf(await signUp(`${name}@gmail.com`))).toBeUndefined();
});

test('two processes that confirm one mailbox at the same moment give them once', async () => {
  const name = someName();
  const emails = [`${name}+mailed@customers.example`, `${name}@customers.example`];
  const ids: string[] = [];
  for (const email of emails) {
    const { body } = await callAuth(app, 'POST', '/signup', { body: { email, password: PASSWORD } });
    ids.push(idOf(body));
  }
  await Promise.all(emails.map((email, index) => confirm(index === 0 ? app : second, email, someNetwork())));
  const both = [await creditsOf(ids[0] ?? ''), await creditsOf(ids[1] ?? '')];
  expect(both.filter((credits) => credits === 3)).toHaveLength(1);
  expect(both.filter((credits) => credits === undefined)).toHaveLength(1);
});

test('three new accounts a day in one network get free credits; other networks are counted separately', async () => {
  // One customer of a provider may have a whole /48.
  const [network, other] = [`2001:db8:${randomUUID().slice(9, 13)}`, someNetwork()];
  const given = [];
  for (const host of ['7::1', '7::2', 'ffff::1', 'a:b::'])
    given.push(await creditsOf(await signUp(`${someName()}@customers.example`, `${network}:${host}`)));
  expect(given).toEqual([3, 3, 3, undefined]);
  expect(await creditsOf(await signUp(`${someName()}@customers.example`, other))).toBe(3);
});

test('after 200 accounts in a day the next ones get none', async () => {
  const { database } = app.resources;
  await database.run(
    `insert into private.free_credits (mail_digest, given_at)
       select int4send(n), now() from generate_series(1, 200) n`,
  );
  expect(await creditsOf(await signUp(`${someName()}@customers.example`))).toBeUndefined();
  await database.run("update private.free_credits set given_at = now() - interval '25 hours'");
  expect(await creditsOf(await signUp(`${someName()}@customers.example`))).toBe(3);
});

test('an account without an address gets free credits with its first address, and not with another', async () => {
  const client = newClient(app);
  const { data } = await client.auth.signInAnonymously();
  const id = data.user?.id ?? '';
  const email = `${someName()}@customers.example`;
  expect((await client.auth.updateUser({ email })).error).toBeNull();
  expect(await creditsOf(id)).toBeUndefined();
  const token = codeIn(await readMail(app.url, email, /./));
  expect((await client.auth.verifyOtp({ email, token, type: 'email_change' })).error).toBeNull();
  expect(await creditsOf(id)).toBe(3);
  const { database } = app.resources;
  const granted = await database.one(
    "select count(*)::int as entries from public.credit_transactions where user_id = $1 and kind = 'grant'",
    [id],
  );
  expect(granted.entries).toBe(1);
});

test('a network is forgotten after a day, an address without an account after a year; an address with one stays', async () => {
  claims('It goes a year after they were given, or with your account where that stays longer.');
  const { database } = app.resources;
  const [stays, goes] = [
    await signUp(`${someName()}@customers.example`),
    await signUp(`${someName()}@customers.example`),
  ];
  await database.run(
    "update private.free_credits set given_at = now() - interval '366 days' where user_id = any($1)",
    [[stays, goes]],
  );
  const { digest } = await database.one(
    'select mail_digest as digest from private.free_credits where user_id = $1',
    [goes],
  );
  await database.run('delete from auth.users where id = $1', [goes]);
  await forgetFreeCredits(database);
  expect(
    await database.maybe('select 1 from private.free_credits where mail_digest = $1', [digest]),
  ).toBeUndefined();
  expect(
    await database.one('select client_digest from private.free_credits where user_id = $1', [stays]),
  ).toEqual({ client_digest: null });
});

test.each([
  ['Ann.Lee+try@googlemail.com', 'annlee@gmail.com'],
  ['a.n.n@GMAIL.com', 'ann@gmail.com'],
  ['Ann.Lee+try@customers.example', 'ann.lee@customers.example'],
  ['"odd@name"@customers.example', '"odd@name"@customers.example'],
])('%s is the mailbox %s', (address, mailbox) => {
  expect(mailboxOf(address)).toBe(mailbox);
});
