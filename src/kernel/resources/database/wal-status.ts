import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

const status = z.object({
  /** The archive that is written now; null before the first one. */
  archive: z.string().nullable(),
  /** The oldest moment of that archive that can be restored; null before its first base copy is complete. */
  usable_from: z.iso.datetime().nullable(),
  /** Everything acknowledged before it is in the archive. */
  reached_at: z.iso.datetime().nullable(),
  /** Bytes of WAL that PostgreSQL keeps because they are not in the archive; 0 after a success. */
  waiting_bytes: z.number(),
  /** When the newest base copy was completed. */
  base_at: z.iso.datetime().nullable(),
  /** The last time that the archive lost its thread: nothing between `from` and `to` can be restored. */
  gap: z
    .object({ from: z.iso.datetime().nullable(), to: z.iso.datetime().nullable(), because: z.string() })
    .nullable(),
  /** Why nothing is written now, and since when. */
  error: z.string().nullable(),
  error_since: z.iso.datetime().nullable(),
  /** Why the last attempt at a base copy failed; null after a success. */
  base_error: z.string().nullable(),
  /** True after a stop that archived everything: nothing was acknowledged since. */
  is_complete: z.boolean(),
  /** When this was written. */
  at: z.iso.datetime(),
});
/** How far the archive of the write-ahead log is; times are ISO 8601. */
export type WalStatus = z.output<typeof status>;

const fileOf = (dataDir: string): string => path.join(dataDir, 'wal-archive.json');

/**
 * Writes the state beside the database and not into it: a row would be new WAL, which would have to be archived in
 * turn, each second.
 */
export function writeWalStatus(dataDir: string, state: WalStatus): void {
  const file = fileOf(dataDir);
  writeFileSync(`${file}.new`, `${JSON.stringify(state, null, 1)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** The state of the archive; undefined when this installation has none. */
export function readWalStatus(dataDir: string): WalStatus | undefined {
  const file = fileOf(dataDir);
  if (!existsSync(file)) return undefined;
  try {
    return status.safeParse(JSON.parse(readFileSync(file, 'utf8'))).data;
  } catch {
    return undefined;
  }
}

/** Removes the state of an archive that is no longer written. */
export function forgetWalStatus(dataDir: string): void {
  rmSync(fileOf(dataDir), { force: true });
}

/**
 * The most seconds of acknowledged work that would be lost if the disk were lost now: 0 after a stop that archived
 * everything, undefined before anything can be restored.
 */
export function secondsAtRisk(
  { usable_from: from, reached_at: reached, is_complete: isComplete }: WalStatus,
  now: Date,
): number | undefined {
  if (from === null || reached === null) return undefined;
  return isComplete ? 0 : Math.max(0, (now.getTime() - Date.parse(reached)) / 1000);
}
