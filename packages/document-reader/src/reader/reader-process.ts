/**
 * The reader: a child process that reads one document and prints one JSON reply
 * (docs/contracts/documents.md §2.4). It has no environment, and may read only its own code and the file that its parent
 * opened for it. The parent ends it if it needs too much memory or time. `reader-sandbox.ts` limits its account and its
 * network.
 */
import { createHash } from 'node:crypto';
import { readFileSync, writeSync } from 'node:fs';
import { UnreadableDocument } from '../contract/extracted-document.ts';
import { readFileContent } from '../formats/file-content.ts';
import { createOcrSession } from '../ocr/ocr-session.ts';
import { buildReport } from '../report/report-building.ts';
import {
  DOCUMENT_DESCRIPTOR,
  PROGRESS_PIPE,
  type ReaderReply,
  readerRequestSchema,
} from './reader-messages.ts';

// Nothing here needs the network. Node's permission flags do not close it, and not every machine has a sandbox that does.
Object.assign(globalThis, { fetch: undefined, WebSocket: undefined, EventSource: undefined });

async function read(): Promise<ReaderReply> {
  const request = readerRequestSchema.parse(JSON.parse(process.argv[2] ?? ''));
  const bytes = readFileSync(DOCUMENT_DESCRIPTOR);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const started = performance.now();
  const session = createOcrSession(request.ocrPages, tellProgress);
  try {
    const document = await readFileContent(bytes, session, readPassword());
    const extract = Math.round(performance.now() - started);
    const report = buildReport(document, {
      fileName: request.fileName,
      sha256,
      createdAt: request.createdAt,
    });
    return {
      outcome: 'read',
      report: { ...report, timings: { ...report.timings, extract } },
      blocks: document.blocks,
    };
  } catch (error) {
    if (error instanceof UnreadableDocument) {
      return { outcome: 'unreadable', code: error.code, sentence: error.message };
    }
    throw error;
  }
}

/** Reads the document's password from the standard input until the parent closes it; undefined if there is none. */
function readPassword(): string | undefined {
  for (;;) {
    try {
      return readFileSync(0, 'utf8') || undefined;
    } catch (error) {
      // Nothing has arrived yet.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

/** Writes a line of progress. The parent adds processor time for every page that is read from a picture. */
function tellProgress(done: number, of: number): void {
  writeSync(PROGRESS_PIPE, `${JSON.stringify({ done, of })}\n`);
}

const reply = Buffer.from(JSON.stringify(await read()));
for (let at = 0; at < reply.length; ) {
  try {
    at += writeSync(1, reply, at);
  } catch (error) {
    // The pipe is full, so we wait until the parent has read from it.
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
  }
}
process.exit(0);
