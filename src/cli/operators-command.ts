import { firstOperatorAddress } from '../business/console/first-operator.server.ts';
import { changeOperatorRole } from '../business/console/operator-role.server.ts';
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
    'add EMAIL       lets an account in',
    'remove EMAIL    takes that right away, at once',
    'list            who may',
    'first           prints the address at which the first operator gets the console',
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
  [command = '', email = '']: readonly string[],
): Promise<string> {
  if (command === 'list') {
    const rows = await database.many(
      `select email, exists (select 1 from auth.mfa_factors f where f.user_id = u.id and f.status = 'verified') as factor
       from auth.users u where raw_app_meta_data ->> 'role' = 'operator' and deleted_at is null order by email`,
    );
    if (rows.length === 0) return `There is no operator yet: ${PROGRAM} operators add EMAIL`;
    return rows.map((row) => `${row.email}${row.factor ? '' : '  (no second factor)'}`).join('\n');
  }
  if (!['add', 'remove'].includes(command) || email === '')
    throw new UsageError('Say add EMAIL, remove EMAIL or list.');
  return setOperator(database, email, command === 'add');
}

async function sayFirstAddress(settings: Settings, database: Database): Promise<string> {
  const keys = await loadKeys(settings.DATA_DIR);
  const address = await firstOperatorAddress({ database, keys, siteUrl: siteUrlOf(settings) });
  return (
    address ?? `The console has had an operator already: ${PROGRAM} operators add EMAIL lets another one in.`
  );
}

/**
 * @trigger private.operator_audit operator_audit_append_only
 */
function setOperator(
  database: Pick<Database, 'transaction'>,
  email: string,
  wanted: boolean,
): Promise<string> {
  return database.transaction(async (queries) => {
    const account = await queries.maybe(
      `select id, email, email_confirmed_at is not null as confirmed,
              coalesce(raw_app_meta_data ->> 'role' = 'operator', false) as is_operator
       from auth.users where email = lower($1) and not is_sso_user and deleted_at is null for update`,
      [email],
    );
    if (account === undefined) throw new Error(`There is no account ${email}: sign up at the site first.`);
    if (wanted && !account.confirmed) throw new Error(`${account.email} has not confirmed its address yet.`);
    if (account.is_operator === wanted) {
      return `${account.email} ${wanted ? 'is an operator already' : 'is no operator'}.`;
    }
    await changeOperatorRole(queries, account, wanted, 'command line');
    return wanted
      ? `${account.email} is an operator from the next sign-in on: /operator. Set up a second factor first thing.`
      : `${account.email} is no operator any more, from this moment on.`;
  });
}
