import type { Queries } from '../../kernel/resources/database/database.ts';
import type { Client } from './auth-context.server.ts';

declare module '../../kernel/resources/database/json-columns.ts' {
  interface JsonColumns {
    'auth.audit_log_entries.payload': Record<string, unknown>;
  }
}

/**
 * The actions in the audit log: the hosted stack's words, and refusals of our own (docs/contracts/platform.md
 * §6, ASVS 16.3.1).
 */
export type AuditAction =
  | 'login'
  | 'login_failed'
  | 'logout'
  | 'token_refreshed'
  | 'token_reused'
  | 'token_revoked'
  | 'user_signedup'
  | 'user_repeated_signup'
  | 'user_confirmation_requested'
  | 'user_recovery_requested'
  | 'user_reauthenticate_requested'
  | 'user_email_change_requested'
  | 'user_phone_change_requested'
  | 'user_invited'
  | 'user_modified'
  | 'user_deleted'
  | 'deletion_planned'
  | 'deletion_withdrawn'
  | 'user_updated_password'
  | 'passkey_created'
  | 'passkey_updated'
  | 'passkey_deleted'
  | 'identity_linked'
  | 'identity_unlinked'
  | 'factor_in_progress'
  | 'factor_verified'
  | 'factor_unenrolled'
  | 'factor_updated'
  | 'factor_deleted'
  | 'recovery_codes_generated'
  | 'recovery_code_used'
  | 'challenge_created'
  | 'verification_attempted'
  | 'verification_failed';

/** One entry of the log. */
export interface AuditEntry {
  readonly action: AuditAction;
  readonly actorId: string | null;
  readonly client: Client | undefined;
  /** Causes and ids, never secrets. */
  readonly payload?: Readonly<Record<string, unknown>>;
}

/**
 * Adds one entry to the append-only log.
 *
 * @trigger auth.audit_log_entries audit_log_append_only
 */
export async function writeAudit(
  queries: Queries,
  { action, actorId, client, payload = {} }: AuditEntry,
): Promise<void> {
  await queries.run(
    'insert into auth.audit_log_entries (action, actor_id, ip_address, payload) values ($1, $2, $3, $4)',
    [action, actorId, client?.address ?? null, JSON.stringify(payload)],
  );
}
