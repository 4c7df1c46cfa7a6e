import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { type AppendOptions, MissingBytes } from './object-store.ts';

/** Bytes between two checkpoints: what a killed server loses, and as much again while it is written. */
const CHECKPOINT_BYTES = 4 * 1024 * 1024;
const BATCH_BYTES = 512 * 1024;

/**
 * Writes `source` into the file from `offset` on. When the source fails, what came before is kept and counted.
 * The system has the bytes before each checkpoint, so a killed process loses none of them; the disk has to
 * have them only when they become an object (decision 0131).
 */
export async function appendToFile(
  file: string,
  offset: number,
  source: AsyncIterable<Buffer>,
  { inspect, checkpoint }: AppendOptions,
): Promise<void> {
  const handle = await open(file, constants.O_RDWR | constants.O_CREAT, 0o600);
  try {
    if ((await handle.stat()).size < offset)
      throw new MissingBytes('bytes of a resumable upload are missing');
    await handle.truncate(offset);
    let end = offset;
    let safe = offset;
    let batch: Buffer[] = [];
    let waiting = 0;
    const flush = async (): Promise<void> => {
      let left: readonly Buffer[] = batch;
      batch = [];
      waiting = 0;
      while (left.length > 0) {
        const { bytesWritten } = await handle.writev(left, end);
        end += bytesWritten;
        left = behind(left, bytesWritten);
      }
    };
    const save = async (): Promise<void> => {
      const reached = end;
      if (reached === safe) return;
      safe = reached;
      await checkpoint(reached);
    };
    // One at a time goes on beside the receiving, so that the disk and the sender work at once.
    let saving: Promise<void> | undefined;
    let failure: { error: unknown } | undefined;
    const saveBeside = (): void => {
      if (saving !== undefined || end - safe < CHECKPOINT_BYTES) return;
      saving = save()
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
      await save();
    }
  } finally {
    await handle.close();
  }
}

/** What is left of the pieces when the first bytes of them were written. */
function behind(pieces: readonly Buffer[], written: number): Buffer[] {
  let skip = written;
  return pieces.flatMap((piece) => {
    const gone = Math.min(skip, piece.length);
    skip -= gone;
    return gone === piece.length ? [] : [piece.subarray(gone)];
  });
}
