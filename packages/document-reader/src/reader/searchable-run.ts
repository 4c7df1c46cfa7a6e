import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { type WrittenPdf, writtenPdfSchema } from './reader-messages.ts';
import { readerProgram } from './reader-program.ts';
import { READER_LIMITS, type ReaderLimits, readerSandbox, startProgram, watchLimits } from './reader-run.ts';
import type { ReadScan } from './searchable-pdf.ts';

/** A scan to write, and where the PDF goes. */
export interface SearchableRequest {
  readonly document: string;
  readonly scan: ReadScan;
  readonly target: string;
}

const LIMITS: ReaderLimits = { ...READER_LIMITS, replyBytes: 512 * 1024 * 1024 };
const LONGEST_HEAD = 64 * 1024;
const TOO_LARGE: WrittenPdf = {
  outcome: 'unreadable',
  code: 'too_large',
  sentence: 'This document is too large to become a searchable PDF.',
};
const DAMAGED: WrittenPdf = {
  outcome: 'unreadable',
  code: 'corrupt',
  sentence: 'This document is damaged, so no words can be added to it.',
};

/**
 * Writes a searchable PDF in a child process with limits of memory and time.
 *
 * @returns whether the PDF is at `target`, else a sentence for the document's owner
 * @throws Error if `signal` ends it or the target cannot be written
 */
export async function writeSearchable(
  { document, scan, target }: SearchableRequest,
  signal: AbortSignal,
): Promise<WrittenPdf> {
  const program = readerProgram('searchable-process');
  const child = startProgram({ program, document }, await readerSandbox(), LIMITS);
  let death: 'memory' | 'time' | 'stopped' | 'reply' | undefined;
  const end = (reason: NonNullable<typeof death>): void => {
    death ??= reason;
    child.kill('SIGKILL');
  };
  const stopWatching = watchLimits(child, { limits: LIMITS, pictures: () => 0, end });
  const stop = (): void => end('stopped');
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  // A writer that died before it read its input reports its own reason.
  child.stdin?.on('error', () => {});
  child.stdin?.end(JSON.stringify(scan));
  const closed = new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null));
    child.once('close', resolve);
  });
  try {
    const { stdout } = child;
    if (stdout === null) throw new Error('the writer has no output');
    let head: string | undefined;
    await pipeline(
      stdout,
      async function* (source: AsyncIterable<Buffer>) {
        let start = Buffer.alloc(0);
        let bytes = 0;
        for await (const chunk of source) {
          bytes += chunk.length;
          if (bytes > LIMITS.replyBytes) end('reply');
          if (head !== undefined) {
            yield chunk;
            continue;
          }
          start = Buffer.concat([start, chunk]);
          const line = start.indexOf('\n');
          if (line < 0 && start.length > LONGEST_HEAD) end('reply');
          if (line < 0) continue;
          head = start.toString('utf8', 0, line);
          yield start.subarray(line + 1);
        }
      },
      createWriteStream(target, { mode: 0o600 }),
    );
    const code = await closed;
    if (death === 'stopped') throw new Error('the writer was stopped');
    if (death !== undefined) return TOO_LARGE;
    const reply = writtenPdfSchema.safeParse(code === 0 && head !== undefined ? JSON.parse(head) : undefined);
    return reply.success ? reply.data : DAMAGED;
  } finally {
    stopWatching();
    signal.removeEventListener('abort', stop);
    child.kill('SIGKILL');
  }
}
