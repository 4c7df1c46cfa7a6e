import type { AuthContext } from '../auth-context.server.ts';
import { allowedRedirect } from '../redirect-allowlist.server.ts';

/** The address of a mail link: always on our own configured origin (docs/security-attacks.md, attack 10). */
export function verifyLink(context: AuthContext, token: string, type: string, redirectTo: string): string {
  const query = new URLSearchParams({ token, type, redirect_to: redirectTo });
  return `${context.resources.siteUrl}/auth/v1/verify?${query}`;
}

/** The address to which a request's `redirect_to` leads, if it is allowed. */
export function redirectOf(context: AuthContext, query: unknown): string {
  const wanted = (query as { redirect_to?: unknown }).redirect_to;
  return allowedRedirect(typeof wanted === 'string' ? wanted : undefined, context.resources);
}
