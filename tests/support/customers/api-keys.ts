import type { SupabaseClient } from '@supabase/supabase-js';
import type { CreatedApiKey } from '../../../src/business/api-keys/api-key.contract.ts';
import type { ApiRight } from '../../../src/kernel/contract/api-rights.ts';
import type { TestApp } from '../test-app.ts';

/**
 * Makes an API key of the account.
 *
 * @throws an error with the `status` and the fields of the reply
 */
export async function newApiKey(
  { client }: { readonly client: SupabaseClient },
  rights: readonly ApiRight[],
  name = 'An assistant',
): Promise<CreatedApiKey> {
  const { data, error } = await client.functions.invoke('create-api-key', {
    body: { name, rights, days: 30 },
  });
  if (error !== null)
    throw Object.assign(new Error(), { status: error.context.status, ...(await error.context.json()) });
  return data as CreatedApiKey;
}

/** Calls a function with an API key: by GET, or with `body` by POST. */
export async function callWithKey(
  { url }: Pick<TestApp, 'url'>,
  key: string,
  name: string,
  body?: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ status: number; body: Record<string, unknown> & { code?: string; error?: string } }> {
  const reply = await fetch(`${url}/functions/v1/${name}`, {
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  });
  return { status: reply.status, body: await reply.json() };
}
