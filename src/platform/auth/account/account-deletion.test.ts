import { afterAll, beforeAll, expect, test } from 'vitest';
import { enrolledPerson, signInAgain } from '../../../../tests/support/auth/authenticator.ts';
import { readMail } from '../../../../tests/support/auth/mail-read.ts';
import { claims } from '../../../../tests/support/claims.ts';
import { newCustomer, upload } from '../../../../tests/support/customers/analysis-customer.ts';
import { callAuth, signUpPerson } from '../../../../tests/support/customers/auth-client.ts';
import { newOperator } from '../../../../tests/support/customers/operator-client.ts';
import { callFunction } from '../../../../tests/support/customers/plan-purchase.ts';
import { overtake } from '../../../../tests/support/held-lock.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { ask } from '../../../../tests/support/test-database.ts';
import { deleteDueAccounts } from './account-deletion.server.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

async function deleteAccount(token: string, body: object = { confirm: 'delete' }) {
  const reply = await fetch(`${app.url}/functions/v1/delete-account`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: reply.status, body: (await reply.json()) as Record<string, unknown> };
}

const exists = async (id: string): Promise<boolean> =>
  (await app.resources.database.maybe('select 1 from auth.users where id = $1', [id])) !== undefined;

async function idAndToken({ client }: { client: Awaited<ReturnType<typeof signUpPerson>>['client'] }) {
  const { data } = await client.auth.getSession();
  return { id: data.session?.user.id ?? '', token: data.session?.access_token ?? '' };
}

test('a user who has just signed in deletes the account, and no session of it remains', async () => {
  claims('An account without files, credits and purchases is deleted at once.');
  const { id, token } = await idAndToken(await signUpPerson(app));
  const { database } = app.resources;
  expect(await deleteAccount(token)).toEqual({ status: 200, body: { deleted: true } });
  expect(await exists(id)).toBe(false);
  expect(await database.many('select 1 from auth.sessions where user_id = $1', [id])).toEqual([]);
  expect((await deleteAccount(token)).status).toBeGreaterThanOrEqual(401);
});

test('without the word nothing is deleted', async () => {
  const { id, token } = await idAndToken(await signUpPerson(app));
  expect((await deleteAccount(token, {})).status).toBe(400);
  expect(await exists(id)).toBe(true);
});

test('the last owner of a team with others learns that it ends, and hands it over or confirms', async () => {
  claims('The last owner of a team is asked who follows before an account is deleted.');
  const { database } = app.resources;
  const [first, second, guest] = [
    await idAndToken(await signUpPerson(app)),
    await idAndToken(await signUpPerson(app)),
    await idAndToken(await signUpPerson(app)),
  ];
  for (const owner of [first, second]) {
    const made = await callFunction(app, 'create-team', owner.token, { name: 'Harbour House' });
    expect(made.status).toBe(200);
    const joined = await database.run(
      `insert into northline_app.team_members (user_id, team_id, role)
       select $2, team_id, 'member' from northline_app.team_members where user_id = $1`,
      [owner.id, guest.id],
    );
    expect(joined).toBe(1);
    expect(await deleteAccount(owner.token)).toMatchObject({
      status: 409,
      body: {
        code: 'team_ends',
        error:
          'You are the only owner of the team Harbour House, which ends with your account. Make somebody else an owner first, or say that it may end.',
      },
    });
    expect(await exists(owner.id)).toBe(true);
    if (owner === first) {
      expect(await deleteAccount(owner.token, { confirm: 'delete', team_ends: true })).toMatchObject({
        status: 200,
      });
      expect(
        await database.many('select 1 from northline_app.team_members where user_id = $1', [guest.id]),
      ).toEqual([]);
    }
  }
  const heir = { user_id: guest.id, role: 'owner' };
  expect((await callFunction(app, 'change-member', second.token, heir)).status).toBe(200);
  expect((await deleteAccount(second.token)).status).toBe(200);
  expect(
    await database.many('select role from northline_app.team_members where user_id = $1', [guest.id]),
  ).toEqual([{ role: 'owner' }]);
  // A team with only this person in it is deleted along with the account.
  expect((await deleteAccount(guest.token)).status).toBe(200);
});

