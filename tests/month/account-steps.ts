import { randomUUID } from 'node:crypto';
import { endDeletedCustomers } from '../../src/business/billing/customers/customer-removal.server.ts';
import { exportPerson } from '../../src/business/privacy/personal-data.server.ts';
import { codeOf } from '../support/auth/authenticator.ts';
import { callAuth, newClient } from '../support/customers/auth-client.ts';
import { endLinks } from './document-steps.ts';
import type { Step } from './steps.ts';
import { left } from './team-steps.ts';
import {
  ask,
  type Month,
  mailTo,
  newAddress,
  newPerson,
  type Person,
  quiet,
  Refused,
  waitFor,
} from './world.ts';

/** The session's access token. */
async function tokenOf({ client }: Pick<Person, 'client'>): Promise<string> {
  const { data } = await client.auth.getSession();
  if (data.session === null) throw new Error('no session');
  return data.session.access_token;
}

/** The same code may be used again, as half a minute passes between two uses of it. */
async function nextCode({ app }: Month, who: Person): Promise<string> {
  await app.resources.database.run(
    'update auth.mfa_factors set last_step = last_step - 10 where user_id = $1 and last_step is not null',
    [who.id],
  );
  return codeOf(who.secret);
}

/** Sets an authenticator up, with recovery codes; or removes both. */
export const changeFactor: Step = async (month, who, pick) => {
  const { mfa } = who.client.auth;
  if (who.secret === '') {
    const { data, error } = await mfa.enroll({
      factorType: 'totp',
      friendlyName: 'Phone',
      issuer: 'Northline',
    });
    if (error !== null) throw error;
    const proven = await mfa.challengeAndVerify({ factorId: data.id, code: codeOf(data.totp.secret) });
    if (proven.error !== null) throw proven.error;
    who.secret = data.totp.secret;
    const made = await callAuth(month.app, 'POST', '/factors/recovery-codes', {
      ...{ bearer: await tokenOf(who), body: {} },
    });
    who.codes = [...(made.body as unknown as { codes: string[] }).codes];
    return;
  }
  if (pick % 3 > 0) return signInAgain(month, who, pick);
  const { data } = await mfa.listFactors();
  for (const { id } of data?.totp ?? []) {
    const { error } = await mfa.unenroll({ factorId: id });
    if (error !== null) throw error;
  }
  who.secret = '';
  who.codes = [];
  await who.client.auth.refreshSession();
};

/** Signs in on another device; with a lost telephone by a recovery code. */
export const signInAgain: Step = async (month, who, pick) => {
  const client = newClient(month.app);
  const { error } = await client.auth.signInWithPassword({ email: who.email, password: who.password });
  if (error !== null) throw error;
  await giveFactor(month, who, client, pick % 2 === 0);
  who.client = client;
};

/** Before the second factor nothing of the account is shown; with it the session is raised. */
async function giveFactor(month: Month, who: Person, client: Person['client'], lost: boolean): Promise<void> {
  if (who.secret === '') return;
  const files = await client.from('user_files').select('id');
  if (files.data?.length !== 0) throw new Error('files are shown before the second factor');
  const code = await ask({ client }, 'billing-overview', {}).then(
    () => 'no refusal',
    (refused: unknown) => (refused instanceof Refused ? refused.code : String(refused)),
  );
  if (code !== 'insufficient_aal') throw new Error(`before the second factor Billing answers ${code}`);
  const recovery = lost ? who.codes.shift() : undefined;
  if (recovery !== undefined) return giveRecoveryCode(month, client, recovery);
  const { data } = await client.auth.mfa.listFactors();
  const factorId = data?.totp[0]?.id ?? '';
  const raised = await client.auth.mfa.challengeAndVerify({ factorId, code: await nextCode(month, who) });
  if (raised.error !== null) throw raised.error;
}

async function giveRecoveryCode({ app }: Month, client: Person['client'], code: string): Promise<void> {
  const used = await callAuth(app, 'POST', '/factors/recovery-codes/verify', {
    ...{ bearer: await tokenOf({ client }), body: { code } },
  });
  const { access_token, refresh_token } = used.body as unknown as Record<string, string>;
  if (used.status !== 200) throw new Error(`a recovery code was answered with ${used.status}`);
  const { error } = await client.auth.setSession({
    ...{ access_token: access_token ?? '', refresh_token: refresh_token ?? '' },
  });
  if (error !== null) throw error;
}

