import type { Session } from '@supabase/supabase-js';
import { startTransition, useEffect, useState } from 'react';
import { supabase } from './client.ts';
import { readStoredSession } from './stored-session.ts';

export type SessionState =
  /** Not known yet: the page is prerendered, or the client is still being fetched. */
  | { readonly status: 'loading' }
  | {
      readonly status: 'signed-out' /** There was a session, and it ended. */;
      readonly ended: boolean;
    }
  | { readonly status: 'signed-in'; readonly session: Session }
  /** The client could not be fetched; `retry` tries again. */
  | { readonly status: 'unreachable'; readonly retry: () => void };

/** Events after which the stored session may have changed although the client's message did not arrive. */
const LOOKED_AT = ['storage', 'focus', 'pageshow', 'visibilitychange'] as const;

/** The last known state, so that moving between pages of the dashboard does not start from nothing. */
let last: SessionState = { status: 'loading' };

/**
 * The session of this page, followed through sign-in, refresh and sign-out, also in other tabs
 * (docs/specification/site.md §2: checked on load and follows session changes). The client's message to other
 * tabs can be lost, e.g. while a page is being restored. So the session that the browser stores decides,
 * whenever it changes or the page is shown again. Without a stored session the client library is not loaded.
 */
export function useSession(): SessionState {
  const [state, setState] = useState<SessionState>(
    last.status === 'signed-in' ? last : { status: 'loading' },
  );
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt starts the effect again
  useEffect(() => {
    const learn = (state: SessionState): void => {
      const isFirst = last.status === 'loading' && state.status === 'signed-in';
      last = state;
      // The whole page is drawn for the first time: in slices, so that a tap meanwhile is answered.
      if (isFirst) startTransition(() => setState(state));
      else setState(state);
    };
    const hadSession = readStoredSession() !== undefined;
    if (!hadSession && !carriesSession(location)) {
      learn({ status: 'signed-out', ended: false });
      return;
    }
    let stopped = false;
    let unsubscribe = (): void => undefined;
    supabase().then(
      (client) => {
        if (stopped) return;
        const { data } = client.auth.onAuthStateChange((_event, session) => {
          // The client's first message may have been read before another tab signed out, and come after it.
          const stored = readStoredSession() === undefined ? null : session;
          learn(nextState(stored, hadSession || last.status === 'signed-in'));
        });
        const look = (): void => {
          if (last.status !== 'signed-in') return;
          const stored = readStoredSession();
          if (stored === undefined) learn(nextState(null, true));
          else if (stored.userId !== last.session.user.id)
            client.auth.getSession().then((now) => learn(nextState(now.data.session, true)));
        };
        for (const moment of LOOKED_AT) addEventListener(moment, look);
        unsubscribe = () => {
          data.subscription.unsubscribe();
          for (const moment of LOOKED_AT) removeEventListener(moment, look);
        };
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

/**
 * Asks the server whether the session is still valid, after a sign that it is not. The client drops a session
 * that another device ended, and informs every tab.
 */
export async function confirmSession(): Promise<void> {
  await (await supabase()).auth.getUser();
}

function nextState(session: Session | null, hadSession: boolean): SessionState {
  return session === null ? { status: 'signed-out', ended: hadSession } : { status: 'signed-in', session };
}

/** Whether the address contains a session or an error, as mail links do (docs/contracts/platform.md §2). */
export function carriesSession(address: Pick<Location, 'hash' | 'search'>): boolean {
  return /[#&](access_token|error_description|error)=/.test(address.hash) || /[?&]code=/.test(address.search);
}
