import { readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Keys } from '../../kernel/resources/crypto/keys.ts';
import type { ObjectStore } from '../../kernel/resources/object-store/object-store.ts';
import { removeKeys, type S3Client } from '../../kernel/resources/object-store/s3-client.ts';
import { abortUnfinished } from '../../kernel/resources/object-store/s3-file.ts';
import { HEADER, listBackups } from './backup-format.server.ts';
import { BACKUPS, completeNames, keysUnder, MARK, namesOf } from './backup-place.server.ts';
import type { ArchivePlace } from './wal/archive-place.server.ts';
import {
  type BaseCopy,
  listArchives,
  listBases,
  listPieces,
  objectName,
  putGone,
  readGone,
  removeArchive,
  segmentOf,
  type WalArchive,
  type WalPiece,
} from './wal/wal-archive.server.ts';

/** An unfinished transfer that is this old, in milliseconds, will not be completed. */
const ABANDONED_MS = 24 * 3600 * 1000;
const DAY_MS = 24 * 3600 * 1000;

/** Which daily backups stay: the newest `keep` of one installation; undefined keeps all. */
interface BackupLimit {
  readonly keys: Keys;
  readonly keep?: number | undefined;
}

/** The beginning of the names of folders that are not a backup yet, or no longer. */
export function unfinishedMark(keys: Keys): string {
  return `.northline-${keys.voice_org_id}-`;
}

/** Removes what killed backups of this installation left; no other may be under way. */
export function removeUnfinishedBackups(keys: Keys, folder: string): void {
  for (const name of readdirSync(folder)) {
    if (name.startsWith(unfinishedMark(keys)))
      rmSync(path.join(folder, name), { recursive: true, force: true });
  }
}

/**
 * Removes the oldest backups of this installation beyond `keep` from a folder, after renaming them, so that
 * none is left half complete. Returns their folders.
 */
export function expireInFolder({ to, keep, keys }: BackupLimit & { readonly to: string }): string[] {
  if (keep === undefined) return [];
  const old = listBackups(to, keys.voice_org_id).slice(0, -keep);
  return old.map(({ folder }) => {
    const leaving = path.join(to, `${unfinishedMark(keys)}old`);
    renameSync(folder, leaving);
    rmSync(leaving, { recursive: true });
    return folder;
  });
}

/**
 * Removes complete backups beyond `keep` from a bucket, and unfinished transfers whose sender died. Returns
 * the names of the complete ones.
 */
export async function expireInBucket(client: S3Client, { keep, keys }: BackupLimit): Promise<string[]> {
  const all = await keysUnder(client, BACKUPS);
  const complete = completeNames(all);
  const ours = await namesOf(client, complete, keys.voice_org_id);
  const old = keep === undefined ? [] : ours.slice(0, -keep);
  // The header is removed first, so that no backup is left half complete.
  await removeKeys(
    client,
    old.map((name) => `${name}/${HEADER}`),
  );
  const abandoned = all
    .filter((key) => key.endsWith(`/${MARK}${keys.voice_org_id}`))
    .map((key) => key.split('/')[0] ?? '')
    .filter((name) => !complete.includes(name) && Date.now() - madeAt(name) > ABANDONED_MS);
  for (const name of [...old, ...abandoned]) {
    await abortUnfinished(client, `${name}/`);
    await removeKeys(
      client,
      all.filter((key) => key.startsWith(`${name}/`)),
    );
  }
  return old;
}

/** The time in a backup's name, epoch ms. */
function madeAt(name: string): number {
  const [, year, month, day, hour, minute, second] =
    /^northline-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/.exec(name) ?? [];
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}

/** How far back every second stays, and the product's own files; undefined when they stay in their bucket. */
interface WalLimit {
  readonly days: number;
  readonly now: Date;
  readonly objects: Pick<ObjectStore, 'kept'> | undefined;
}