const codeIn = (mail: string): string => /^\d{6}$/m.exec(mail)?.[0] ?? '';

/** Forgets the password and chooses another by a mail. */
export const resetPassword: Step = async (month, who, pick) => {
  const client = newClient(month.app);
  await client.auth.resetPasswordForEmail(who.email);
  const token = codeIn(await mailTo(month, who.email, /^Choose a new .* password/));
  const opened = await client.auth.verifyOtp({ email: who.email, token, type: 'recovery' });
  if (opened.error !== null) throw opened.error;
  await giveFactor(month, who, client, pick % 2 === 0);
  const password = `harbour lantern ${randomUUID()}`;
  const { error } = await client.auth.updateUser({ password });
  if (error !== null) throw error;
  who.client = client;
  who.password = password;
};

/** Takes another address, by the codes of the mails to both. */
export const changeAddress: Step = async (month, who) => {
  const next = newAddress(who.name);
  const asked = await who.client.auth.updateUser({ email: next });
  if (asked.error !== null) throw asked.error;
  for (const address of [who.email, next]) {
    const token = codeIn(await mailTo(month, address, /^Confirm the new address/));
    const { error } = await who.client.auth.verifyOtp({ email: address, token, type: 'email_change' });
    if (error !== null) throw error;
  }
  // A code of a mail opens a session of its own, which has not given the second factor.
  await giveFactor(month, who, who.client, false);
  who.formerAddresses.push(who.email);
  who.email = next;
  const { data } = await who.client.from('customers').select('customer_id').maybeSingle();
  if (typeof data?.customer_id !== 'string') return;
  const { customers } = month.payments.stripe;
  await waitFor(async () => {
    const customer = await customers.retrieve(data.customer_id);
    return (customer.deleted ? '' : customer.email) === next ? true : undefined;
  });
};

/** Deletes the account: nothing of it is left, and its plans end. A new customer comes in its place. */
export const erase: Step = async (month, who) => {
  const { database } = month.app.resources;
  await signInAgain(month, who, 1);
  const [before] = await database.many(
    `select u.email_proven_at is not null as proven /* not null */, c.customer_id from auth.users u
       left join public.customers c on c.user_id = u.id where u.id = $1`,
    [who.id],
  );
  await ask(who, 'delete-account', { confirm: 'delete', at_once: true, team_ends: true });
  left(month, who);
  month.invitations = month.invitations.filter(({ to }) => to !== who || before?.proven !== true);
  endLinks(month, ({ owner }) => owner === who);
  await endDeletedCustomers(month.app.resources, month.payments);
  await quiet(month);
  await expectErased(month, who.id, [...who.formerAddresses, ...(before?.proven ? [who.email] : [])]);
  if (typeof before?.customer_id === 'string') await expectEnded(month, before.customer_id);
  month.people[month.people.indexOf(who)] = await newPerson(month.app, who.name);
};

/** An erasure leaves only what the record of personal data says is kept, and the mails about it. */
async function expectErased(month: Month, userId: string, addresses: readonly string[]): Promise<void> {
  const { database } = month.app.resources;
  const rows = await database.many("select table_name from private.personal_data where on_erasure = 'kept'");
  const kept = [...rows.map((row) => row.table_name), 'private.mails'];
  for (const email of [undefined, ...addresses]) {
    const left = Object.keys(await exportPerson(database, { userId, email }));
    const wrong = left.filter((table) => !kept.includes(table));
    if (wrong.length > 0) throw new Error(`after the erasure ${email ?? 'the account'} is left in ${wrong}`);
  }
}

async function expectEnded({ payments }: Month, customer: string): Promise<void> {
  const { data } = await payments.stripe.subscriptions.list({ customer, status: 'all', limit: 100 });
  const alive = data.filter(({ status }) => status !== 'canceled' && status !== 'incomplete_expired');
  if (alive.length > 0) throw new Error(`${alive.length} plans of an account that is gone go on`);
}
