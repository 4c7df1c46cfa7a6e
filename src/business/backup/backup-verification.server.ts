import { mkdtempSync, rmSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { type Keys, parseKeys } from '../../kernel/resources/crypto/keys.ts';
import { derivedSecret } from '../../kernel/resources/crypto/secrets.ts';
import { createDatabase, type Database, type Queries } from '../../kernel/resources/database/database.ts';
import { startEmbeddedPostgres } from '../../kernel/resources/database/embedded-postgres.ts';
import { uncheckedSql } from '../../kernel/resources/database/fixed-sql.ts';
import { createLog } from '../../kernel/resources/log/log.ts';
import { type ReadableStore, verifyObjects } from '../../platform/storage/store-copy.server.ts';
import { readSmallPart } from './backup-part.server.ts';
import { checkParts, type OpenBackup } from './backup-proof.server.ts';
import { restoreDatabase } from './database-restore.server.ts';
import { backupStore } from './file-backup.server.ts';

/** The result of verifying a backup. */
export interface Verification {
  readonly rows: number;
  readonly files: number;
  /** One sentence for each fault; if empty, the backup can be restored and its books are right. */
  readonly faults: readonly string[];
}

/**
 * Restores a backup into a scratch folder, on a database server of its own, and checks it: every part by its
 * hash, the number of rows, foreign keys, the books, the keys, and every file by its hash. No other part of the
 * product runs, so nothing is sent to anybody.
 *
 * @param bucket where the bytes are, when the backup left them in their bucket
 * @param parent the folder in which the scratch folder is made
 * @throws BackupRefused when it cannot be restored at all
 */
export async function verifyBackup(
  backup: OpenBackup,
  bucket: ReadableStore | undefined,
  parent = os.tmpdir(),
): Promise<Verification> {
  await checkParts(backup);
  const keys = await keysOf(backup);
  const scratch = mkdtempSync(path.join(parent, 'northline-verify-'));
  // When we are root, the database server runs under another account, which has to enter the folder.
  await chmod(scratch, 0o711);
  const password = derivedSecret(keys, 'postgres').toString('base64url');
  const server = await startEmbeddedPostgres(scratch, password, { scratch: true });
  const database = createDatabase({
    owner: server.owner,
    api: server.owner,
    poolSize: 2,
    log: createLog('error'),
  });
  try {
    await restoreDatabase(server.owner, backup);
    const { bytes_are: where, lost } = backup.manifest.files;
    const store = where === 'here' ? backupStore(backup) : bucket;
    const known = new Set(lost.map(({ object }) => object));
    return {
      rows: backup.manifest.tables.reduce((sum, { rows }) => sum + rows, 0),
      ...(await checkRestored(database, { keys, store, lost: known })),
    };
  } finally {
    await database.close();
    await server.stop();
    rmSync(scratch, { recursive: true, force: true });
  }
}

/**
 * Checks a restored database: its books, its keys and its files.
 *
 * @param what `lost`: objects that the installation itself had lost; `store` undefined: nobody has the files
 */
export async function checkRestored(
  database: Database,
  what: {
    readonly keys: Keys;
    readonly store: ReadableStore | undefined;
    readonly lost: ReadonlySet<string>;
  },
): Promise<Pick<Verification, 'files' | 'faults'>> {
  const { files } = await database.one(
    'select count(*)::integer as files /* not null */ from storage.objects',
  );
  const faults = [
    ...(await checkBooks(database)),
    ...(await checkKeysOf(database, what.keys)),
    ...(await checkFiles(database, what.store, what.lost)),
  ];
  return { files, faults };
}

/** The keys in a backup. @throws Error when they cannot be understood */
export async function keysOf({ folder, manifest, key }: OpenBackup): Promise<Keys> {
  return parseKeys((await readSmallPart(folder, manifest.keys, key)).toString());
}

/** Statements that find contradictions in the books, and the sentence for each row found. */
const BOOKS: readonly (readonly [string, string])[] = [
  [
    'is a customer whose balance is not the sum of the ledger',
    `select c.id::text as what from public.customers c left join public.credit_transactions t on t.customer_row = c.id
      group by c.id having c.credits <> coalesce(sum(t.amount) filter (where t.state <> 'returned'), 0)`,
  ],
  [
    'is an invoice whose credits were granted twice',
    `select invoice_id::text as what from public.credit_transactions where kind = 'grant' and invoice_id is not null
      group by invoice_id having count(*) > 1`,
  ],
  [
    'is a record of a file without its object',
    `select f.file_path as what from public.user_files f
      where not exists (select from storage.objects o where o.name = f.file_path)`,
  ],
];

async function checkBooks(queries: Queries): Promise<string[]> {
  const faults: string[] = [];
  for (const [sentence, statement] of BOOKS) {
    for (const { what } of await queries.many(uncheckedSql<{ what: string }>(statement, 'composed')))
      faults.push(`${what} ${sentence}.`);
  }
  return faults;
}

async function checkKeysOf(queries: Queries, keys: Keys): Promise<string[]> {
  const known = await queries.maybe("select value from private.installation where key = 'keys'");
  return known?.value === derivedSecret(keys, 'installation').toString('base64url')
    ? []
    : ['The keys of the backup are not those of its database.'];
}

async function checkFiles(
  database: Database,
  store: ReadableStore | undefined,
  lost: ReadonlySet<string>,
): Promise<string[]> {
  if (store === undefined)
    return ['The files stayed in their bucket: set STORAGE_URL to have them compared.'];
  const { faults } = await verifyObjects(database, store);
  return faults.map(({ object, what }) =>
    lost.has(object) ? `${object}: was lost or damaged before the backup was made.` : `${object}: ${what}.`,
  );
}
