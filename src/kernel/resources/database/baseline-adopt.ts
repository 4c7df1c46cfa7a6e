import path from 'node:path';
import type pg from 'pg';
import { type MigrationFile, readChecksums } from './migration-files.ts';

/** A version of the product that applies every migration that the baseline replaced. */
const LAST_VERSION_BEFORE = '0.1.0 (commit 105ef88)';

/**
 * Comments on objects of the baseline: the only statements of it that may run on a database that has these
 * objects.
 */
const COMMENT_ON = /^comment on [^']*'(?:[^']|'')*';$/gm;

/**
 * Marks a database that the replaced migrations (`replaced.sha256`) created as being at the baseline, in one
 * transaction. Its schema is already that of the baseline; only the comments are new. Does nothing on a
 * database that is new or already marked.
 *
 * @param applied the migrations of the database, by name; updated here
 * @throws Error with one sentence when it has only some of them, or one that was changed
 */
export async function adoptBaseline(
  client: pg.Client,
  migrations: readonly MigrationFile[],
  applied: Map<string, string>,
  folder: string,
): Promise<boolean> {
  const replaced = readChecksums(path.join(folder, 'replaced.sha256'));
  const names = [...replaced.keys()];
  if (!names.some((name) => applied.has(name))) return false;
  const missing = names.find((name) => !applied.has(name));
  if (missing !== undefined) {
    throw new Error(
      `The database was made by a version of Northline older than ${LAST_VERSION_BEFORE} (it lacks ${missing}): start that version on it once, then this one.`,
    );
  }
  const changed = names.find((name) => applied.get(name) !== replaced.get(name));
  if (changed !== undefined) {
    throw new Error(`The migration ${changed} was changed after it was applied: restore the database.`);
  }
  const baseline = migrations.filter(({ name }) => name.startsWith('baseline/'));
  await client.query('begin');
  for (const { sql } of baseline) {
    const comments = sql.match(COMMENT_ON);
    if (comments) await client.query(comments.join('\n'));
  }
  await client.query('delete from private.schema_migrations where name = any ($1)', [names]);
  await client.query(
    `insert into private.schema_migrations (name, checksum)
     select name, checksum from unnest($1::text[], $2::text[]) as marked (name, checksum)`,
    [baseline.map(({ name }) => name), baseline.map(({ checksum }) => checksum)],
  );
  await client.query('commit');
  for (const name of names) applied.delete(name);
  for (const { name, checksum } of baseline) applied.set(name, checksum);
  return true;
}
