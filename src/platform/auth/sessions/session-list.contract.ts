/** A session of the caller, as `GET /auth/v1/sessions` lists it. Times are ISO 8601. */
export interface OwnSession {
  readonly id: string;
  /** True for the session that sent the request. */
  readonly current: boolean;
  readonly created_at: string;
  /** The last sign-in or refresh: a client in use refreshes about every hour. */
  readonly last_used_at: string;
  readonly not_after: string | null;
  readonly aal: string;
  /** How the session was signed in, newest first. */
  readonly methods: readonly string[];
  readonly user_agent: string | null;
  readonly ip: string | null;
}
