import { randomUUID } from 'node:crypto';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import type { Product } from './product.ts';

/** A signed-up customer, and the client with the session. */
export interface Person {
  readonly client: SupabaseClient;
  readonly id: string;
  readonly email: string;
  readonly password: string;
  readonly accessToken: string;
}

/** Signs up a new person. @throws Error with the server's message */
export async function newPerson(product: Pick<Product, 'url' | 'anonKey'>): Promise<Person> {
  const email = `bench-${randomUUID()}@people.example`;
  const password = `bench ${randomUUID()}`;
  const client = createClient(product.url, product.anonKey, {
    auth: { persistSession: false, autoRefreshToken: false },
  });
  const { data, error } = await client.auth.signUp({ email, password });
  if (error !== null || data.session === null || data.user === null)
    throw new Error(`sign-up: ${error?.message}`);
  return { client, id: data.user.id, email, password, accessToken: data.session.access_token };
}

/** A second client with the same session, as another browser of the same person. */
export async function secondBrowser(
  product: Pick<Product, 'url' | 'anonKey'>,
  person: Person,
): Promise<SupabaseClient> {
  const client = createClient(product.url, product.anonKey, {
    auth: { persistSession: false, autoRefreshToken: false },
  });
  const { error } = await client.auth.signInWithPassword({ email: person.email, password: person.password });
  if (error !== null) throw new Error(`sign-in: ${error.message}`);
  return client;
}