/**
 * Removes from the archives of this installation what no restore of the last `days` needs: whole archives that
 * ended before, base copies but the newest one before that time, the WAL before it, and the bytes of files
 * that were deleted before it. Returns the number of removed files.
 *
 * @param current the archive that is written
 */
export async function expireArchives(current: WalArchive, { days, now, objects }: WalLimit): Promise<number> {
  const limit = new Date(now.getTime() - days * DAY_MS);
  let removed = await expireWholeArchives(current, limit);
  const { place, name: archive } = current;
  const bases = await listBases(current);
  const oldest = bases.findLast(({ usable_from: from }) => new Date(from) <= limit) ?? bases[0];
  if (oldest === undefined) return removed;
  const remove = async (names: readonly string[]): Promise<void> => {
    await place.remove(names.map((name) => `${archive}/${name}`));
    removed += names.length;
  };
  const old = bases.slice(0, bases.indexOf(oldest));
  // The description goes first, so that no copy is left that counts and is not there.
  await remove(old.map(({ name }) => `${name}.json`));
  await remove(await copiesWithout(current, bases.slice(bases.indexOf(oldest))));
  const pieces = await listPieces(current);
  // The last one stays even when the copy is newer: it says where the archive goes on after a kill.
  const last = pieces.reduce((end, piece) => Math.max(end, piece.end), 0);
  const isOld = ({ end }: WalPiece): boolean => end <= segmentOf(oldest.start) && end < last;
  await remove(pieces.filter(isOld).map(({ name }) => name));
  if (objects !== undefined) await remove(await deletedFiles(current, objects, { now, oldest }));
  return removed;
}

/** Other archives, if all of their WAL is older: a copy of this installation may still write one that is not. */
async function expireWholeArchives({ place, header, name }: WalArchive, limit: Date): Promise<number> {
  let removed = 0;
  for (const one of await listArchives(place, header.installation)) {
    if (one.name === name) continue;
    const pieces = await listPieces({ place, name: one.name });
    const reached = pieces.reduce(
      (last, piece) => Math.max(last, piece.reached),
      Date.parse(one.header.made_at),
    );
    if (reached < limit.getTime()) removed += await removeArchive(place, one);
  }
  return removed;
}

/** Removes all archives of an installation. */
export async function removeArchives(place: ArchivePlace, installation: string): Promise<void> {
  for (const one of await listArchives(place, installation)) await removeArchive(place, one);
}

/** Copies of the database that have no description: old ones, and those of a killed process. */
async function copiesWithout({ place, name }: WalArchive, bases: readonly BaseCopy[]): Promise<string[]> {
  const known = new Set(bases.map((base) => `${base.name}.tar.gz`));
  return (await place.list(`${name}/base/`))
    .map((full) => full.slice(name.length + 1))
    .filter((one) => one.endsWith('.tar.gz') && !known.has(one));
}

/**
 * Files of the archive that were deleted before the oldest moment that can be restored. The archive notes when
 * a file was first missing, because the store does not say when it was deleted.
 */
async function deletedFiles(
  archive: WalArchive,
  objects: Pick<ObjectStore, 'kept'>,
  { now, oldest }: { readonly now: Date; readonly oldest: BaseCopy },
): Promise<string[]> {
  // Listed before the store, so that a file that is stored meanwhile does not count as missing.
  const copied = await archive.place.list(`${archive.name}/objects/`);
  const kept = new Set(await Array.fromAsync(objects.kept()));
  const before = await readGone(archive);
  const gone = copied
    .map((full) => full.slice(full.lastIndexOf('/') + 1))
    .filter((id) => !kept.has(id))
    .map((id) => [id, before[id] ?? now.toISOString()] as const);
  const isOver = ([, since]: readonly [string, string]): boolean => since < oldest.made_at;
  await putGone(archive, Object.fromEntries(gone.filter((one) => !isOver(one))));
  return gone.filter(isOver).map(([id]) => objectName(id));
}
