/**
 * The writer of searchable PDFs: a child process like the reader, with the same limits. It gets the document as an open file
 * and its words on the standard input, and writes a line of JSON and then the PDF.
 */
import { readFileSync } from 'node:fs';
import { UnreadableDocument } from '../contract/extracted-document.ts';
import { DOCUMENT_DESCRIPTOR, readScanSchema, type WrittenPdf } from './reader-messages.ts';
import { readInput, writeAll } from './reader-pipes.ts';
import { writeSearchablePdf } from './searchable-pdf.ts';

// Nothing here needs the network. Node's permission flags do not close it, and not every machine has a sandbox that does.
Object.assign(globalThis, { fetch: undefined, WebSocket: undefined, EventSource: undefined });

const scan = readScanSchema.parse(JSON.parse(readInput()));
const say = (reply: WrittenPdf): void => writeAll(1, Buffer.from(`${JSON.stringify(reply)}\n`));
try {
  const pdf = await writeSearchablePdf(readFileSync(DOCUMENT_DESCRIPTOR), scan);
  say({ outcome: 'written' });
  writeAll(1, Buffer.from(pdf.buffer, pdf.byteOffset, pdf.length));
} catch (error) {
  if (!(error instanceof UnreadableDocument)) throw error;
  say({ outcome: 'unreadable', code: error.code, sentence: error.message });
}
process.exit(0);
