import { erasePerson, exportPerson, type Person } from '../business/privacy/personal-data.server.ts';
import type { Database, Queries } from '../kernel/resources/database/database.ts';
import { type Command, UsageError } from './command.ts';
import { parseOptions } from './command-words.ts';
import { withInstallation } from './installation-database.ts';

/** Exports or erases the data about a person, with or without an account. */
export const personCommand: Command = {
  summary: 'prints or erases everything that is kept of somebody, with or without an account',
  usage: [
    'export [--email ADDRESS] [--phone NUMBER]               prints it as JSON',
    'erase [--email ADDRESS] [--phone NUMBER] [--team-ends]  deletes it, with the account of that address; be sure who asks',
  ],
  run: (settings, words) => withInstallation(settings, (database) => managePerson(database, words)),
};

/**
 * Runs one form of `northline person`.
 *
 * @param words the words after the command's name
 * @returns the text to print
 * @throws UsageError; Error with a sentence for the last owner of a team with other people in it, unless
 * `--team-ends` is given; nothing is erased in that case (decision 0448)
 */
export async function managePerson(
  database: Pick<Database, 'transaction'>,
  [verb = '', ...words]: readonly string[],
): Promise<string> {
  const { values, flags } = parseOptions(words, ['email', 'phone'], ['team-ends']);
  const { email, phone } = values;
  if (!['export', 'erase'].includes(verb) || (!email && !phone))
    throw new UsageError('Say export or erase, and whose: --email or --phone.');
  return database.transaction(async (queries) => {
    const user =
      email === undefined
        ? undefined
        : await queries.maybe('select id from auth.users where lower(email) = lower($1)', [email]);
    const person: Person = { userId: user?.id, email, phone };
    if (verb === 'export') return JSON.stringify(await exportPerson(queries, person), null, 2);
    if (user !== undefined && !flags.has('team-ends')) await requireNoTeamToEnd(queries, user.id);
    const gone = Object.entries(await erasePerson(queries, person));
    return [
      user === undefined ? 'There is no account of that address.' : 'The account is deleted.',
      ...gone.map(([table, rows]) => `${table}: ${rows} deleted`),
      'docs/privacy.md says what stays, and why.',
    ].join('\n');
  });
}

/** @throws Error that says what will happen to the team */
async function requireNoTeamToEnd(queries: Queries, userId: string): Promise<void> {
  const { team } = await queries.one('select private.team_that_ends($1) as team', [userId]);
  if (team === null) return;
  throw new Error(
    `Nothing was erased: this person is the only owner of the team ${team}, which ends with the account. Nobody in it sees files of the others or uses its credits any more; everybody keeps their own files. Ask that somebody else is made an owner first, or say --team-ends.`,
  );
}
