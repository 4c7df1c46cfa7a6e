import { randomBytes } from 'node:crypto';
import { createClient, type Session, type SupabaseClient } from '@supabase/supabase-js';
import type { TestApp } from '../test-app.ts';

/** The published client, unmodified, as a program without storage uses it. */
export function newClient(app: TestApp, flowType: 'implicit' | 'pkce' = 'implicit'): SupabaseClient {
  const kept = new Map<string, string>();
  return createClient(app.url, app.anonKey, {
    auth: {
      flowType,
      autoRefreshToken: false,
      detectSessionInUrl: false,
      persistSession: flowType === 'pkce',
      storage: {
        getItem: (key) => kept.get(key) ?? null,
        setItem: (key, value) => void kept.set(key, value),
        removeItem: (key) => void kept.delete(key),
      },
    },
  });
}

/** An address without an account. */
export const newEmail = (): string => `person-${randomBytes(6).toString('hex')}@customers.example`;

/** Accepted by every rule. */
export const PASSWORD = 'quiet harbour lantern 42';

/** A signed-up person with a client of their own. */
export interface Person {
  readonly client: SupabaseClient;
  readonly email: string;
  readonly session: Session;
}

/** Signs up a new person; accounts have to be confirmed without a mail. */
export async function signUpPerson(app: TestApp, data: object = {}): Promise<Person> {
  const client = newClient(app);
  const email = newEmail();
  const { data: result, error } = await client.auth.signUp({ email, password: PASSWORD, options: { data } });
  if (error !== null || result.session === null) throw error ?? new Error('no session');
  return { client, email, session: result.session };
}

/** Sends one request to the auth service as written, for what the client never sends. */
export async function callAuth(
  app: TestApp,
  method: string,
  path: string,
  options: { body?: unknown; bearer?: string; headers?: Record<string, string> } = {},
): Promise<{ status: number; body: Record<string, never>; headers: Headers }> {
  const reply = await fetch(`${app.url}/auth/v1${path}`, {
    method,
    redirect: 'manual',
    headers: {
      apikey: app.anonKey,
      'content-type': 'application/json',
      'x-supabase-api-version': '2024-01-01',
      ...(options.bearer === undefined ? {} : { authorization: `Bearer ${options.bearer}` }),
      ...options.headers,
    },
    ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
  });
  const text = await reply.text();
  return { status: reply.status, body: text === '' ? {} : JSON.parse(text), headers: reply.headers };
}
