import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip, type Gunzip, type Gzip } from 'node:zlib';
import { z } from 'zod';
import { BackupRefused, encryption, macOf, newEncryption } from '../backup-format.server.ts';
import { keyOf } from '../backup-proof.server.ts';
import { type ErasureNotes, NOTES, parseNotes } from '../erasure-notes.server.ts';
import { SealBroken, seal, unseal } from '../part-encryption.server.ts';
import type { ArchivePlace } from './archive-place.server.ts';

/** Bytes of a WAL segment; initdb made the embedded database with it. */
export const SEGMENT_BYTES = 16 * 1024 * 1024;
/** Below it are the headers of the archives, by installation. */
const HEADERS = 'wal-archives';
const FORMAT = 1;

const header = z.object({
  format: z.literal(FORMAT),
  /** Version of the product, for people. */
  made_by: z.string(),
  made_at: z.iso.datetime(),
  /** The installation: the id of its organisation at /voice/v1. */
  installation: z.uuid(),
  /** Why this archive was begun, a sentence. */
  because: z.string(),
  /** `system_identifier` of the database cluster. */
  cluster: z.string(),
  /** Major version of PostgreSQL. */
  postgres: z.number(),
  timeline: z.number(),
  /** Position of the first byte of WAL; a segment begins there. */
  start: z.number(),
  encryption: encryption.nullable(),
  /** HMAC-SHA-256 of everything above. */
  mac: z.string(),
});
/** What an archive says about itself without its passphrase. */
export type ArchiveHeader = z.output<typeof header>;

const base = z.object({
  made_at: z.iso.datetime(),
  /** From this moment on, every second can be restored from the copy. */
  usable_from: z.iso.datetime(),
  /** Positions in the WAL: a restore needs everything from the first, and at least until the second. */
  start: z.number(),
  end: z.number(),
  /** Bytes of the copied cluster, unpacked. */
  bytes: z.number(),
  /** The text of keys.json. */
  keys: z.string(),
});
/** A copy of the database's files, from which a restore starts. Positions count bytes of WAL. */
export type BaseCopy = z.output<typeof base> & { readonly name: string };

const GONE = 'gone.json';
const gone = z.record(z.uuid(), z.iso.datetime());

const mark = z.object({ at: z.iso.datetime(), end: z.number() });

/** A stretch of WAL in the archive: the bytes from `start` to `end`. */
export interface WalPiece {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  /** Epoch ms: everything that was acknowledged before is in this piece or in earlier ones. */
  readonly reached: number;
}

/** An archive that can be written and read. */
export interface WalArchive {
  /** `wal-INSTALLATION-STAMP`, without a `/`. */
  readonly name: string;
  readonly header: ArchiveHeader;
  readonly place: ArchivePlace;
  /** Undefined when it is not encrypted. */
  readonly key: Buffer | undefined;
}

/**
 * Begins an archive.
 *
 * @param after when the one before was made, epoch ms: a clock that was put back must not make that one the newest
 * @param secrets `passphrase`: '' for none
 */
export async function beginArchive(
  place: ArchivePlace,
  { after, ...fields }: Omit<ArchiveHeader, 'format' | 'mac' | 'encryption' | 'made_at'> & { after: number },
  secrets: { readonly passphrase: string; readonly masterSecret: string },
): Promise<WalArchive> {
  const sealed = secrets.passphrase === '' ? undefined : await newEncryption(secrets.passphrase);
  const key = sealed?.key;
  const madeAt = new Date(Math.max(Date.now(), after + 1));
  const unsigned = {
    ...fields,
    format: FORMAT,
    made_at: madeAt.toISOString(),
    encryption: sealed?.encryption ?? null,
  };
  const mac = macOf(unsigned, { key, masterSecret: secrets.masterSecret });
  const stamp = madeAt.toISOString().replaceAll(/[-:.]/g, '');
  const text = `${JSON.stringify({ ...unsigned, mac }, null, 2)}\n`;
  await place.put(`${HEADERS}/${fields.installation}/${stamp}.json`, once(Buffer.from(text)));
  return {
    name: `wal-${fields.installation}-${stamp}`,
    header: header.parse({ ...unsigned, mac }),
    place,
    key,
  };
}

/** The archives in a place, oldest first, still closed; only those of one installation if it is given. */
export async function listArchives(
  place: ArchivePlace,
  installation?: string,
): Promise<{ name: string; header: ArchiveHeader }[]> {
  const under = installation === undefined ? `${HEADERS}/` : `${HEADERS}/${installation}/`;
  const found: { name: string; header: ArchiveHeader }[] = [];
  for (const name of await place.list(under)) {
    const [, owner = '', stamp = ''] = /^wal-archives\/([0-9a-f-]+)\/(\d{8}T\d+Z)\.json$/.exec(name) ?? [];
    if (stamp === '') continue;
    const parsed = header.safeParse(parseJson(await readText(place, name)));
    if (parsed.success && parsed.data.installation === owner)
      found.push({ name: `wal-${owner}-${stamp}`, header: parsed.data });
  }
  return found.sort((left, right) => (left.header.made_at < right.header.made_at ? -1 : 1));
}

