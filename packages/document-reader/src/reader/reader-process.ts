/**
 * The reader: a child process that reads one document and prints one JSON reply
 * (docs/contracts/documents.md §2.4). It has no environment, and may read only its own code and the file that its parent
 * opened for it. The parent ends it if it needs too much memory or time. `reader-sandbox.ts` limits its account and its
 * network.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { UnreadableDocument } from '../contract/extracted-document.ts';
import { readFileContent } from '../formats/file-content.ts';
import { createOcrSession } from '../ocr/ocr-session.ts';
import { buildReport } from '../report/report-building.ts';
import {
  DOCUMENT_DESCRIPTOR,
  type KeptPage,
  PROGRESS_PIPE,
  type ReaderReply,
  readerInputSchema,
  readerRequestSchema,
  rowsToStore,
} from './reader-messages.ts';
import { readInput, writeAll } from './reader-pipes.ts';

// Nothing here needs the network. Node's permission flags do not close it, and not every machine has a sandbox that does.
Object.assign(globalThis, { fetch: undefined, WebSocket: undefined, EventSource: undefined });

async function read(): Promise<ReaderReply> {
  const request = readerRequestSchema.parse(JSON.parse(process.argv[2] ?? ''));
  const bytes = readFileSync(DOCUMENT_DESCRIPTOR);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const started = performance.now();
  const { password, pages } = readerInputSchema.parse(JSON.parse(readInput()));
  const session = createOcrSession(request.ocrPages, (done, of) => tell({ done, of }), {
    onRead: (page, outcome) => tell({ page, outcome: JSON.stringify(outcome) } satisfies KeptPage),
    kept: new Map(pages.map(({ page, outcome }) => [page, JSON.parse(outcome)])),
  });
  try {
    const document = await readFileContent(bytes, session, password);
    const extract = Math.round(performance.now() - started);
    const report = buildReport(document, {
      fileName: request.fileName,
      sha256,
      createdAt: request.createdAt,
      begins: request.begins,
    });
    return {
      outcome: 'read',
      report: { ...report, timings: { ...report.timings, extract } },
      blocks: document.blocks,
      rows: rowsToStore(document.rows),
    };
  } catch (error) {
    if (error instanceof UnreadableDocument) {
      return { outcome: 'unreadable', code: error.code, sentence: error.message };
    }
    throw error;
  }
}

/** Writes a line of progress. The parent adds processor time for every page that is read from a picture. */
function tell(line: { done: number; of: number } | KeptPage): void {
  writeAll(PROGRESS_PIPE, Buffer.from(`${JSON.stringify(line)}\n`));
}

writeAll(1, Buffer.from(JSON.stringify(await read())));
process.exit(0);
