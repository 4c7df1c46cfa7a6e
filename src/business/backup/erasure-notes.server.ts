import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { writeFileDurably } from '../../kernel/resources/crypto/durable-write.ts';
import type { Queries } from '../../kernel/resources/database/database.ts';
import { BackupRefused } from './backup-format.server.ts';
import type { DatabaseSnapshot } from './database-snapshot.server.ts';

/** A file beside the backups: the ids of erased accounts, and when they were erased. */
export const NOTES = 'erased.json';
const notes = z.record(z.uuid(), z.iso.datetime({ offset: true }));
/** Ids of erased accounts, and when they were erased. */
export type ErasureNotes = Readonly<z.output<typeof notes>>;

/** The accounts that the database knows as erased. `many` runs a statement. */
export async function listErasures(many: (text: string) => Promise<object[]>): Promise<ErasureNotes> {
  // A database of an older release, without this table, is backed up before it is migrated.
  const [table] = (await many("select to_regclass('private.erasures') is not null as there")) as {
    there: boolean;
  }[];
  if (table?.there !== true) return {};
  const rows = (await many(
    `select account, to_char(erased_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at from private.erasures`,
  )) as { account: string; at: string }[];
  return Object.fromEntries(rows.map(({ account, at }) => [account, at]));
}

/** Adds the accounts erased so far to the notes beside the backups; entries are never removed. */
export async function noteErasures(snapshot: DatabaseSnapshot, folder: string): Promise<void> {
  const erased = await listErasures((text) => snapshot.many(text));
  if (Object.keys(erased).length === 0) return;
  const all = { ...readNotes(folder), ...erased };
  writeFileDurably(path.join(folder, NOTES), `${JSON.stringify(all, null, 1)}\n`);
}

/** Erases the accounts again that were erased after the moment to which the database was restored. */
export async function eraseAgain(queries: Queries, known: ErasureNotes, since: Date): Promise<void> {
  const erased = Object.entries(known)
    .filter(([, at]) => Date.parse(at) >= since.getTime())
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

/** The notes in a folder with backups. @throws BackupRefused for damaged notes */
export function readNotes(folder: string): ErasureNotes {
  const file = path.join(folder, NOTES);
  return existsSync(file) ? parseNotes(readFileSync(file, 'utf8'), file) : {};
}

/** Parses notes; `file` is their name, for people. @throws BackupRefused for damaged notes */
export function parseNotes(text: string, file: string): ErasureNotes {
  try {
    return notes.parse(JSON.parse(text));
  } catch (error) {
    throw new BackupRefused(
      `${file}, the list of erased accounts, cannot be read: repair it, or move it away.`,
      {
        cause: error,
      },
    );
  }
}