/** Opens an archive for reading and writing. @throws BackupRefused without its passphrase */
export async function openArchive(
  place: ArchivePlace,
  { name, header: found }: { name: string; header: ArchiveHeader },
  passphrase: string,
): Promise<WalArchive> {
  return { name, header: found, place, key: await keyOf(found, name, passphrase) };
}

/**
 * Removes an archive with everything in it; returns the number of its files. The header goes first, so that no
 * half archive counts.
 */
export async function removeArchive(
  place: ArchivePlace,
  { name, header: { installation } }: { readonly name: string; readonly header: ArchiveHeader },
): Promise<number> {
  await place.remove([`${HEADERS}/${installation}/${name.slice(`wal-${installation}-`.length)}.json`]);
  const names = await place.list(`${name}/`);
  await place.remove(names);
  return names.length;
}

/** Stores the bytes of WAL from `start` on; returns the name of the piece. */
export async function putPiece(
  archive: WalArchive,
  bytes: Buffer,
  { start, reached }: { readonly start: number; readonly reached: number },
): Promise<string> {
  const name = `wal/${hex(start)}-${hex(start + bytes.length)}-${reached}`;
  await putFile(archive, name, through(once(bytes), createGzip({ level: 3 })));
  return name;
}

/** The bytes of a piece. @throws BackupRefused when it was changed or is damaged */
export async function readPiece(archive: WalArchive, piece: WalPiece): Promise<Buffer> {
  const bytes = await readAll(archive, piece.name, createGunzip());
  if (bytes.length !== piece.end - piece.start) throw damaged(archive, piece.name);
  return bytes;
}

/** All pieces, by their start; pieces that a killed process has not removed yet may overlap. */
export async function listPieces({
  place,
  name: archive,
}: Pick<WalArchive, 'place' | 'name'>): Promise<WalPiece[]> {
  const names = await place.list(`${archive}/wal/`);
  return names.flatMap((full) => {
    const name = full.slice(archive.length + 1);
    const [, start = '', end = '', reached = ''] =
      /^wal\/([0-9A-F]{16})-([0-9A-F]{16})-(\d+)$/.exec(name) ?? [];
    if (reached === '') return [];
    return [
      { name, start: Number.parseInt(start, 16), end: Number.parseInt(end, 16), reached: Number(reached) },
    ];
  });
}

/**
 * The pieces that together are the WAL from `from` on, as far as it has no gap; the longest of those that
 * overlap.
 *
 * @param pieces by their start
 */
export function chainOf(pieces: readonly WalPiece[], from: number): WalPiece[] {
  const chain: WalPiece[] = [];
  let end = from;
  let longest: WalPiece | undefined;
  for (const piece of pieces) {
    if (piece.start > end) {
      if (longest === undefined || piece.start > longest.end) break;
      chain.push(longest);
      end = longest.end;
      longest = undefined;
    }
    if (piece.end > (longest?.end ?? end)) longest = piece;
  }
  return longest === undefined ? chain : [...chain, longest];
}

/** Says that everything acknowledged before `at` (epoch ms) is in the archive, which ends at `end`. */
export async function putMark(archive: WalArchive, at: number, end: number): Promise<void> {
  const text = JSON.stringify({ at: new Date(at).toISOString(), end });
  await putFile(archive, 'reached.json', once(Buffer.from(text)));
}

/** Epoch ms until which the archive has everything that was acknowledged; `chain` ends where it ends. */
export async function reachedBy(archive: WalArchive, chain: readonly WalPiece[]): Promise<number> {
  const text = await readIfThere(archive, 'reached.json');
  const noted = mark.safeParse(parseJson(text?.toString() ?? '')).data;
  const end = chain.at(-1)?.end ?? archive.header.start;
  // The latest of all, as the clock may have been put back.
  return chain.reduce(
    (latest, { reached }) => Math.max(latest, reached),
    noted !== undefined && noted.end <= end ? Date.parse(noted.at) : 0,
  );
}

/** The base copies, oldest first by their place in the WAL, whatever the clock said. */
export async function listBases(archive: WalArchive): Promise<BaseCopy[]> {
  const names = (await archive.place.list(`${archive.name}/base/`)).filter((name) => name.endsWith('.json'));
  const found: BaseCopy[] = [];
  for (const full of names) {
    const name = full.slice(archive.name.length + 1, -'.json'.length);
    const text = await readIfThere(archive, `${name}.json`);
    // It expired since it was listed.
    if (text === undefined) continue;
    const parsed = base.safeParse(parseJson(text.toString()));
    if (!parsed.success) throw damaged(archive, name);
    found.push({ ...parsed.data, name });
  }
  return found.sort((left, right) => left.start - right.start);
}

