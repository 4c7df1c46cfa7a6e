import type { Queries } from '../../kernel/resources/database/database.ts';

/** An account whose right at the console changes. */
export interface OperatorAccount {
  readonly id: string;
  readonly email: string;
}

/**
 * Gives an account the right to use the console, or takes it away. The role is in `app_metadata`, which no user can
 * write; both audit logs name who changed it.
 *
 * @param by the audit logs name it: the command line, or the account itself with the token of the first start
 */
export async function changeOperatorRole(
  queries: Queries,
  account: OperatorAccount,
  wanted: boolean,
  by: 'command line' | 'first start',
): Promise<void> {
  await queries.run(
    wanted
      ? `update auth.users set raw_app_meta_data = raw_app_meta_data || '{"role": "operator"}', updated_at = now() where id = $1`
      : "update auth.users set raw_app_meta_data = raw_app_meta_data - 'role', updated_at = now() where id = $1",
    [account.id],
  );
  const action = wanted ? 'operator.add' : 'operator.remove';
  await queries.run(
    `insert into private.operator_audit (actor, action, subject, details)
     values ($1, $2, $3, jsonb_build_object('by', $4::text))`,
    [by === 'first start' ? account.id : null, action, account.email, by],
  );
  await queries.run(
    "insert into auth.audit_log_entries (action, actor_id, payload) values ('user_modified', $1, $2)",
    [account.id, JSON.stringify({ by, [action]: true })],
  );
}
