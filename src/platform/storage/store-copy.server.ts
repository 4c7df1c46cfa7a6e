import { createHash } from 'node:crypto';
import type { Queries } from '../../kernel/resources/database/database.ts';
import type { ObjectStore } from '../../kernel/resources/object-store/object-store.ts';

/** A store of bytes by id, only for reading. */
export type ReadableStore = Pick<ObjectStore, 'read'>;

/** An object whose bytes differ from what the database says. */
interface Fault {
  /** `bucket/path`. */
  readonly object: string;
  readonly what: string;
}

/** The result of copying or verifying. */
export interface StoreReport {
  /** Objects that were checked, and their bytes. */
  objects: number;
  bytes: number;
  /**
   * Objects that were copied now, that were already there and right, or that were there but wrong and were
   * replaced.
   */
  copied: number;
  present: number;
  repaired: number;
  readonly faults: Fault[];
}

interface Row {
  readonly version: string;
  readonly object: string;
  readonly size: number;
  readonly sha256: string;
}

const PAGE = 200;
const AT_ONCE = 4;

/**
 * Copies the bytes of every object from one store to another. Each is compared with the size and SHA-256 in
 * the database, when it is read and again after it was written. Correct copies are not written again, so an
 * interrupted copy continues where it stopped.
 *
 * @param progress called after each object
 * @returns a report, with `faults` when the copy is not complete
 */
export async function copyObjects(
  queries: Queries,
  { from, to }: { from: ReadableStore; to: ObjectStore },
  progress: (report: StoreReport) => void = () => {},
): Promise<StoreReport> {
  const halfReceived = new Set(await Array.fromAsync(to.received()));
  const report = await forEachObject(queries, progress, async (row, counts) => {
    const there = await fingerprint(to, row.version);
    if (there !== undefined && isRight(there, row)) {
      counts.present += 1;
      return undefined;
    }
    if (there !== undefined) await to.remove(row.version);
    if (halfReceived.has(row.version)) await to.discard(row.version);
    const fault = await copyOne({ from, to }, row);
    if (fault !== undefined) return fault;
    counts[there === undefined ? 'copied' : 'repaired'] += 1;
    return undefined;
  });
  // From now on both stores belong to this installation, and unreferenced bytes in either may be removed.
  if (report.faults.length === 0) {
    await queries.run(
      'insert into private.installation (key, value) values ($1, now()::text) on conflict do nothing',
      [`object_store ${to.id}`],
    );
  }
  return report;
}

/** Reads the bytes of every object and compares them with the size and hash in the database. */
export async function verifyObjects(
  queries: Queries,
  store: ReadableStore,
  progress: (report: StoreReport) => void = () => {},
): Promise<StoreReport> {
  return forEachObject(queries, progress, async (row, counts) => {
    const there = await fingerprint(store, row.version);
    if (there === undefined) return 'its bytes are missing';
    if (!isRight(there, row)) return 'its bytes are damaged';
    counts.present += 1;
    return undefined;
  });
}

async function copyOne(
  { from, to }: { from: ReadableStore; to: ObjectStore },
  row: Row,
): Promise<string | undefined> {
  const source = await from.read(row.version);
  if (source === undefined) return 'its bytes are missing where they are copied from';
  const received = await to.receive(row.version, source, { inspect() {} });
  if (!isRight(received, row)) {
    await to.discard(row.version);
    return 'its bytes are damaged where they are copied from';
  }
  await to.keep(received);
  const written = await fingerprint(to, row.version);
  return written !== undefined && isRight(written, row) ? undefined : 'what was written cannot be read again';
}

async function forEachObject(
  queries: Queries,
  progress: (report: StoreReport) => void,
  look: (row: Row, counts: StoreReport) => Promise<string | undefined>,
): Promise<StoreReport> {
  const report: StoreReport = { objects: 0, bytes: 0, copied: 0, present: 0, repaired: 0, faults: [] };
  const visit = async (row: Row): Promise<void> => {
    const what = await look(row, report).catch((error: Error) => error.message);
    // The object was deleted in the meantime, so its bytes may be missing.
    if (what !== undefined && !(await isStill(queries, row))) return;
    report.objects += 1;
    report.bytes += row.size;
    if (what !== undefined) report.faults.push({ object: row.object, what });
    progress(report);
  };
  for (let after = ''; ; ) {
    const rows = await queries.many(OBJECTS, [after, PAGE]);
    for (let at = 0; at < rows.length; at += AT_ONCE)
      await Promise.all(rows.slice(at, at + AT_ONCE).map(visit));
    if (rows.length < PAGE) return report;
    after = rows.at(-1)?.version ?? '';
  }
}

const OBJECTS = `
  select version, bucket_id || '/' || name as object, (metadata ->> 'size')::float8 as size /* not null */,
         trim(both '"' from metadata ->> 'eTag') as sha256 /* not null */
    from storage.objects where version > $1 order by version limit $2`;

async function isStill(queries: Queries, { version }: Row): Promise<boolean> {
  return (await queries.maybe('select 1 from storage.objects where version = $1', [version])) !== undefined;
}

async function fingerprint(
  store: ReadableStore,
  id: string,
): Promise<{ bytes: number; sha256: string } | undefined> {
  const stream = await store.read(id);
  if (stream === undefined) return undefined;
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const piece of stream as AsyncIterable<Buffer>) {
    hash.update(piece);
    bytes += piece.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}

function isRight(found: { bytes: number; sha256: string }, row: Row): boolean {
  return found.bytes === row.size && found.sha256 === row.sha256;
}
