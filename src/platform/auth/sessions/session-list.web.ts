import { queryOptions } from '@tanstack/react-query';
import { SERVICES } from '../../../kernel/contract/routes.ts';
import { supabase } from '../../../ui/session/client.ts';
import { publicConfig } from '../../../ui/session/public-config.ts';
import type { OwnSession } from './session-list.contract.ts';

const FAILED = 'Your sign-ins cannot be reached just now. Please try again.';

/** The sessions of this account, this browser's first. */
export const sessionsQuery = (userId: string) =>
  queryOptions({
    queryKey: ['sessions', userId],
    queryFn: async (): Promise<readonly OwnSession[]> => {
      const reply = await askSessions('', 'GET');
      return ((await reply.json()) as { sessions: OwnSession[] }).sessions;
    },
  });

/** Signs another device out. @throws Error with the sentence for the user */
export async function endSession(id: string): Promise<void> {
  const reply = await askSessions(`/${encodeURIComponent(id)}`, 'DELETE');
  await reply.arrayBuffer();
}

/** Signs every other device out. @throws Error with the sentence for the user */
export async function endOtherSessions(): Promise<void> {
  const { auth } = await supabase();
  const { error } = await auth.signOut({ scope: 'others' });
  if (error !== null) throw new Error(FAILED, { cause: error });
}

async function askSessions(path: string, method: 'GET' | 'DELETE'): Promise<Response> {
  const [client, { publicKey }] = await Promise.all([supabase(), publicConfig()]);
  const { data } = await client.auth.getSession();
  const reply = await fetch(`${SERVICES.auth}/sessions${path}`, {
    method,
    headers: { apikey: publicKey, authorization: `Bearer ${data.session?.access_token}` },
  }).catch((cause: unknown) => {
    throw new Error(FAILED, { cause });
  });
  // A session that is already gone counts as signed out.
  if (!reply.ok && !(method === 'DELETE' && reply.status === 404)) throw new Error(FAILED);
  return reply;
}