test('a session that was left open is not enough', async () => {
  const { id, token } = await idAndToken(await signUpPerson(app));
  await app.resources.database.run(
    `update auth.sessions set amr = jsonb_set(amr, '{0,timestamp}', to_jsonb(extract(epoch from now())::bigint - 601))
     where user_id = $1`,
    [id],
  );
  expect(await deleteAccount(token)).toMatchObject({
    status: 403,
    body: { code: 'reauthentication_needed' },
  });
  expect(await exists(id)).toBe(true);
});

test('where a second factor is set up, it has to be used first', async () => {
  const person = await enrolledPerson(app);
  const { session } = await signInAgain(app, person);
  expect(await deleteAccount(session.access_token)).toMatchObject({
    status: 403,
    body: { code: 'insufficient_aal' },
  });
  const { id, token } = await idAndToken(person);
  expect((await deleteAccount(token)).status).toBe(200);
  expect(await exists(id)).toBe(false);
});

/** A person who has bought credits: such an account is not deleted without days of grace. */
async function customer() {
  const person = await signUpPerson(app);
  const { id, token } = await idAndToken(person);
  await app.resources.database.run(
    `with customer as (insert into public.customers (user_id, credits) values ($1, 3) returning id)
     insert into private.payment_customers (customer_id, customer_row) select 'cus_' || $1::text, id from customer`,
    [id],
  );
  return { ...person, id, token };
}

const dueOf = async (id: string): Promise<Date | null | undefined> =>
  (await app.resources.database.maybe('select deletion_due_at from auth.users where id = $1', [id]))
    ?.deletion_due_at;

/** The link of the mail about a planned deletion. */
async function linkOf(email: string): Promise<string> {
  const mail = await readMail(app.url, email, /account will be deleted on \d+ \w+ \d{4}/);
  return /https?:\S+\/auth\/v1\/keep\?\S+/.exec(mail.text)?.[0] ?? '';
}

test('an account that holds something stays for the days of grace: its owner is informed, and can keep it', async () => {
  claims(
    'For … … nothing is deleted, and you can keep the account by signing in or by the link that we mail to you.',
  );
  const person = await customer();
  const other = await signInAgain(app, person);
  const reply = await deleteAccount(person.token);
  const days = (Date.parse(String(reply.body.deletion_due_at)) - Date.now()) / 86_400_000;
  expect([reply.status, reply.body.deleted, Math.round(days)]).toEqual([200, false, 14]);
  // When deletion is requested again, the first day stands.
  expect((await deleteAccount(person.token)).body).toEqual(reply.body);
  const ended = await callAuth(app, 'GET', '/user', { bearer: other.session.access_token });
  expect(ended.body.code).toBe('session_not_found');
  expect(await linkOf(person.email)).toContain('/keep?');

  const { client } = await newOperator(app);
  const { data: seen } = await client.functions.invoke(`operator-customer?id=${person.id}`, {
    method: 'GET',
  });
  expect(Date.parse(seen.customer.deletion_due_at)).toBe(Date.parse(String(reply.body.deletion_due_at)));

  const again = await signInAgain(app, person);
  expect(again.session.user).toMatchObject({ deletion_due_at: reply.body.deletion_due_at });
  for (let time = 1; time <= 2; time += 1) {
    const kept = await again.client.functions.invoke('keep-account', { body: {} });
    expect([kept.error, kept.data]).toEqual([null, { kept: true }]);
  }
  expect(await dueOf(person.id)).toBe(null);
  expect((await again.client.auth.getUser()).data.user).not.toHaveProperty('deletion_due_at');
  await readMail(app.url, person.email, /account stays/);
});

test('the link of the mail keeps the account without a session or a script, once, and for that deletion only', async () => {
  const person = await customer();
  await deleteAccount(person.token);
  const link = await linkOf(person.email);
  const open = async (address: string, method = 'GET') => {
    const page = await fetch(address, { method });
    return [page.status, /<h1>(.*)<\/h1>/.exec(await page.text())?.[1]];
  };
  const nothing = [404, 'There is nothing to keep'];
  const stranger = await customer();
  await deleteAccount(stranger.token);
  // Another account's id, under the signature of this one.
  const foreign = new URL(link);
  const [own, others] = [link, await linkOf(stranger.email)].map(
    (address) => new URL(address).searchParams.get('k') ?? '',
  );
  foreign.searchParams.set('k', `${others?.slice(0, 22)}${own?.slice(22)}`);
  const later = new URL(link);
  later.searchParams.set('d', String(Number(later.searchParams.get('d')) + 1));
  for (const wrong of [foreign.href, later.href, link.slice(0, -1), link.replace(/\?.*/, '')])
    expect(await open(wrong, 'POST'), wrong).toEqual(nothing);
  // Opening the link, as mail scanners do, changes nothing.
  expect(await open(link)).toEqual([200, 'Keep your account?']);
  expect(await dueOf(person.id)).toBeInstanceOf(Date);
  expect(await open(link, 'POST')).toEqual([200, 'Your account stays']);
  expect(await dueOf(person.id)).toBe(null);
  expect(await open(link, 'POST')).toEqual(nothing);
  // Once the deletion is planned for another day, the old link no longer works.
  await app.resources.database.run(
    "update auth.users set deletion_due_at = now() + interval '3 days' where id = $1",
    [person.id],
  );
  expect(await open(link, 'POST')).toEqual(nothing);
  expect(await dueOf(stranger.id)).toBeInstanceOf(Date);
});

