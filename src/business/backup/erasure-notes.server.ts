import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { writeFileDurably } from '../../kernel/resources/crypto/durable-write.ts';
import type { Queries } from '../../kernel/resources/database/database.ts';
import { BackupRefused, type OpenBackup } from './backup-archive.server.ts';
import type { DatabaseSnapshot } from './database-snapshot.server.ts';

/** A file beside the backups: the ids of erased accounts, and when they were erased. */
export const NOTES = 'erased.json';
const notes = z.record(z.uuid(), z.iso.datetime({ offset: true }));

/** Adds the accounts erased so far to the notes beside the backups; entries are never removed. */
export async function noteErasures(snapshot: DatabaseSnapshot, folder: string): Promise<void> {
  // A database of an older release, without this table, is backed up before it is migrated.
  const [table] = await snapshot.many<{ there: boolean }>(
    "select to_regclass('private.erasures') is not null as there",
  );
  if (table?.there !== true) return;
  const rows = await snapshot.many<{ account: string; at: string }>(
    `select account, to_char(erased_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at from private.erasures`,
  );
  if (rows.length === 0) return;
  const known = readNotes(folder);
  const all = { ...known, ...Object.fromEntries(rows.map(({ account, at }) => [account, at])) };
  writeFileDurably(path.join(folder, NOTES), `${JSON.stringify(all, null, 1)}\n`, 0o600);
}

/**
 * Erases the accounts again that were erased after a backup was made, according to the notes beside it.
 * @throws BackupRefused for damaged notes
 */
export async function eraseAgain(queries: Queries, { folder, header }: OpenBackup): Promise<void> {
  const erased = Object.entries(readNotes(path.dirname(folder)))
    .filter(([, at]) => Date.parse(at) >= Date.parse(header.made_at))
    .map(([account]) => account);
  if (erased.length > 0) await queries.run('delete from auth.users where id = any ($1)', [erased]);
}

/** Ends every API key of a restored database: one that was revoked after the backup would be valid again. */
export async function endRestoredKeys(queries: Queries): Promise<void> {
  // The database of an older release gets this table when it is migrated, without keys.
  const { there } = await queries.one("select to_regclass('private.api_keys') is not null as there");
  if (there !== true) return;
  await queries.run(
    "update private.api_keys set ended_at = now(), ended_by = 'restore' where ended_at is null and expires_at > now()",
  );
}

function readNotes(folder: string): z.output<typeof notes> {
  const file = path.join(folder, NOTES);
  if (!existsSync(file)) return {};
  try {
    return notes.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    throw new BackupRefused(
      `${file}, the list of erased accounts, cannot be read: repair it, or move it away.`,
      {
        cause: error,
      },
    );
  }
}
