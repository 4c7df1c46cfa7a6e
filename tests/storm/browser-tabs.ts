import { createClient, type SupabaseClient } from '@supabase/supabase-js';

const KEY = 'sb-storm-auth-token';

/** A browser: tabs that share one stored session, without a lock between them. */
export interface BrowserTabs {
  readonly tabs: readonly SupabaseClient[];
  /** How often a tab was told that it is signed out. */
  signedOut(): number;
  /** The stored session. */
  stored(): { access_token: string; refresh_token: string } | undefined;
  /** Makes the access token look expired, so that a tab refreshes before it does anything else. */
  expire(): void;
}

/** Opens the tabs. `fetch` reaches any running process. */
export function openTabs(count: number, anonKey: string, fetch: typeof globalThis.fetch): BrowserTabs {
  const kept = new Map<string, string>();
  let signedOut = 0;
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
  const tabs = Array.from({ length: count }, () => {
    const client = createClient('http://storm.example', anonKey, {
      auth: { storage, storageKey: KEY, persistSession: true, autoRefreshToken: false },
      global: { fetch },
    });
    client.auth.onAuthStateChange((event) => {
      if (event === 'SIGNED_OUT') signedOut += 1;
    });
    return client;
  });
  const stored = () => JSON.parse(kept.get(KEY) ?? 'null') ?? undefined;
  return {
    tabs,
    signedOut: () => signedOut,
    stored,
    expire() {
      const session = stored();
      if (session === undefined) return;
      kept.set(KEY, JSON.stringify({ ...session, expires_at: Math.floor(Date.now() / 1000) - 1 }));
    },
  };
}
