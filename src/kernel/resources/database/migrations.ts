import pg from 'pg';
import { CALLER_ROLES } from './caller.ts';
import { moveToBaseline } from './earlier-version.ts';
import { readMigrations } from './migration-files.ts';

const OLDEST_VERSION = 150_000;
/** Key of the advisory lock that lets one process migrate at a time. */
const MIGRATION_LOCK = 7_204_001;

/**
 * Brings the database to this version of the product: applies the files of `folder/baseline` and then those
 * of `folder` that were not applied yet, in the order of their names, each in its own transaction. One
 * process does it at a time.
 *
 * @returns the names of what was applied
 * @throws Error with one sentence when the server is too old, or the schema is newer than this version or was
 * changed by another program
 */
export async function migrate(owner: pg.ClientConfig, folder: string): Promise<string[]> {
  const client = new pg.Client(owner);
  client.on('error', () => {});
  try {
    await client.connect();
  } catch (error) {
    throw new Error(`The database cannot be reached: ${(error as Error).message || String(error)}.`, {
      cause: error,
    });
  }
  try {
    const version = Number((await client.query('show server_version_num')).rows[0]?.server_version_num);
    if (version < OLDEST_VERSION) {
      throw new Error(
        `The database is PostgreSQL ${Math.floor(version / 10_000)}, and Northline needs 15 or newer.`,
      );
    }
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await client.query(`
      create schema if not exists private;
      create table if not exists private.schema_migrations (
        name text primary key, checksum text not null, applied_at timestamptz not null default now()
      )`);
    return await applyMissing(client, folder);
  } finally {
    await client.end();
  }
}

/**
 * A statement that lets the owner find extensions without their schema, as on the hosted stack; nothing where the
 * owner's search path has been chosen. Settings of a role are not part of a backup, so each start runs it.
 */
export const OWNER_SEARCH_PATH = `do $$
begin
  perform pg_advisory_xact_lock(${MIGRATION_LOCK});
  if not exists (
    select from pg_db_role_setting s join pg_database d on d.datname = current_database()
    where s.setdatabase in (0, d.oid) and s.setrole in (0, current_user::regrole)
      and array_to_string(s.setconfig, ',') ~ '(^|,)search_path='
  ) then
    execute format('alter role %I in database %I set search_path = "$user", public, extensions',
      current_user, current_database());
  end if;
end $$`;

/**
 * Statements that make callers' rights to objects that the owner creates in `public` automatic, or stop that
 * (REST_GRANTS).
 */
export function defaultGrants(granted: boolean): string {
  const [verb, link] = granted ? ['grant', 'to'] : ['revoke', 'from'];
  return ['tables', 'sequences', 'functions']
    .map(
      (kind) =>
        `alter default privileges in schema public ${verb} all on ${kind} ${link} ${CALLER_ROLES.join(', ')}`,
    )
    .join('; ');
}

async function applyMissing(client: pg.Client, folder: string): Promise<string[]> {
  const migrations = readMigrations(folder);
  const applied = new Map<string, string>(
    (await client.query('select name, checksum from private.schema_migrations')).rows.map((row) => [
      row.name,
      row.checksum,
    ]),
  );
  await moveToBaseline(client, folder, applied);
  const known = new Set(migrations.map(({ name }) => name));
  const unknown = [...applied.keys()].find((name) => !known.has(name));
  if (unknown !== undefined) {
    throw new Error(
      `The database was made by a newer version of Northline (it has ${unknown}): install that version.`,
    );
  }
  const done: string[] = [];
  for (const { name, sql, checksum } of migrations) {
    const before = applied.get(name);
    if (before === checksum) continue;
    if (before !== undefined) {
      throw new Error(
        `The migration ${name} was changed after it was applied: restore the file, add a new one.`,
      );
    }
    try {
      await client.query('begin');
      // Our own tables are granted by their migrations only, whatever REST_GRANTS says about the owner's.
      if (applied.size > 0) await client.query(defaultGrants(false));
      await client.query(sql);
      await client.query('insert into private.schema_migrations (name, checksum) values ($1, $2)', [
        name,
        checksum,
      ]);
      await client.query('commit');
    } catch (error) {
      const { message, where } = error as Error & { where?: string };
      throw new Error(`The migration ${name} failed: ${message}${where ? ` (${where})` : ''}`, {
        cause: error,
      });
    }
    done.push(name);
  }
  return done;
}
