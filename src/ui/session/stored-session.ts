/**
 * The session as the Supabase client stores it in this browser, read without the client, for pages that do
 * not load it (docs/specification/platform.md §9: key `sb-{host}-auth-token`).
 */
export interface StoredSession {
  readonly accessToken: string;
  /** Epoch seconds. */
  readonly expiresAt: number;
  readonly userId: string;
  readonly email: string;
}

const KEY = /^sb-.+-auth-token$/;

function sessionKey(): string | undefined {
  try {
    return Object.keys(localStorage).find((key) => KEY.test(key));
  } catch {
    return undefined;
  }
}

/** The stored session, even if it has expired; undefined for a visitor. */
export function readStoredSession(): StoredSession | undefined {
  const key = sessionKey();
  if (key === undefined) return undefined;
  try {
    const stored = JSON.parse(localStorage.getItem(key) ?? '');
    if (typeof stored?.access_token !== 'string') return undefined;
    return {
      accessToken: stored.access_token,
      expiresAt: Number(stored.expires_at ?? 0),
      userId: String(stored.user?.id ?? ''),
      email: String(stored.user?.email ?? ''),
    };
  } catch {
    return undefined;
  }
}

/**
 * Ends the session here and on the server, and goes to the home page. The browser's copy is deleted first, so
 * that a failing request never leaves the user signed in.
 */
export async function signOutAndGoHome(): Promise<void> {
  const key = sessionKey();
  const token = readStoredSession()?.accessToken;
  if (key !== undefined) {
    localStorage.removeItem(key);
    // The Supabase client of other tabs listens on a channel of this name.
    const channel = new BroadcastChannel(key);
    channel.postMessage({ event: 'SIGNED_OUT', session: null });
    channel.close();
  }
  delete document.documentElement.dataset.session;
  if (token !== undefined) {
    await fetch('/auth/v1/logout?scope=local', {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      keepalive: true,
    }).catch(() => {
      // Without a connection the token ends by its own expiry.
    });
  }
  if (location.pathname !== '/') location.assign('/');
}
