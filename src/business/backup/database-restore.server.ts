import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { MIGRATIONS } from '../../kernel/resources/database/database-open.ts';
import { migrateAsFarAs } from '../../kernel/resources/database/earlier-schema.ts';
import { migrate } from '../../kernel/resources/database/migrations.ts';
import { makeJobTables } from '../../kernel/resources/jobs/job-tables.ts';
import { BackupRefused, type Manifest } from './backup-format.server.ts';
import { openPart } from './backup-part.server.ts';
import type { OpenBackup } from './backup-proof.server.ts';
import { type CopiedTable, listTables, OUR_SCHEMAS, quoted } from './database-snapshot.server.ts';

/** The database is not empty. */
export class DatabaseNotEmpty extends BackupRefused {}

type BackupTable = Manifest['tables'][number];
/** A statement that removes something during the load, and the one that puts it back. */
interface Suspension {
  readonly off: string;
  readonly on: string;
}

/**
 * Fills an empty database with a backup: the schema as it was then, the rows in one transaction, all foreign
 * keys checked at its end, then the later migrations. The owner needs no superuser rights.
 *
 * @throws BackupRefused with a sentence; the database then has a schema but no rows
 */
export async function restoreDatabase(
  owner: pg.ClientConfig,
  backup: OpenBackup,
  folder = MIGRATIONS,
): Promise<void> {
  const client = new pg.Client({ ...owner, application_name: 'northline restore' });
  client.on('error', () => {});
  await client.connect();
  try {
    const { rows } = await client.query(
      "select from pg_tables where schemaname not in ('pg_catalog', 'information_schema') limit 1",
    );
    if (rows.length > 0)
      throw new DatabaseNotEmpty('The database is not empty, and nothing is ever restored over something.');
    await migrateAsFarAs(owner, folder, backup.manifest.migrations);
    await makeJobTables(owner);
    await client.query("set datestyle = 'ISO, YMD'; set intervalstyle = 'postgres'; set timezone = 'UTC'");
    await client.query('begin');
    await load(client, backup);
    await client.query('commit');
    await migrate(owner, folder);
    await client.query('analyze');
  } finally {
    await client.end();
  }
}

async function load(client: pg.Client, backup: OpenBackup): Promise<void> {
  const { tables, sequences } = backup.manifest;
  const here = await listTables(
    async <Row>(text: string, values: readonly unknown[] = []) =>
      (await client.query(text, [...values])).rows as Row[],
  );
  for (const table of tables) refuseUnknownTable(table, here);
  const suspended = [...(await triggers(client)), ...(await foreignKeys(client))];
  for (const { off } of suspended) await client.query(off);
  // Rows that migrations inserted are in the backup too, in their later state.
  await client.query(`truncate ${tables.map(quoted).join(', ')}`);
  for (const table of tables) await loadTable(client, backup, table);
  for (const { schema, name, value, called } of sequences) {
    await client.query('select setval($1::regclass, $2, $3)', [quoted({ schema, name }), value, called]);
  }
  for (const { on } of suspended) await client.query(on);
  // The workers of these jobs are not in this installation.
  await client.query("update private.job set state = 'retry', start_after = now() where state = 'active'");
}

function refuseUnknownTable(table: BackupTable, here: readonly CopiedTable[]): void {
  const name = `${table.schema}.${table.name}`;
  const same = here.find((one) => quoted(one) === quoted(table));
  if (same === undefined) {
    throw new BackupRefused(
      `The backup has the table ${name}, which no migration makes: add the SQL that made it to the folder migrations.`,
    );
  }
  const column = table.columns.find((one) => !same.columns.includes(one));
  if (column !== undefined) {
    throw new BackupRefused(
      `The backup has a column ${name}.${column} that this version does not know: restore it with the version that made it.`,
    );
  }
}

async function loadTable(client: pg.Client, { folder, key }: OpenBackup, table: BackupTable): Promise<void> {
  const columns = table.columns.map((name) => pg.escapeIdentifier(name)).join(', ');
  const into = client.query(copyFrom(`copy ${quoted(table)} (${columns}) from stdin`));
  await pipeline(Readable.from(openPart(folder, table.part, key)), createGunzip(), into);
  if (into.rowCount !== table.rows) {
    throw new BackupRefused(
      `${table.schema}.${table.name} has ${into.rowCount} rows in the backup, and should have ${table.rows}.`,
    );
  }
}

/** Our triggers, which would repeat work whose results are in the rows already. */
async function triggers(client: pg.Client): Promise<Suspension[]> {
  const { rows } = await client.query<{ table: string; trigger: string; mode: string }>(
    `select format('%I.%I', n.nspname, c.relname) as table, quote_ident(t.tgname) as trigger,
            case t.tgenabled when 'A' then 'always' when 'R' then 'replica' else '' end as mode
       from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
      where not t.tgisinternal and t.tgenabled <> 'D' and t.tgparentid = 0 and n.nspname = any ($1)`,
    [OUR_SCHEMAS],
  );
  return rows.map(({ table, trigger, mode }) => ({
    off: `alter table ${table} disable trigger ${trigger}`,
    on: `alter table ${table} enable ${mode} trigger ${trigger}`,
  }));
}

/** Foreign keys, which are put back after the rows: that checks them all, whatever the order of the rows. */
async function foreignKeys(client: pg.Client): Promise<Suspension[]> {
  // With an empty search path the definitions name their schemas.
  await client.query("set local search_path = ''");
  const { rows } = await client.query<{
    table: string;
    name: string;
    definition: string;
    comment: string | null;
  }>(
    `select format('%I.%I', n.nspname, c.relname) as table, quote_ident(k.conname) as name,
            pg_get_constraintdef(k.oid) as definition, obj_description(k.oid, 'pg_constraint') as comment
       from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
      where k.contype = 'f' and k.conparentid = 0 and n.nspname = any ($1)`,
    [OUR_SCHEMAS],
  );
  await client.query('set local search_path to default');
  return rows.map(({ table, name, definition, comment }) => ({
    off: `alter table ${table} drop constraint ${name}`,
    on: [
      `alter table ${table} add constraint ${name} ${definition}`,
      ...(comment === null
        ? []
        : [`comment on constraint ${name} on ${table} is ${pg.escapeLiteral(comment)}`]),
    ].join('; '),
  }));
}
