import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { BACKUP_LOCK } from '../../kernel/resources/database/backup-lock.ts';
import type { AppliedMigration } from '../../kernel/resources/database/migration-files.ts';
import { LEFT_OUT_JOB_TABLES } from '../../kernel/resources/jobs/job-tables.ts';

/** The schemas that belong to the product. */
export const OUR_SCHEMAS = ['auth', 'northline_app', 'operator', 'private', 'public', 'realtime', 'storage'];
/** The migrations themselves write it when they are applied. */
const OWN_RECORD = 'private.schema_migrations';
/** Tables may be created while we list them; then we list them again, this often at most. */
const LOOKS = 5;
const LOCK_PATIENCE_MS = 3000;
const LOCK_CHECK_MS = 100;

/** A table and its stored columns (generated ones are computed again). */
export interface CopiedTable {
  readonly schema: string;
  readonly name: string;
  readonly columns: readonly string[];
}

/** A sequence; `called` says whether `value` has been used already. */
export interface CopiedSequence {
  readonly schema: string;
  readonly name: string;
  readonly value: string;
  readonly called: boolean;
}

/** The database at one moment. Everything read through it is consistent. */
export interface DatabaseSnapshot {
  /** Runs a statement in the snapshot. */
  many<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  readonly tables: readonly CopiedTable[];
  /** `server_version_num`. */
  readonly postgres: number;
  readonly migrations: readonly AppliedMigration[];
  /** The rows of a table as COPY text; `rows` counts them once the stream has ended. */
  copy(table: CopiedTable): AsyncIterable<Buffer> & { rows(): number };
  /** The current values of the sequences, read after the rows, so that they are never behind them. */
  sequences(): Promise<CopiedSequence[]>;
}

/**
 * Runs `work` on one snapshot of the database while other work continues. The bytes of objects that are
 * deleted in the meantime stay until the end (`backup-lock.ts`), and no migration can change a table.
 *
 * @throws Error with a sentence when another backup is under way
 */
export async function withSnapshot<T>(
  owner: pg.ClientConfig,
  work: (snapshot: DatabaseSnapshot) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ ...owner, application_name: 'northline backup', keepAlive: true });
  client.on('error', () => {});
  await client.connect();
  try {
    await takeLock(client);
    return await work(await openSnapshot(client));
  } finally {
    await client.end();
  }
}

/**
 * The server notices the connection of a killed backup within moments; only after that is another backup
 * really under way.
 */
async function takeLock(client: pg.Client): Promise<void> {
  for (const deadline = Date.now() + LOCK_PATIENCE_MS; ; await pause(LOCK_CHECK_MS)) {
    const { rows } = await client.query<{ mine: boolean }>('select pg_try_advisory_lock($1) as mine', [
      BACKUP_LOCK,
    ]);
    if (rows[0]?.mine === true) return;
    if (Date.now() > deadline) throw new Error('Another backup of this installation is under way.');
  }
}

async function openSnapshot(client: pg.Client): Promise<DatabaseSnapshot> {
  const many = async <Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> =>
    (await client.query<Row & pg.QueryResultRow>(text, [...values])).rows;
  // Output formats that do not depend on the server's settings.
  await client.query(
    "set datestyle = 'ISO, YMD'; set intervalstyle = 'postgres'; set extra_float_digits = 3; set timezone = 'UTC'",
  );
  for (let look = 1; ; look += 1) {
    const before = await listTables(many);
    await client.query('begin isolation level repeatable read read only');
    // The first statement after this one takes the snapshot, so nothing can alter a table in between.
    await client.query(`lock table ${before.map(quoted).join(', ')} in access share mode`);
    const tables = await listTables(many);
    if (JSON.stringify(tables) !== JSON.stringify(before) && look < LOOKS) {
      await client.query('rollback');
      continue;
    }
    const [server] = await many<{ version: number }>(
      "select current_setting('server_version_num')::int as version",
    );
    return {
      many,
      tables,
      postgres: server?.version ?? 0,
      migrations: await many<AppliedMigration>(`select name, checksum from ${OWN_RECORD} order by name`),
      copy: (table) => copyOut(client, table),
      sequences: () => readSequences(many),
    };
  }
}

/** Every table whose rows survive a crash of the database, except for the job queue's own records. */
export async function listTables(many: DatabaseSnapshot['many']): Promise<CopiedTable[]> {
  const rows = await many<CopiedTable>(
    `select n.nspname as schema, c.relname as name,
            array(select a.attname::text from pg_attribute a
                   where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
                   order by a.attnum) as columns
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = any ($1) and c.relkind in ('r', 'p') and not c.relispartition and c.relpersistence = 'p'
        and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
      order by 1, 2`,
    [OUR_SCHEMAS],
  );
  const left = new Set([OWN_RECORD, ...LEFT_OUT_JOB_TABLES]);
  return rows.filter(({ schema, name }) => !left.has(`${schema}.${name}`));
}

function copyOut(client: pg.Client, table: CopiedTable): AsyncIterable<Buffer> & { rows(): number } {
  const columns = table.columns.map((name) => pg.escapeIdentifier(name)).join(', ');
  // A query, because PostgreSQL before 18 cannot copy a partitioned table itself.
  const stream = client.query(copyTo(`copy (select ${columns} from ${quoted(table)}) to stdout`));
  return {
    [Symbol.asyncIterator]: () => (stream as AsyncIterable<Buffer>)[Symbol.asyncIterator](),
    rows: () => stream.rowCount,
  };
}

async function readSequences(many: DatabaseSnapshot['many']): Promise<CopiedSequence[]> {
  const names = await many<{ schema: string; name: string }>(
    `select n.nspname as schema, c.relname as name
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = any ($1) and c.relkind = 'S' and c.relpersistence = 'p' order by 1, 2`,
    [OUR_SCHEMAS],
  );
  const read: CopiedSequence[] = [];
  for (const sequence of names) {
    const [state] = await many<{ value: string; called: boolean }>(
      `select last_value::text as value, is_called as called from ${quoted(sequence)}`,
    );
    if (state !== undefined) read.push({ ...sequence, ...state });
  }
  return read;
}

/** A quoted name of a table or sequence for SQL. */
export function quoted({ schema, name }: { readonly schema: string; readonly name: string }): string {
  return `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(name)}`;
}
