import { erasePerson, exportPerson, type Person } from '../business/privacy/personal-data.server.ts';
import { type Command, UsageError } from './command.ts';
import { parseOptions } from './command-words.ts';
import { withInstallation } from './installation-database.ts';

/** Exports or erases what is kept of somebody, with or without an account. */
export const personCommand: Command = {
  summary: 'prints or erases everything that is kept of somebody, with or without an account',
  usage: [
    'export [--email ADDRESS] [--phone NUMBER]   prints it as JSON',
    'erase [--email ADDRESS] [--phone NUMBER]    deletes it, with the account of that address; be sure who asks',
  ],
  async run(settings, [verb = '', ...words]) {
    const { email, phone } = parseOptions(words, ['email', 'phone']).values;
    if (!['export', 'erase'].includes(verb) || (!email && !phone))
      throw new UsageError('Say export or erase, and whose: --email or --phone.');
    return withInstallation(settings, (database) =>
      database.transaction(async (queries) => {
        const user =
          email === undefined
            ? undefined
            : await queries.maybe('select id from auth.users where lower(email) = lower($1)', [email]);
        const person: Person = { userId: user?.id, email, phone };
        if (verb === 'export') return JSON.stringify(await exportPerson(queries, person), null, 2);
        const gone = Object.entries(await erasePerson(queries, person));
        return [
          user === undefined ? 'There is no account of that address.' : 'The account is deleted.',
          ...gone.map(([table, rows]) => `${table}: ${rows} deleted`),
          'docs/privacy.md says what stays, and why.',
        ].join('\n');
      }),
    );
  },
};