/** Stores the description of a base copy; without it the copy does not count. */
export async function putBase(archive: WalArchive, { name, ...fields }: BaseCopy): Promise<void> {
  await putFile(archive, `${name}.json`, once(Buffer.from(JSON.stringify(fields))));
}

/** Stores a file of the archive, encrypted if the archive is. */
export async function putFile(
  archive: WalArchive,
  name: string,
  source: AsyncIterable<Buffer>,
): Promise<void> {
  const { place, key } = archive;
  await place.put(`${archive.name}/${name}`, key === undefined ? source : seal(source, key, name));
}

/** The content of a file of the archive; undefined when there is none. Reading throws SealBroken for a changed one. */
export async function getFile(archive: WalArchive, name: string): Promise<AsyncIterable<Buffer> | undefined> {
  const stored = await archive.place.get(`${archive.name}/${name}`);
  return stored === undefined || archive.key === undefined ? stored : unseal(stored, archive.key, name);
}

/**
 * Adds accounts and when they were erased to the notes of an installation; entries are never removed. They hold numbers
 * only and are not encrypted, so that a restore with an older passphrase also erases again.
 */
export async function addErasures(
  place: ArchivePlace,
  installation: string,
  erased: ErasureNotes,
): Promise<void> {
  const all = { ...(await readErasures(place, installation)), ...erased };
  await place.put(`${HEADERS}/${installation}/${NOTES}`, once(Buffer.from(JSON.stringify(all))));
}

/** The accounts that were erased while archives were written. @throws BackupRefused for damaged notes */
export async function readErasures(place: ArchivePlace, installation: string): Promise<ErasureNotes> {
  const name = `${HEADERS}/${installation}/${NOTES}`;
  const text = await readText(place, name);
  return text === '' ? {} : parseNotes(text, name);
}

/** Ids of files in the archive that the store no longer has, and since when that is known. */
export async function readGone(archive: WalArchive): Promise<Readonly<Record<string, string>>> {
  const text = await readIfThere(archive, GONE);
  return text === undefined ? {} : gone.parse(parseJson(text.toString()));
}

/** Replaces the notes about files that the store no longer has. */
export async function putGone(archive: WalArchive, notes: Readonly<Record<string, string>>): Promise<void> {
  await putFile(archive, GONE, once(Buffer.from(JSON.stringify(notes))));
}

/** The name of an object's bytes in an archive, as in a disk store: `objects/ab/abcd…`. */
export function objectName(id: string): string {
  return `objects/${id.slice(0, 2)}/${id}`;
}

/** Moves a stream through a compressor or decompressor. */
export async function* through(source: AsyncIterable<Buffer>, zip: Gzip | Gunzip): AsyncGenerator<Buffer> {
  const fed = pipeline(Readable.from(source, { objectMode: false }), zip);
  // An error of the source also ends the reading below.
  fed.catch(() => {});
  yield* zip as AsyncIterable<Buffer>;
  await fed;
}

async function readAll(archive: WalArchive, name: string, zip: Gunzip): Promise<Buffer> {
  const bytes = await readIfThere(archive, name, zip);
  if (bytes === undefined) throw new BackupRefused(`The archive ${archive.name} has no ${name}.`);
  return bytes;
}

async function readIfThere(archive: WalArchive, name: string, zip?: Gunzip): Promise<Buffer | undefined> {
  const source = await getFile(archive, name);
  if (source === undefined) return undefined;
  try {
    return Buffer.concat(await Array.fromAsync(zip === undefined ? source : through(source, zip)));
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (error instanceof SealBroken || code.startsWith('Z_')) throw damaged(archive, name, error);
    throw error;
  }
}

async function readText(place: ArchivePlace, name: string): Promise<string> {
  return Buffer.concat(await Array.fromAsync((await place.get(name)) ?? [])).toString();
}

function damaged({ name }: WalArchive, file: string, cause?: unknown): BackupRefused {
  return new BackupRefused(
    `The archive ${name} was changed or is damaged: ${file} is not what was written.`,
    {
      cause,
    },
  );
}

/** The position at which the segment of a position begins. */
export function segmentOf(position: number): number {
  return position - (position % SEGMENT_BYTES);
}

/** The name of the file of a segment in `pg_wal`. */
export function segmentFile(timeline: number, position: number): string {
  const number = Math.floor(position / SEGMENT_BYTES);
  return [timeline, Math.floor(number / 256), number % 256]
    .map((part) => part.toString(16).toUpperCase().padStart(8, '0'))
    .join('');
}

function hex(position: number): string {
  return position.toString(16).toUpperCase().padStart(16, '0');
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
