import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import path from 'node:path';
import { embeddedCluster } from '../../../kernel/resources/database/embedded-postgres.ts';
import { BackupRefused } from '../backup-format.server.ts';
import { type ErasureNotes, NOTES, parseNotes } from '../erasure-notes.server.ts';
import type { ArchivePlace } from './archive-place.server.ts';
import {
  type BaseCopy,
  chainOf,
  listArchives,
  listBases,
  listPieces,
  openArchive,
  reachedBy,
  readErasures,
  segmentOf,
  type WalArchive,
  type WalPiece,
} from './wal-archive.server.ts';

/** Offset in `pg_control` of the timeline of the last checkpoint (PostgreSQL, ControlFileData). */
const CONTROL_TIMELINE = 48;

/** A moment that can be restored, with everything that it needs. */
export interface Moment {
  readonly archive: WalArchive;
  readonly base: BaseCopy;
  /** The WAL from the copy to the moment. */
  readonly pieces: readonly WalPiece[];
  /** Everything acknowledged before is restored. */
  readonly at: Date;
  /** Recover all of that WAL, and not only to `at`. */
  readonly isWhole: boolean;
  /** The data folder of the installation, when its disk is there; it may have later WAL than the archive. */
  readonly tail: string | undefined;
  /** Accounts that were erased by now, possibly after the moment. */
  readonly erased: ErasureNotes;
}

/** Which moment, and of which installation. */
export interface MomentWish {
  /** Undefined for the latest. */
  readonly wish: Date | undefined;
  /** A data folder that may have belonged to the installation. */
  readonly dataDir: string;
  /** Its id; undefined for the only one in the place. */
  readonly installation?: string | undefined;
}

/** An archive with the moments that it can restore. */
interface Range {
  readonly archive: WalArchive;
  readonly bases: readonly BaseCopy[];
  readonly chain: readonly WalPiece[];
  readonly tail: string | undefined;
  /** Epoch ms. */
  readonly reached: number;
}

/**
 * Finds what a restore to a moment needs. It also uses WAL of the data folder that the archive does not have
 * yet.
 *
 * @param passphrase '' for none; archives with another one are left out
 * @throws BackupRefused with a sentence that says which moments there are
 */
export async function findMoment(
  place: ArchivePlace,
  passphrase: string,
  { wish, dataDir, installation }: MomentWish,
): Promise<Moment> {
  const archives = await openAll(place, passphrase, installation);
  const ranges: Range[] = [];
  for (const archive of archives) {
    const range = await rangeOf(archive, dataDir);
    if (range === undefined) continue;
    const found = momentIn(range, wish);
    if (found !== undefined) return { ...found, erased: await erasedIn(place, archive) };
    ranges.push(range);
  }
  const known = ranges.map(
    ({ bases, reached }) => `${bases[0]?.usable_from} to ${new Date(reached).toISOString()}`,
  );
  throw new BackupRefused(
    known.length === 0
      ? 'There is no archive of the write-ahead log from which a moment can be restored.'
      : `${wish?.toISOString() ?? 'The latest moment'} cannot be restored. These moments can: ${known.join('; ')}.`,
  );
}

/**
 * The archives of one installation that the passphrase opens, the newest first. @throws BackupRefused when it opens none of
 * several, or those of several installations
 */
async function openAll(
  place: ArchivePlace,
  passphrase: string,
  installation: string | undefined,
): Promise<WalArchive[]> {
  const opened: WalArchive[] = [];
  let refused: BackupRefused | undefined;
  for (const listed of (await listArchives(place, installation)).reverse()) {
    try {
      opened.push(await openArchive(place, listed, passphrase));
    } catch (error) {
      if (!(error instanceof BackupRefused)) throw error;
      refused ??= error;
    }
  }
  if (opened.length === 0 && refused !== undefined) throw refused;
  const owners = new Set(opened.map(({ header }) => header.installation));
  if (owners.size > 1)
    throw new BackupRefused(
      `This place has archives of several installations: say --installation and one of ${[...owners].join(', ')}.`,
    );
  return opened;
}

async function rangeOf(archive: WalArchive, dataDir: string): Promise<Range | undefined> {
  const bases = await listBases(archive);
  const [first] = bases;
  if (first === undefined) return undefined;
  const chain = chainOf(await listPieces(archive), segmentOf(first.start));
  const tail = hasTail(dataDir, archive) ? dataDir : undefined;
  const reached = tail === undefined ? await reachedBy(archive, chain) : Date.now();
  return { archive, bases, chain, tail, reached };
}

function momentIn(
  { archive, bases, chain, tail, reached }: Range,
  wish: Date | undefined,
): Omit<Moment, 'erased'> | undefined {
  const at = wish ?? new Date(reached);
  const base = bases.findLast(({ usable_from: from }) => new Date(from) <= at);
  if (base === undefined || at.getTime() > reached) return undefined;
  const wal = chain.filter(({ end }) => end > segmentOf(base.start));
  const { pieces, isTwice } =
    wish === undefined ? { pieces: wal, isTwice: false } : wayTo(at.getTime(), wal, base);
  if (tail === undefined && (pieces.at(-1)?.end ?? 0) < base.end)
    throw new BackupRefused(`The archive ${archive.name} lacks write-ahead log for its copy ${base.name}.`);
  const isWhole = wish === undefined || isTwice;
  return { archive, base, pieces, at, isWhole, tail: isTwice ? undefined : tail };
}

/**
 * The WAL up to the piece in which the clock reached `at`. If the clock was put back and reached it twice, it is the later
 * one, so that nothing acknowledged before is lost; PostgreSQL would stop at the earlier one.
 */
function wayTo(
  at: number,
  wal: readonly WalPiece[],
  base: BaseCopy,
): { readonly pieces: readonly WalPiece[]; readonly isTwice: boolean } {
  const isReached = (piece: WalPiece | undefined): boolean => piece !== undefined && piece.reached >= at;
  const last = wal.findLastIndex(
    (piece, place) => isReached(piece) && !isReached(wal[place - 1]) && piece.end >= base.end,
  );
  if (last === -1) return { pieces: wal, isTwice: false };
  return { pieces: wal.slice(0, last + 1), isTwice: wal.slice(0, last).some(isReached) };
}

/**
 * Whether a data folder has the cluster of an archive: `pg_control` begins with its identifier, and a restore
 * begins another timeline.
 */
function hasTail(dataDir: string, { header }: WalArchive): boolean {
  const { folder } = embeddedCluster(dataDir);
  const file = path.join(folder, 'global', 'pg_control');
  if (!existsSync(file)) return false;
  const bytes = Buffer.alloc(CONTROL_TIMELINE + 4);
  const handle = openSync(file, 'r');
  readSync(handle, bytes, 0, bytes.length, 0);
  closeSync(handle);
  return (
    bytes.readBigUInt64LE().toString() === header.cluster &&
    bytes.readUInt32LE(CONTROL_TIMELINE) === header.timeline
  );
}

/** The notes of the archives, and those of the daily backups, which lie in the same place. */
async function erasedIn(place: ArchivePlace, { header }: WalArchive): Promise<ErasureNotes> {
  const beside = await place.get(NOTES);
  const text = beside && Buffer.concat(await Array.fromAsync(beside)).toString();
  return {
    ...(text === undefined ? {} : parseNotes(text, NOTES)),
    ...(await readErasures(place, header.installation)),
  };
}
