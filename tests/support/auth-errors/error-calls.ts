import { uncheckedSql } from '../../../src/kernel/resources/database/fixed-sql.ts';
import { createSecretHashes } from '../../../src/platform/auth/tokens/one-time-secret.server.ts';
import { codeOf, enrolledPerson, signInAgain } from '../auth/authenticator.ts';
import { callAuth, PASSWORD, signUpPerson } from '../customers/auth-client.ts';
import type { TestApp } from '../test-app.ts';

export type Reply = Awaited<ReturnType<typeof callAuth>>;
type Body = Record<string, unknown>;

/** A code of the auth service, its status, and a request that meets it. */
export type ErrorCase = readonly [code: string, status: number, make: () => Promise<Reply>];

/**
 * Processes of one installation: with everything open; strict about proofs and limits; with every way to sign
 * in closed.
 */
export interface Apps {
  app: TestApp;
  strict: TestApp;
  closed: TestApp;
}

/** The calls of the cases; `apps` may be filled later. */
export function errorCalls(apps: Apps) {
  const call = (at: keyof Apps, method: string, to: string, options: Parameters<typeof callAuth>[3] = {}) =>
    callAuth(apps[at], method, to, options);
  const post = (at: keyof Apps, to: string, body: Body, bearer?: string) =>
    call(at, 'POST', to, { body, ...(bearer === undefined ? {} : { bearer }) });
  const admin = (method: string, to: string, body?: Body) =>
    call('app', method, `/admin${to}`, {
      bearer: apps.app.serviceKey,
      ...(body === undefined ? {} : { body }),
    });
  const change = (bearer: string, body: Body) => call('app', 'PUT', '/user', { bearer, body });
  const sql = (text: string, values: unknown[] = []) =>
    apps.app.resources.database.run(uncheckedSql(text, 'composed'), values);

  /** A new person's token and id. */
  async function person() {
    const { session, email, client } = await signUpPerson(apps.app);
    return {
      bearer: session.access_token,
      refresh: session.refresh_token,
      id: session.user.id,
      email,
      client,
    };
  }

  /** A person with an authenticator: `bearer` is at aal2, `low` another device's at aal1. */
  async function withFactor() {
    const enrolled = await enrolledPerson(apps.app);
    const { data } = await enrolled.client.auth.getSession();
    const other = await signInAgain(apps.app, enrolled);
    return { ...enrolled, bearer: data.session?.access_token ?? '', low: other.session.access_token };
  }

  /** A confirmed account that was then changed in the table. */
  async function signInAfter(statement: string): Promise<Reply> {
    const { email, id } = await person();
    await sql(`update auth.users set ${statement} where id = $1`, [id]);
    return post('app', '/token?grant_type=password', { email, password: PASSWORD });
  }

  async function flow(age: string): Promise<Reply> {
    const { id } = await person();
    const secret = `code-${id}`;
    await sql(
      `insert into auth.flow_state (user_id, authentication_method, code_challenge, code_challenge_method, auth_code_hash, auth_code_issued_at)
       values ($1, 'magiclink', 'x', 'plain', $2, now() - $3::interval)`,
      [id, createSecretHashes(apps.app.resources.keys).link(secret), age],
    );
    return post('app', '/token?grant_type=pkce', { auth_code: secret, code_verifier: 'y' });
  }

  async function challenge(after?: string): Promise<Reply> {
    const { bearer, factorId, secret } = await withFactor();
    const made = await post('app', `/factors/${factorId}/challenge`, {}, bearer);
    if (after !== undefined) await sql(after, [made.body.id]);
    const code = after === undefined ? 'wrong' : codeOf(secret, 1);
    return post('app', `/factors/${factorId}/verify`, { challenge_id: made.body.id, code }, bearer);
  }

  async function repeated(times: number, make: () => Promise<Reply>): Promise<Reply> {
    let reply = await make();
    for (let n = 1; n < times; n += 1) reply = await make();
    return reply;
  }

  async function untilRefused(make: () => Promise<Reply>): Promise<Reply> {
    for (;;) {
      const reply = await make();
      if (reply.status === 429) return reply;
    }
  }

  async function rawPost(body: string, type = 'application/json'): Promise<Reply> {
    const reply = await fetch(`${apps.app.url}/auth/v1/signup`, {
      method: 'POST',
      headers: { apikey: apps.app.anonKey, 'content-type': type, 'x-supabase-api-version': '2024-01-01' },
      body,
    });
    return { status: reply.status, body: await reply.json(), headers: reply.headers };
  }

  return {
    call,
    post,
    admin,
    change,
    sql,
    person,
    withFactor,
    signInAfter,
    flow,
    challenge,
    repeated,
    untilRefused,
    rawPost,
  };
}
