import type { SupabaseClient } from '@supabase/supabase-js';
import { OWN_SCHEMA } from '../../kernel/contract/routes.ts';
import { publicConfig } from './public-config.ts';
import { signOutAndGoHome } from './stored-session.ts';

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

/** The tables and procedures that the specification does not name (`OWN_SCHEMA`). @throws Error as {@link supabase} */
export async function ownTables() {
  return (await supabase()).schema(OWN_SCHEMA);
}

async function createOnce(): Promise<SupabaseClient> {
  const [{ createClient }, { publicKey }] = await Promise.all([
    import('@supabase/supabase-js'),
    publicConfig(),
  ]);
  const client = createClient(location.origin, publicKey, {
    auth: { experimental: { recoveryCodes: true } },
  });
  client.auth.onAuthStateChange((event, session) => {
    // The library tells Realtime of a new token at sign-in and refresh only; rows are kept until the second factor.
    if (event === 'MFA_CHALLENGE_VERIFIED' && session !== null)
      void client.realtime.setAuth(session.access_token);
    // The navigation of every page reads this mark (decision 0060).
    if (session === null) delete document.documentElement.dataset.session;
    else document.documentElement.dataset.session = '';
  });
  return client;
}

let leaving = false;

/** True while this page signs out by itself: it goes home then, instead of to /login. */
export function isLeaving(): boolean {
  return leaving;
}

/**
 * Ends this browser's session in all its tabs, then calls `goHome`. When the
 * server cannot be reached the browser's copy goes all the same.
 */
export async function signOut(goHome: () => void): Promise<void> {
  leaving = true;
  const client = await supabase();
  const { error } = await client.auth.signOut({ scope: 'local' });
  if (error === null) goHome();
  else await signOutAndGoHome();
  leaving = false;
}
