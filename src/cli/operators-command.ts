import { firstOperatorAddress } from '../business/console/first-operator.server.ts';
import { OPERATOR_ROLES, type OperatorRole } from '../business/console/operator-roles.contract.ts';
import { changeOperatorRole, lockOperators } from '../business/console/role-change.server.ts';
import type { Settings } from '../kernel/config/settings.ts';
import { loadKeys } from '../kernel/resources/crypto/keys.ts';
import type { Database } from '../kernel/resources/database/database.ts';
import { siteUrlOf } from '../kernel/resources/resources.ts';
import { type Command, PROGRAM, UsageError } from './command.ts';
import { withInstallation } from './installation-database.ts';

/** Manages who may use the console at /operator. */
export const operatorsCommand: Command = {
  summary: "manages who may use the agency's console at /operator",
  usage: [
    'add EMAIL [owner|staff|reader]   lets an account in, as an owner by default, or changes its role',
    'remove EMAIL                     takes that right away, at once',
    'list                             who may',
    'first                            prints the address at which the first operator gets the console',
  ],
  run: (settings, words) =>
    withInstallation(settings, (database) =>
      words[0] === 'first' ? sayFirstAddress(settings, database) : manageOperators(database, words),
    ),
};

/**
 * Runs one form of the command and returns the text to print. Every change is recorded in the audit logs.
 *
 * @throws UsageError; Error with one sentence for the operator
 */
export async function manageOperators(
  database: Pick<Database, 'many' | 'transaction'>,
  [command = '', email = '', role = 'owner']: readonly string[],
): Promise<string> {
  if (command === 'list') {
    const rows = await database.many(
      `select email, private.operator_role_of(raw_app_meta_data) as role, exists (select 1 from auth.mfa_factors f where f.user_id = u.id and f.status = 'verified') as factor
       from auth.users u where private.operator_role_of(raw_app_meta_data) is not null and deleted_at is null order by email`,
    );
    if (rows.length === 0) return `There is no operator yet: ${PROGRAM} operators add EMAIL`;
    return rows
      .map((row) => `${row.email}  ${row.role}${row.factor ? '' : '  (no second factor)'}`)
      .join('\n');
  }
  if (!['add', 'remove'].includes(command) || email === '')
    throw new UsageError('Say add EMAIL, remove EMAIL or list.');
  if (!isRole(role)) throw new UsageError(`The role is one of ${OPERATOR_ROLES.join(', ')}.`);
  return setOperator(database, email, command === 'add' ? role : null);
}

async function sayFirstAddress(settings: Settings, database: Database): Promise<string> {
  const keys = await loadKeys(settings.DATA_DIR);
  const address = await firstOperatorAddress({ database, keys, siteUrl: siteUrlOf(settings) });
  return (
    address ?? `The console has had an operator already: ${PROGRAM} operators add EMAIL lets another one in.`
  );
}

const isRole = (word: string): word is OperatorRole => OPERATOR_ROLES.some((role) => role === word);

/**
 * The command line is for emergencies too: it may also take the last owner's role.
 *
 * @trigger private.operator_audit operator_audit_append_only
 */
function setOperator(
  database: Pick<Database, 'transaction'>,
  email: string,
  role: OperatorRole | null,
): Promise<string> {
  return database.transaction(async (queries) => {
    await lockOperators(queries);
    const found = await queries.maybe(
      `select id, email, email_confirmed_at is not null as confirmed, private.operator_role_of(raw_app_meta_data) as role
       from auth.users where email = lower($1) and not is_sso_user and deleted_at is null for update`,
      [email],
    );
    if (found === undefined) throw new Error(`There is no account ${email}: sign up at the site first.`);
    if (role !== null && !found.confirmed)
      throw new Error(`${found.email} has not confirmed its address yet.`);
    const account = { ...found, role: found.role as OperatorRole | null };
    if (account.role === role)
      return `${account.email} ${role === null ? 'is no operator' : `is ${NAMES[role]} already`}.`;
    await changeOperatorRole(queries, account, role, 'command line');
    if (role === null) return `${account.email} is no operator any more, from this moment on.`;
    return account.role === null
      ? `${account.email} is ${NAMES[role]} from the next sign-in on: /operator. Set up a second factor first thing.`
      : `${account.email} is ${NAMES[role]} from this moment on.`;
  });
}

const NAMES: Readonly<Record<OperatorRole, string>> = {
  owner: 'an owner of the console',
  staff: 'staff at the console',
  reader: 'a reader at the console',
};
