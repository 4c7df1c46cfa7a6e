import { randomUUID } from 'node:crypto';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import type { OperatorRole } from '../../../src/business/console/operator-roles.contract.ts';
import { manageOperators } from '../../../src/cli/operators-command.ts';
import { ageLastCode, codeOf } from '../auth/authenticator.ts';
import type { TestApp } from '../test-app.ts';
import { callAuth } from './auth-client.ts';

/** An account, signed in. */
export interface TestAccount {
  readonly email: string;
  readonly password: string;
  readonly client: SupabaseClient;
}

/** Signs up a new account. */
export async function newAccount(app: TestApp, name = 'ada'): Promise<TestAccount> {
  const client = createClient(app.url, app.anonKey, {
    auth: { persistSession: false, autoRefreshToken: false },
  });
  const email = `${name}-${randomUUID().slice(0, 8)}@agency.example`;
  const password = `harbour lantern ${randomUUID()}`;
  const { error } = await client.auth.signUp({ email, password });
  if (error !== null) throw error;
  return { email, password, client };
}

/** Signs up an account, makes it an operator as the command line does, and signs in again. */
export async function newOperator(app: TestApp, role: OperatorRole = 'owner'): Promise<TestAccount> {
  const account = await newAccount(app, 'operator');
  await manageOperators(app.resources.database, ['add', account.email, role]);
  const { error } = await account.client.auth.signInWithPassword(account);
  if (error !== null) throw error;
  return account;
}

/** An operator whose session has used a second factor, which opens the settings, and who has kept the recovery codes. */
export async function newTrustedOperator(
  app: TestApp,
  role: OperatorRole = 'owner',
): Promise<TestAccount & { readonly secret: string }> {
  const account = await newOperator(app, role);
  return { ...account, secret: await addFactor(app, account) };
}

/** Gives an account a second factor, which its session has used then, and recovery codes. @returns the factor's secret */
export async function addFactor(app: TestApp, account: TestAccount): Promise<string> {
  const { mfa } = account.client.auth;
  const { data } = await mfa.enroll({ factorType: 'totp', friendlyName: 'Phone', issuer: 'Northline' });
  if (data === null) throw new Error('not enrolled');
  const { error } = await mfa.challengeAndVerify({ factorId: data.id, code: codeOf(data.totp.secret) });
  if (error !== null) throw error;
  await ageLastCode(app);
  await callAuth(app, 'POST', '/factors/recovery-codes', { bearer: await tokenOf(account), body: {} });
  // The site reads the factors from the session.
  await account.client.auth.refreshSession();
  return data.totp.secret;
}

async function tokenOf({ client }: TestAccount): Promise<string> {
  const { data } = await client.auth.getSession();
  if (data.session === null) throw new Error('the account has no session');
  return data.session.access_token;
}

/**
 * Calls a function of the console: by GET, or with `body` by POST.
 *
 * @throws an error with the `status` and the fields of the reply
 */
export async function askConsole<T>(
  name: string,
  { client }: Pick<TestAccount, 'client'>,
  body?: object,
): Promise<T> {
  const { data, error } = await client.functions.invoke(
    `operator-${name}`,
    body === undefined ? { method: 'GET' } : { body },
  );
  if (error !== null)
    throw Object.assign(new Error(), { status: error.context.status, ...(await error.context.json()) });
  return data as T;
}
