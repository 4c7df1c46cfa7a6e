import type { FileHandle } from 'node:fs/promises';
import { releaseBytes } from './page-cache-release.ts';

/** Bytes written at once: enough for few system calls, and few enough for constant memory. */
const BATCH_BYTES = 1024 * 1024;
/** Bytes after which the file is synced while more arrives, so that little is left to sync at the end. */
const SYNC_BYTES = 16 * 1024 * 1024;

/**
 * Writes a source to a file from its current position on and makes it durable. Reading, writing and syncing
 * overlap: while one batch is written, the next one fills.
 *
 * @param pass called with each piece before it is written; a throw ends the writing
 * @param options `durable: false` for bytes that need not survive a power cut; `ownsPieces` when nobody needs
 * them afterwards
 * @returns bytes written, all of them safe on disk
 * @throws what the source, `pass` or the disk threw, once no work is pending any more
 */
export async function writeBehind(
  handle: FileHandle,
  source: AsyncIterable<Buffer>,
  pass: (piece: Buffer) => void,
  { durable = true, ownsPieces = false }: { durable?: boolean; ownsPieces?: boolean } = {},
): Promise<number> {
  let bytes = 0;
  let batch: Buffer[] = [];
  let waiting = 0;
  let unsynced = 0;
  let writing: Promise<void> = Promise.resolve();
  let syncing: Promise<void> | undefined;
  const flush = async (): Promise<void> => {
    await writing;
    const written = batch;
    writing = observed(
      writeBatch(handle, batch, waiting).then(() => {
        if (ownsPieces) releaseBytes(written);
      }),
    );
    unsynced += waiting;
    batch = [];
    waiting = 0;
    if (!durable || unsynced < SYNC_BYTES || syncing !== undefined) return;
    unsynced = 0;
    syncing = observed(
      handle.datasync().then(() => {
        syncing = undefined;
      }),
    );
  };
  try {
    for await (const piece of source) {
      pass(piece);
      bytes += piece.length;
      waiting += piece.length;
      batch.push(piece);
      if (waiting >= BATCH_BYTES) await flush();
    }
    await flush();
    await writing;
    await syncing;
    if (durable) await handle.datasync();
    return bytes;
  } finally {
    await Promise.allSettled([writing, syncing]);
  }
}

/**
 * Returns the same promise. Its failure is handled where it is awaited; until then it must not count as
 * unhandled.
 */
export function observed(promise: Promise<void>): Promise<void> {
  promise.catch(() => {});
  return promise;
}

/**
 * A vectored write may be short (on a disk that fills up): the rest is written plainly, which then throws the
 * reason.
 */
async function writeBatch(handle: FileHandle, batch: Buffer[], total: number): Promise<void> {
  if (total === 0) return;
  const { bytesWritten } = await handle.writev(batch);
  if (bytesWritten === total) return;
  let rest = Buffer.concat(batch).subarray(bytesWritten);
  while (rest.length > 0) {
    const step = await handle.write(rest);
    rest = rest.subarray(step.bytesWritten);
  }
}