test('when the days are over the account is deleted as by any other deletion, and a kept one stays', async () => {
  claims(
    'When an account is deleted, its payments and usage stay on record, without your name.',
    'Payments that fall due until then are taken, unless you end the plan on the Billing tab.',
  );
  const [gone, stays] = [await customer(), await customer()];
  const { database } = app.resources;
  await deleteAccount(gone.token);
  await deleteAccount(stays.token);
  await deleteDueAccounts(app.resources);
  expect([await exists(gone.id), await exists(stays.id)]).toEqual([true, true]);
  const ending = () =>
    database.many("select customer_id from private.customers_to_end where customer_id = 'cus_' || $1", [
      gone.id,
    ]);
  expect(await ending()).toEqual([]);
  await database.run("update auth.users set deletion_due_at = now() - interval '1 second' where id = $1", [
    gone.id,
  ]);
  await Promise.all([deleteDueAccounts(app.resources), deleteDueAccounts(app.resources)]);
  expect([await exists(gone.id), await exists(stays.id)]).toEqual([false, true]);
  const told = await database.many(
    "select payload from auth.audit_log_entries where actor_id = $1 and action = 'user_deleted'",
    [gone.id],
  );
  expect(told).toHaveLength(1);
  expect(await ending()).toHaveLength(1);
  expect(await database.maybe('select 1 from private.erasures where account = $1', [gone.id])).toBeDefined();
});

test('an account that asks for immediate deletion is deleted at once', async () => {
  const person = await customer();
  expect(await deleteAccount(person.token, { confirm: 'delete', at_once: true })).toEqual({
    status: 200,
    body: { deleted: true },
  });
  expect(await exists(person.id)).toBe(false);
});

test('an account that cannot be deleted does not hold up others, and is deleted in a later round', async () => {
  const [held, gone] = [await customer(), await customer()];
  const { database } = app.resources;
  for (const { token } of [held, gone]) await deleteAccount(token);
  await database.run(
    "update auth.users set deletion_due_at = now() - case when id = $1 then interval '2 days' else interval '1 day' end where id in ($1, $2)",
    [held.id, gone.id],
  );
  await ask(app.databaseUrl, 'create table public.paper_files (owner uuid references auth.users)');
  await ask(app.databaseUrl, `insert into public.paper_files values ('${held.id}')`);
  await deleteDueAccounts(app.resources);
  expect([await exists(held.id), await exists(gone.id)]).toEqual([true, false]);
  await ask(app.databaseUrl, 'drop table public.paper_files');
  await deleteDueAccounts(app.resources);
  expect(await exists(held.id)).toBe(false);
});

test('a deletion waits for work on a file that still refers to the account, by its owner and by the server', async () => {
  for (const ofServer of [false, true]) {
    const customer = await newCustomer(app, `leaver${Number(ofServer)}`);
    const { id, token } = customer;
    const file = await upload(customer, 'note.txt', Buffer.from('Thank you.'));
    const remove = async (): Promise<number> =>
      ofServer
        ? (await callAuth(app, 'DELETE', `/admin/users/${id}`, { bearer: app.serviceKey })).status
        : (await deleteAccount(token, { confirm: 'delete', at_once: true })).status;
    expect(
      await overtake(app, remove, [
        'select user_id from public.user_files where id = $1 for no key update',
        [file],
        'select 1 from auth.users u join public.user_files f on f.user_id = u.id where f.id = $1 for key share of u',
      ]),
    ).toBe(200);
    expect(await exists(id)).toBe(false);
  }
});
