import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { type AppendOptions, MissingBytes } from './object-store.ts';
import { releaseBytes } from './page-cache-release.ts';
import { observed } from './write-behind.ts';

/**
 * Bytes between two checkpoints. A killed server loses at most this much, and as much again that is being
 * written.
 */
const CHECKPOINT_BYTES = 4 * 1024 * 1024;
const BATCH_BYTES = 512 * 1024;

/**
 * Writes `source` into the file from `offset` on, and reads on while a batch is written. When the source
 * fails, everything that arrived before is stored and counted. The bytes before each checkpoint are with the
 * operating system, so a killed process loses none of them. The disk must have them only when they become an
 * object (decision 0131).
 */
export async function appendToFile(
  file: string,
  offset: number,
  source: AsyncIterable<Buffer>,
  { inspect, checkpoint, ownsPieces }: AppendOptions,
): Promise<void> {
  const handle = await open(file, constants.O_RDWR | constants.O_CREAT, 0o600);
  try {
    const { size } = await handle.stat();
    if (size < offset) throw new MissingBytes('bytes of a resumable upload are missing');
    if (size > offset) await handle.truncate(offset);
    let end = offset;
    let safe = offset;
    let batch: Buffer[] = [];
    let waiting = 0;
    let writing: Promise<void> = Promise.resolve();
    const write = async (pieces: readonly Buffer[]): Promise<void> => {
      let left = pieces;
      while (left.length > 0) {
        const { bytesWritten } = await handle.writev(left, end);
        end += bytesWritten;
        left = behind(left, bytesWritten);
      }
      if (ownsPieces) releaseBytes(pieces);
    };
    const flush = async (): Promise<void> => {
      await writing;
      if (batch.length === 0) return;
      writing = observed(write(batch));
      batch = [];
      waiting = 0;
    };
    const save = async (last: boolean): Promise<void> => {
      const reached = end;
      if (reached === safe) return;
      safe = reached;
      await checkpoint(reached, last);
    };
    // At most one write runs while more is received, so that disk and sender work in parallel.
    let saving: Promise<void> | undefined;
    let failure: { error: unknown } | undefined;
    const saveBeside = (): void => {
      if (saving !== undefined || end - safe < CHECKPOINT_BYTES) return;
      saving = save(false)
        .catch((error: unknown) => {
          failure = { error };
        })
        .finally(() => {
          saving = undefined;
        });
    };
    try {
      for await (const piece of source) {
        inspect(piece);
        batch.push(piece);
        waiting += piece.length;
        if (waiting >= BATCH_BYTES) await flush();
        saveBeside();
        if (failure !== undefined) throw failure.error;
      }
    } finally {
      await saving;
      await flush();
      await writing;
      await save(true);
    }
  } finally {
    await handle.close();
  }
}

/** What remains of the pieces after their first bytes were written. */
function behind(pieces: readonly Buffer[], written: number): Buffer[] {
  let skip = written;
  return pieces.flatMap((piece) => {
    const gone = Math.min(skip, piece.length);
    skip -= gone;
    return gone === piece.length ? [] : [piece.subarray(gone)];
  });
}
