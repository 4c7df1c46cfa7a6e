import { supabase } from '../../../ui/session/client.ts';
import { carriesSession } from '../../../ui/session/session.ts';
import { readStoredSession } from '../../../ui/session/stored-session.ts';
import { explainAuthError, explainLinkError } from './auth-error-words.web.ts';

/** With what a visitor arrives at /login or /signup. */
export type Arrival =
  | { readonly kind: 'nothing' }
  /** Already signed in. */
  | { readonly kind: 'session' }
  /** A recovery link: the person has to choose a new password. */
  | { readonly kind: 'recovery' }
  | { readonly kind: 'error'; readonly message: string };

/**
 * Uses up a session in the address (the client cleans the address) or finds the stored one. Loads the client
 * only when there is something to find.
 */
export async function resolveLanding(): Promise<Arrival> {
  const { hash, search } = location;
  const isRecovery = /[#&]type=recovery(&|$)/.test(hash);
  const linkError = explainLinkError(hash, search);
  if (linkError !== undefined) {
    history.replaceState(history.state, '', location.pathname);
    return { kind: 'error', message: linkError };
  }
  const carried = carriesSession(location);
  if (!carried && readStoredSession() === undefined) return { kind: 'nothing' };
  try {
    const client = await supabase();
    const { error } = await client.auth.initialize();
    const { data } = await client.auth.getSession();
    if (data.session !== null) return { kind: isRecovery ? 'recovery' : 'session' };
    return error !== null && carried
      ? { kind: 'error', message: explainAuthError(error) }
      : { kind: 'nothing' };
  } catch (error) {
    return carried ? { kind: 'error', message: explainAuthError(error as Error) } : { kind: 'nothing' };
  }
}
