import { parseArgs } from 'node:util';
import { KEY_DAYS } from '../business/api-keys/api-key.contract.ts';
import { createApiKey, endApiKey, listApiKeys } from '../business/api-keys/api-key-store.server.ts';
import { API_RIGHTS, type ApiRight } from '../kernel/contract/api-rights.ts';
import type { Database } from '../kernel/resources/database/database.ts';
import { type Command, UsageError } from './command.ts';
import { withInstallation } from './installation-database.ts';

/** Manages API keys of accounts: what a program may do in their name. */
export const apiKeysCommand: Command = {
  summary: 'makes, lists and revokes API keys of accounts, for programs and assistants',
  usage: [
    'list EMAIL                                        the keys of an account',
    'create EMAIL --name NAME --rights RIGHT,… [--days N]   prints a new key, once',
    'end EMAIL ID                                      revokes a key, at once',
    `rights                                            ${API_RIGHTS.length} rights that a key can have`,
  ],
  run: (settings, words) => withInstallation(settings, (database) => manageApiKeys(database, words)),
};

/**
 * Runs one form of the command and returns the text to print.
 *
 * @throws UsageError; Error with one sentence for the operator
 */
export async function manageApiKeys(
  database: Pick<Database, 'many' | 'maybe' | 'run' | 'one' | 'transaction'>,
  words: readonly string[],
): Promise<string> {
  const { values, positionals } = parseWords(words);
  const [command = '', email = '', id = ''] = positionals;
  if (command === 'rights') return API_RIGHTS.join('\n');
  if (!['list', 'create', 'end'].includes(command) || email === '')
    throw new UsageError('Say list EMAIL, create EMAIL, end EMAIL ID or rights.');
  const account = await database.maybe(
    'select id from auth.users where email = lower($1) and deleted_at is null',
    [email],
  );
  if (account === undefined) throw new Error(`There is no account ${email}.`);
  if (command === 'list') {
    const keys = await listApiKeys(database as Database, account.id);
    if (keys.length === 0) return `${email} has no API key.`;
    return keys
      .map(({ id: key, name, hint, rights, expires_at: until, ended_at: ended, last_used_at: used }) =>
        [
          key,
          `…${hint}`,
          ended === null ? `until ${until}` : `revoked ${ended}`,
          used === null ? 'never used' : `used ${used}`,
          rights.join(','),
          name,
        ].join('  '),
      )
      .join('\n');
  }
  if (command === 'end') {
    if (!(await endApiKey(database as Database, account.id, id, 'command line')))
      throw new Error(`${email} has no valid key ${id}.`);
    return 'The key is refused from this moment on.';
  }
  const rights = (values.rights ?? '').split(',').filter((right) => right !== '');
  const days = Number(values.days);
  const unknown = rights.find((right) => !API_RIGHTS.includes(right as ApiRight));
  if (unknown !== undefined) throw new UsageError(`There is no right ${unknown}: see api-keys rights.`);
  if (values.name === undefined || rights.length === 0 || !KEY_DAYS.some((known) => known === days))
    throw new UsageError(`Give --name, --rights and --days as one of ${KEY_DAYS.join(', ')}.`);
  const name = values.name;
  const { key } = await database.transaction((queries) =>
    // An operator with this command could also take the second factor away.
    createApiKey(queries, { userId: account.id, name, rights: rights as ApiRight[], days, aal: 'aal2' }),
  );
  return key;
}

function parseWords(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      allowPositionals: true,
      options: {
        name: { type: 'string' },
        rights: { type: 'string' },
        days: { type: 'string', default: '90' },
      },
    });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
