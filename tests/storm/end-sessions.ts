import type { SupabaseClient } from '@supabase/supabase-js';
import { PASSWORD } from '../support/customers/auth-client.ts';
import type { StormServers } from './storm-servers.ts';

/** An ended session is refused after this time at the latest (docs/security-attacks.md, attack 15). */
const REFUSED_MS = 5000;

/** A session whose end a server has acknowledged. */
export interface EndedSession {
  readonly how: string;
  readonly accessToken: string;
  readonly refreshToken: string;
}

/** Repeats a request until a server has answered; after a kill, another process is asked. */
export async function insist<T>(ask: () => PromiseLike<{ error: unknown } & T>): Promise<T> {
  for (let attempt = 0; attempt < 400; attempt += 1) {
    const answer = await ask();
    const { name } = (answer.error ?? {}) as { name?: string };
    if (name !== 'AuthRetryableFetchError') {
      if (answer.error !== null) throw answer.error;
      return answer;
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error('no server answered');
}

/** Signs in a new person and ends the session in one of the possible ways. */
export async function endOneSession(
  round: number,
  connect: (key: string) => SupabaseClient,
  servers: StormServers,
): Promise<EndedSession> {
  let email = '';
  const { admin } = connect(servers.serviceKey).auth;
  const made = await insist(() => {
    // A server may have created the account and died before it replied.
    email = `storm-${crypto.randomUUID()}@customers.example`;
    return admin.createUser({ email, password: PASSWORD, email_confirm: true });
  });
  const client = connect(servers.anonKey);
  const { data } = await insist(() => client.auth.signInWithPassword({ email, password: PASSWORD }));
  const [id, session] = [made.data.user?.id ?? '', data.session];
  if (session === null) throw new Error('no session');
  const other = connect(servers.anonKey);
  const ways = [
    ['signed out', () => insist(() => client.auth.signOut())],
    [
      'signed out by another device',
      async () => {
        await insist(() => other.auth.signInWithPassword({ email, password: PASSWORD }));
        await insist(() => other.auth.signOut({ scope: 'others' }));
      },
    ],
    ['banned', () => insist(() => admin.updateUserById(id, { ban_duration: '24h' }))],
    ['deleted', () => insist(() => admin.deleteUser(id)).catch(forgiveGone)],
    ['replayed', () => replay(client, session.refresh_token, servers)],
  ] as const;
  const [how, end] = ways[round % ways.length] ?? ways[0];
  await end();
  const { data: last } = await client.auth.getSession();
  return {
    how,
    accessToken: last.session?.access_token ?? session.access_token,
    refreshToken: last.session?.refresh_token ?? session.refresh_token,
  };
}

/** The reply to a deletion may have been lost with the server. */
function forgiveGone(error: { code?: string }): void {
  if (error.code !== 'user_not_found') throw error;
}

/** A thief uses a token that its owner exchanged long ago: the whole session has to end. */
async function replay(client: SupabaseClient, stolen: string, { owner }: StormServers): Promise<void> {
  for (let step = 0; step < 2; step += 1) {
    await insist(() => client.auth.refreshSession());
    await insist(() => client.auth.getUser());
  }
  await owner.query("update auth.sessions set refreshed_at = refreshed_at - interval '1 minute'");
  const { data } = await client.auth.getSession();
  const before = data.session;
  for (;;) {
    const { error } = await client.auth.refreshSession({ refresh_token: stolen });
    if (error !== null && error.name !== 'AuthRetryableFetchError') break;
    if (error === null) throw new Error('a stolen token was taken');
  }
  if (before !== null) await client.auth.setSession(before).catch(() => {});
}

/**
 * What still accepts an ended session, checked until it is refused or the time is up; undefined when nothing
 * does.
 */
export async function stillIn(
  { how, accessToken, refreshToken }: EndedSession,
  connect: (key: string) => SupabaseClient,
  { anonKey }: StormServers,
): Promise<string | undefined> {
  const client = connect(anonKey);
  for (const [what, ask] of [
    ['access', () => client.auth.getUser(accessToken)],
    ['refresh', () => client.auth.refreshSession({ refresh_token: refreshToken })],
  ] as const) {
    const deadline = Date.now() + REFUSED_MS;
    for (;;) {
      const { error } = await ask();
      if (error !== null && error.name !== 'AuthRetryableFetchError') break;
      if (error === null && Date.now() > deadline) return `${what} token of a session that was ${how}`;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }
  return undefined;
}
