/**
 * The roles that a request may take in the database (docs/contracts/platform.md §8). A token's role counts
 * only when it is in this list.
 */
export const CALLER_ROLES = ['anon', 'authenticated', 'service_role'] as const;
export type CallerRole = (typeof CALLER_ROLES)[number];

/** Longest statement of a caller without a session; all others have the connection's limit. */
const ANONYMOUS_STATEMENT_TIMEOUT = '3s';

/** The caller's own `statement_timeout`, or undefined for the connection's. */
export function statementTimeoutOf({ role }: Pick<Caller, 'role'>): string | undefined {
  return role === 'anon' ? ANONYMOUS_STATEMENT_TIMEOUT : undefined;
}

/** On whose behalf a statement runs: what row level security sees. */
export interface Caller {
  readonly role: CallerRole;
  /** The signed-in user's id (`sub`), or undefined. */
  readonly userId: string | undefined;
  /** The verified token's claims, as `auth.jwt()` returns them in SQL. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** The API key that the caller used instead of a session. */
  readonly apiKeyId?: string;
}
