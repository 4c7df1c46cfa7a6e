/**
 * The reader: a process of its own that reads one document and prints one JSON reply
 * (docs/contracts/documents.md §2.4). It has no environment, may read its own code and the file
 * that its parent opened for it, and is ended when it grows or takes too long. Its account and its network:
 * `reader-sandbox.ts`.
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

// The permission flags of Node 24 do not close the network, and not every machine lets us: nothing here needs it.
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

/** The document's password from the standard input, which the parent closes behind it; undefined for none. */
function readPassword(): string | undefined {
  for (;;) {
    try {
      return readFileSync(0, 'utf8') || undefined;
    } catch (error) {
      // Nothing has come yet.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

/** A line for the parent, which gives every page from a picture processor time of its own. */
function tellProgress(done: number, of: number): void {
  writeSync(PROGRESS_PIPE, `${JSON.stringify({ done, of })}\n`);
}

const reply = Buffer.from(JSON.stringify(await read()));
for (let at = 0; at < reply.length; ) {
  try {
    at += writeSync(1, reply, at);
  } catch (error) {
    // The pipe is full: the parent reads, we wait.
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
  }
}
process.exit(0);
