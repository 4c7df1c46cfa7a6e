import { createRequire } from 'node:module';
import {
  BlockList,
  cleanText,
  type ExtractedDocument,
  UnreadableDocument,
} from '../contract/extracted-document.ts';
import { textRows } from '../layout/spanned-cells.ts';
import { unpagedDocument } from './office-extraction.ts';

/** The part of `word-extractor` that we use; the library ships no types. */
interface OldWordDocument {
  getBody(): string;
  getFootnotes(): string;
  getEndnotes(): string;
  getAnnotations(): string;
  getTextboxes(options: { includeHeadersAndFooters: boolean }): string;
  getHeaders(options: { includeFooters: boolean }): string;
  getFooters(): string;
}
type Extractor = new () => { extract(bytes: Buffer): Promise<OldWordDocument> };

/** First 16-bit word of the stream that holds the text: Word 97 and later; Word 6 and 95. */
const WORD_97 = 0xa5ec;
const WORD_95 = 0xa5dc;
/** Streams of a compound file begin at a multiple of this; short ones share a stream and begin at the second number. */
const SECTOR = 512;
const MINI_SECTOR = 64;
const FLAGS_AT = 0x0a;
const ENCRYPTED = 0x0100;

/**
 * Reads a Word document of 97 to 2003 (.doc): body, notes, comments, text boxes, headers and footers.
 *
 * @throws UnreadableDocument for a document with a password, which cannot be unlocked, an older version of Word or a damaged file
 */
export async function extractOldWord(bytes: Buffer): Promise<ExtractedDocument> {
  const kind = kindOf(bytes);
  if (kind === 'encrypted') {
    throw new UnreadableDocument(
      'unsupported',
      'This Word document of 97 to 2003 is locked with a password, and this type cannot be unlocked here. Save it without the password, or as DOCX, and upload that.',
    );
  }
  if (kind === 'word-95') {
    throw new UnreadableDocument(
      'unsupported',
      'This document was written by a Word older than 97. Open it in a newer one, save it as DOCX and upload that.',
    );
  }
  const Reader = createRequire(import.meta.url)('word-extractor') as Extractor;
  const document = await new Reader().extract(bytes).catch((error: unknown) => {
    const damaged = new UnreadableDocument(
      'corrupt',
      'This Word document is damaged and cannot be read. Open it, save it again as DOCX and upload the new copy.',
    );
    damaged.cause = error;
    throw damaged;
  });
  return asExtracted(document);
}

/** The version of Word, by the head of the document's stream, wherever it lies in the container. */
function kindOf(bytes: Buffer): 'word-97' | 'word-95' | 'encrypted' {
  // Only a document of a few words is short enough for the shared stream, so that is searched last.
  for (const step of [SECTOR, MINI_SECTOR]) {
    for (let at = SECTOR; at + MINI_SECTOR <= bytes.length; at += step) {
      const first = bytes.readUInt16LE(at);
      if (first === WORD_95) return 'word-95';
      if (first === WORD_97)
        return (bytes.readUInt16LE(at + FLAGS_AT) & ENCRYPTED) === 0 ? 'word-97' : 'encrypted';
    }
  }
  return 'word-97';
}

function asExtracted(document: OldWordDocument): ExtractedDocument {
  const list = new BlockList();
  const body = cleanText(document.getBody());
  addParagraphs(body, list);
  const more = [
    document.getTextboxes({ includeHeadersAndFooters: true }),
    document.getFootnotes(),
    document.getEndnotes(),
    document.getAnnotations(),
  ];
  for (const text of more) addParagraphs(cleanText(text), list);
  const edges = [
    ['header', document.getHeaders({ includeFooters: false })],
    ['footer', document.getFooters()],
  ] as const;
  for (const [type, text] of edges) list.add({ type, text: cleanText(text) });
  return unpagedDocument(list, { title: undefined, rows: textRows(body), warnings: [] });
}

/** Adds each line as a paragraph; lines with tabs are rows of a table. */
function addParagraphs(text: string, list: BlockList): void {
  let rows: string[] = [];
  const closeTable = (): void => {
    list.add({ type: 'table', text: rows.join('\n') });
    rows = [];
  };
  for (const line of text.split('\n')) {
    const trimmed = line.trim();
    if (/\S\t+\S/.test(line)) {
      rows.push(trimmed.replace(/\s*\t\s*/g, '  '));
      continue;
    }
    closeTable();
    list.add(
      isHeading(trimmed) ? { type: 'heading', level: 2, text: trimmed } : { type: 'para', text: trimmed },
    );
  }
  closeTable();
}

/** Whether a line is a heading: as the text has no styles, a short line that begins like a title and is no sentence. */
function isHeading(line: string): boolean {
  return line.length < 80 && /^(\d+(\.\d+)*\.?\s+)?\p{Lu}/u.test(line) && !/[.,;:?!]$/.test(line);
}
