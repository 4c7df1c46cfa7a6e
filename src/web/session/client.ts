import type { SupabaseClient } from '@supabase/supabase-js';
import { publicConfig } from '../public-config.ts';

let pending: Promise<SupabaseClient> | undefined;

/**
 * The one client of this page. The library is fetched at the first call only, so
 * that pages which need no session never load it.
 *
 * @throws Error when the settings or the library cannot be fetched; the next call tries again
 */
export function supabase(): Promise<SupabaseClient> {
  pending ??= createOnce().catch((error: unknown) => {
    pending = undefined;
    throw error;
  });
  return pending;
}

async function createOnce(): Promise<SupabaseClient> {
  const [{ createClient }, { publicKey }] = await Promise.all([
    import('@supabase/supabase-js'),
    publicConfig(),
  ]);
  const client = createClient(location.origin, publicKey);
  client.auth.onAuthStateChange((_event, session) => {
    // The navigation of every page reads this mark (decision 0060).
    if (session === null) delete document.documentElement.dataset.session;
    else document.documentElement.dataset.session = '';
  });
  return client;
}

/**
 * Ends this browser's session and tells the other tabs. Without a connection the
 * client drops the session all the same, and the token ends by its own expiry.
 */
export async function signOut(): Promise<void> {
  const client = await supabase();
  await client.auth.signOut({ scope: 'local' });
}
