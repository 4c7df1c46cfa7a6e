import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { type AppendOptions, MissingBytes } from './object-store.ts';

/** Bytes between two checkpoints: what a killed server loses at most. */
const CHECKPOINT_BYTES = 4 * 1024 * 1024;
const BATCH_BYTES = 512 * 1024;

/**
 * Writes `source` into the file from `offset` on, making it durable before each checkpoint. When the source
 * fails, what came before is kept and counted.
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
      for (const piece of batch) {
        let written = 0;
        while (written < piece.length) {
          const step = await handle.write(piece, written, piece.length - written, end);
          written += step.bytesWritten;
          end += step.bytesWritten;
        }
      }
      batch = [];
      waiting = 0;
    };
    const save = async (): Promise<void> => {
      if (end === safe) return;
      await handle.datasync();
      safe = end;
      await checkpoint(end);
    };
    try {
      for await (const piece of source) {
        inspect(piece);
        batch.push(piece);
        waiting += piece.length;
        if (waiting >= BATCH_BYTES) await flush();
        if (end - safe >= CHECKPOINT_BYTES) await save();
      }
    } finally {
      await flush();
      await save();
    }
  } finally {
    await handle.close();
  }
}
