import type { Session } from '@supabase/supabase-js';
import { useEffect, useState } from 'react';
import { readStoredSession } from '../stored-session.ts';
import { supabase } from './client.ts';

export type SessionState =
  /** Not known yet: prerendered, or the client is still being fetched. */
  | { readonly status: 'loading' }
  | {
      readonly status: 'signed-out' /** A session existed on this page and ended. */;
      readonly ended: boolean;
    }
  | { readonly status: 'signed-in'; readonly session: Session }
  /** The client could not be fetched; `retry` tries again. */
  | { readonly status: 'unreachable'; readonly retry: () => void };

/** What was known last: moving between pages of the dashboard with a session does not start from nothing. */
let last: SessionState = { status: 'loading' };

/**
 * The session of this page, followed through sign-in, refresh and sign-out, also
 * in other tabs (`spec/site.md §2`: checked on load and follows session changes).
 * Without a stored session the client library is not loaded at all.
 */
export function useSession(): SessionState {
  const [state, setState] = useState<SessionState>(
    last.status === 'signed-in' ? last : { status: 'loading' },
  );
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt starts the effect again
  useEffect(() => {
    const learn = (state: SessionState): void => {
      last = state;
      setState(state);
    };
    if (readStoredSession() === undefined && !carriesSession(location)) {
      learn({ status: 'signed-out', ended: false });
      return;
    }
    let stopped = false;
    let unsubscribe = (): void => undefined;
    supabase().then(
      (client) => {
        if (stopped) return;
        const { data } = client.auth.onAuthStateChange((_event, session) => {
          learn(nextState(last, session));
        });
        unsubscribe = () => data.subscription.unsubscribe();
      },
      () => learn({ status: 'unreachable', retry: () => setAttempt((count) => count + 1) }),
    );
    return () => {
      stopped = true;
      unsubscribe();
    };
  }, [attempt]);
  return state;
}

function nextState(before: SessionState, session: Session | null): SessionState {
  if (session !== null) return { status: 'signed-in', session };
  return { status: 'signed-out', ended: before.status === 'signed-in' };
}

/** Whether the address brings a session or an error with it, as mail links do (contract §2). */
export function carriesSession(address: Pick<Location, 'hash' | 'search'>): boolean {
  return /[#&](access_token|error_description|error)=/.test(address.hash) || /[?&]code=/.test(address.search);
}
