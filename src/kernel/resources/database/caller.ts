/** The roles that a request may take in the database (contract §8); an allow-list, never straight from a token. */
export const CALLER_ROLES = ['anon', 'authenticated', 'service_role'] as const;
export type CallerRole = (typeof CALLER_ROLES)[number];

/** On whose behalf a request acts: what row level security sees. */
export interface Caller {
  readonly role: CallerRole;
  /** The signed-in user's id (`sub`), or undefined. */
  readonly userId: string | undefined;
  /** The verified token's claims, as `auth.jwt()` gives them in SQL. */
  readonly claims: Readonly<Record<string, unknown>>;
}
