import { readFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import {
  type AppliedMigration,
  type MigrationFile,
  readChecksums,
  readMigrations,
} from './migration-files.ts';

/** The one version before the present baseline that can be upgraded to it. */
const EARLIER = 'ff04e4b2';
/** The connection that every process keeps open while it runs. */
const LISTENER = 'northline listen';

const FUNCTION = /^create function [\s\S]*?\$\$;$/gm;
const COMMENT_ON = /^comment on [^']*'(?:[^']|'')*';$/gm;
const MOVE = /^alter (table|function) public\.(.+) set schema northline_app;$/gm;

/**
 * Brings a database of the version ff04e4b2 to the baseline, in one transaction. Does nothing on a database that is new
 * or at the baseline.
 *
 * @param applied the migrations that the database has, by name; they are those of the baseline afterwards
 * @throws Error with one sentence when the database has only some migrations of that version, or a changed one, or when
 * a process still runs on it
 */
export async function moveToBaseline(
  client: pg.Client,
  folder: string,
  applied: Map<string, string>,
): Promise<void> {
  const migrations = readMigrations(folder);
  const earlier = earlierMigrations(folder);
  if (!isOfEarlier(earlier, migrations, applied)) return;
  refuseOther(earlier, applied);
  await client.query('begin');
  await refuseRunning(client);
  const baseline = migrations.filter(({ name }) => name.startsWith('baseline/'));
  const texts = baseline.map(({ sql }) => sql).join('\n');
  await client.query(readMoves(folder));
  for (const [made] of texts.matchAll(FUNCTION))
    await client.query(made.replace('create function', 'create or replace function'));
  await client.query([...texts.matchAll(COMMENT_ON)].join('\n'));
  await record(client, baseline);
  await client.query('commit');
  applied.clear();
  for (const { name, checksum } of baseline) applied.set(name, checksum);
}

/** Whether these are the migrations of the version ff04e4b2, so that a backup with them is one of its. */
export function isEarlierVersion(folder: string, applied: readonly AppliedMigration[]): boolean {
  const found = new Map(applied.map(({ name, checksum }) => [name, checksum]));
  return isOfEarlier(earlierMigrations(folder), readMigrations(folder), found);
}

/**
 * Gives a database at the baseline the names and the record of the version ff04e4b2, so that it takes the rows of a
 * backup of that version; `moveToBaseline` brings it back.
 */
export async function moveToEarlier(owner: pg.ClientConfig, folder: string): Promise<void> {
  const client = new pg.Client(owner);
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query('begin');
    await client.query('drop view northline_app.files');
    for (const [, kind, what] of readMoves(folder).matchAll(MOVE))
      await client.query(`alter ${kind} northline_app.${what} set schema public`);
    await client.query('drop schema northline_app');
    await record(
      client,
      [...earlierMigrations(folder)].map(([name, checksum]) => ({ name, checksum })),
    );
    await client.query('commit');
  } finally {
    await client.end();
  }
}

const earlierMigrations = (folder: string): Map<string, string> =>
  readChecksums(path.join(folder, 'earlier', `${EARLIER}.sha256`));

const readMoves = (folder: string): string =>
  readFileSync(path.join(folder, 'earlier', `${EARLIER}.sql`), 'utf8');

/** Both versions have files of the same name: a migration is the earlier version's if we do not have the same one. */
function isOfEarlier(
  earlier: ReadonlyMap<string, string>,
  migrations: readonly MigrationFile[],
  applied: ReadonlyMap<string, string>,
): boolean {
  const here = new Map(migrations.map(({ name, checksum }) => [name, checksum]));
  return [...earlier].some(
    ([name, checksum]) => applied.get(name) === checksum && here.get(name) !== checksum,
  );
}

function refuseOther(earlier: ReadonlyMap<string, string>, applied: ReadonlyMap<string, string>): void {
  const added = [...applied.keys()].find((name) => !earlier.has(name));
  if (added !== undefined)
    throw new Error(
      `The database was made by another version of Northline (it has ${added}): install that version.`,
    );
  for (const [name, checksum] of earlier) {
    const found = applied.get(name);
    if (found === undefined)
      throw new Error(
        `The database was made by a version of Northline older than ${EARLIER} (it lacks ${name}): start that version on it once, then this one.`,
      );
    if (found !== checksum)
      throw new Error(`The migration ${name} was changed after it was applied: restore the database.`);
  }
}

/** A process of the earlier version does not find the tables in their new places. */
async function refuseRunning(client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    'select from pg_stat_activity where datname = current_database() and application_name = $1 limit 1',
    [LISTENER],
  );
  if (rows.length > 0)
    throw new Error(
      'Another process of Northline runs on this database, and this upgrade moves its tables: stop every process, then start this version.',
    );
}

async function record(client: pg.Client, migrations: readonly AppliedMigration[]): Promise<void> {
  await client.query('delete from private.schema_migrations');
  await client.query(
    `insert into private.schema_migrations (name, checksum)
     select name, checksum from unnest($1::text[], $2::text[]) as applied (name, checksum)`,
    [migrations.map(({ name }) => name), migrations.map(({ checksum }) => checksum)],
  );
}
