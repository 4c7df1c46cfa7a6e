import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { Queries } from '../../kernel/resources/database/database.ts';
import type { OperatorRole } from './operator-roles.contract.ts';

/** An account whose role at the console changes. */
export interface OperatorAccount {
  readonly id: string;
  readonly email: string;
  /** The present role; null for an account that is not an operator's. */
  readonly role: OperatorRole | null;
}

/** Changes of roles come one after the other, so that two owners cannot both stop being the last one. */
export async function lockOperators(queries: Queries): Promise<void> {
  await queries.many(`select pg_advisory_xact_lock(hashtext('operators'))`);
}

/** @throws ServiceError 409 `last_owner` for the only owner of the console */
export async function requireAnotherOwner(queries: Queries, userId: string): Promise<void> {
  const { last } = await queries.one('select private.is_last_owner($1) as last', [userId]);
  if (last === true)
    throw new ServiceError(409, 'last_owner', 'The console needs an owner: make somebody else one first.');
}

/**
 * Gives an account a role at the console, or with null takes its access away. The role is in `app_metadata`, which no user
 * can write; both audit logs name who changed it.
 *
 * @param by the audit logs name it: the command line, or the account itself with the token of the first start or an
 *   invitation; changes at the console are recorded by `signAsOperator`
 */
export async function changeOperatorRole(
  queries: Queries,
  account: OperatorAccount,
  role: OperatorRole | null,
  by: 'command line' | 'first start' | 'console' | `invitation of ${string}`,
): Promise<void> {
  await queries.run(
    `update auth.users set updated_at = now(), raw_app_meta_data = case when $2::text is null
       then raw_app_meta_data - 'role' - 'operator_role'
       else raw_app_meta_data || jsonb_build_object('role', 'operator', 'operator_role', $2::text) end where id = $1`,
    [account.id, role],
  );
  const action = `operator.${role === null ? 'remove' : account.role === null ? 'add' : 'change'}`;
  if (by !== 'console')
    await queries.run(
      `insert into private.operator_audit (actor, action, subject, details)
       values ($1, $2, $3, jsonb_strip_nulls(jsonb_build_object('by', $4::text, 'to', $5::text)))`,
      [by === 'command line' ? null : account.id, action, account.email, by, role],
    );
  await queries.run(
    "insert into auth.audit_log_entries (action, actor_id, payload) values ('user_modified', $1, $2)",
    [account.id, JSON.stringify({ by, [action]: role ?? true })],
  );
}
