import type { SupabaseClient } from '@supabase/supabase-js';
import { OWN_SCHEMA } from '../../kernel/contract/routes.ts';
import { publicConfig } from './public-config.ts';
import { signOutAndGoHome } from './stored-session.ts';

let pending: Promise<SupabaseClient> | undefined;

/**
 * The one client of this page. The library is fetched at the first call, so that pages that need no session
 * never load it.
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
    // The library gives Realtime a new token only at sign-in and refresh, but some rows are visible only
    // after the second factor.
    if (event === 'MFA_CHALLENGE_VERIFIED' && session !== null)
      void client.realtime.setAuth(session.access_token);
    // The navigation of every page reads this mark (decision 0060).
    if (session === null) delete document.documentElement.dataset.session;
    else document.documentElement.dataset.session = '';
  });
  return client;
}

let leaving = false;

/** True while this page itself signs out: it then goes to the home page and not to /login. */
export function isLeaving(): boolean {
  return leaving;
}

/**
 * Ends this browser's session in all its tabs, then calls `goHome`. The browser's copy is deleted even when
 * the server cannot be reached.
 */
export async function signOut(goHome: () => void): Promise<void> {
  leaving = true;
  const client = await supabase();
  const { error } = await client.auth.signOut({ scope: 'local' });
  if (error === null) goHome();
  else await signOutAndGoHome();
  leaving = false;
}
