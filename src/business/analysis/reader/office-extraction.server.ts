import { type OfficeContentNode, OfficeParser } from 'officeparser';
import { checkZip, ZIP_LIMITS } from './check-zip.server.ts';
import {
  BlockList,
  type Cell,
  cleanText,
  type ExtractedDocument,
  type Row,
  UnreadableDocument,
} from './extracted-document.server.ts';

/** More XML elements than any document of 100 MB has, few enough for the memory of the reader. */
const MAX_XML_ELEMENTS = 1_000_000;
const MAX_DEPTH = 60;

/**
 * Reads DOCX, DOCM, ODT and RTF to headings, paragraphs, lists and tables.
 * Entities are not expanded and nothing outside the file is read.
 *
 * @throws UnreadableDocument for a password, a bomb or a damaged file
 */
export async function extractOffice(bytes: Buffer, type: 'docx' | 'odt' | 'rtf'): Promise<ExtractedDocument> {
  if (type !== 'rtf') checkZip(bytes);
  const tree = await OfficeParser.parseOffice(bytes, {
    fileType: type,
    ignoreNotes: false,
    ignoreComments: true,
    extractAttachments: false,
    includeRawContent: false,
    decompressionLimits: {
      maxUncompressedBytes: ZIP_LIMITS.inflatedBytes,
      maxZipEntries: ZIP_LIMITS.entries,
      maxXmlElements: MAX_XML_ELEMENTS,
    },
  }).catch((error: Error) => {
    throw asUnreadable(error);
  });
  const list = new BlockList();
  const rows: Row[] = [];
  for (const node of tree.content) addNode(node, list, rows, 0);
  for (const type of ['header', 'footer'] as const) {
    for (const node of tree.auxiliary?.[`${type}s`] ?? [])
      list.add({ type, text: cleanText(node.text ?? '') });
  }
  if (list.blocks.length === 0) {
    throw new UnreadableDocument('no_text', 'This document holds no text, so there is nothing to read.');
  }
  const title = tree.metadata?.title;
  return {
    title: typeof title === 'string' ? cleanText(title).trim() || undefined : undefined,
    pages: undefined,
    blocks: list.blocks,
    rows,
    pagesRead: 0,
    pagesSkipped: [],
    warnings: [
      { code: 'no_pages', text: 'This format has no fixed pages: places are shown by paragraph.' },
      ...(list.full
        ? [{ code: 'text_limit', text: 'The document is very long: the end of it was left out.' }]
        : []),
    ],
  };
}

function addNode(node: OfficeContentNode, list: BlockList, rows: Row[], depth: number): void {
  if (depth > MAX_DEPTH || list.full) return;
  const text = cleanText(node.text ?? '');
  const metadata = (node.metadata ?? {}) as { level?: number; style?: string };
  if (node.type === 'table') {
    addTable(node, list, rows);
    return;
  }
  const isLeaf = ['paragraph', 'heading', 'list', 'header', 'footer', 'note', 'code'].includes(node.type);
  if (!isLeaf) {
    for (const child of node.children ?? []) addNode(child, list, rows, depth + 1);
    return;
  }
  rows.push(...textRows(text));
  if (node.type === 'heading' || /^(title|heading ?\d)$/i.test(metadata.style ?? '')) {
    list.add({ type: 'heading', level: Math.min(6, Math.max(1, metadata.level ?? 1)), text });
  } else if (node.type === 'list') list.add({ type: 'list', text });
  else if (node.type === 'header' || node.type === 'footer') list.add({ type: node.type, text });
  else list.add({ type: 'para', text });
  // A footnote hangs on its piece of text and is not part of it.
  for (const child of node.children ?? []) {
    for (const note of child.notes ?? []) list.add({ type: 'para', text: cleanText(note.text ?? '') });
  }
}

/** A table is one block: a line a row, two spaces between cells. */
function addTable(table: OfficeContentNode, list: BlockList, rows: Row[]): void {
  const lines: string[] = [];
  for (const row of table.children ?? []) {
    const cells = (row.children ?? []).map((cell) =>
      cleanText(cell.text ?? '')
        .replace(/\s+/g, ' ')
        .trim(),
    );
    if (cells.every((cell) => cell === '')) continue;
    lines.push(cells.filter((cell) => cell !== '').join('  '));
    rows.push({ page: undefined, cells: asCells(cells) });
  }
  list.add({ type: 'table', text: lines.join('\n') });
}

/** Rows of plain text: a row a line; tabs and wide gaps part the cells. */
export function textRows(text: string): Row[] {
  return text
    .split('\n')
    .map((line) => ({ page: undefined, cells: asCells(line.split(/\t+|\s{3,}/)) }))
    .filter(({ cells }) => cells.length > 0);
}

/** Cells without geometry stand in columns of equal width. */
function asCells(texts: readonly string[]): Cell[] {
  return texts
    .map((text, column) => ({ text: text.trim(), left: column * 100, right: column * 100 + 90 }))
    .filter(({ text }) => text !== '');
}

function asUnreadable(error: Error & { code?: string }): Error {
  const { code } = error;
  if (code === 'PASSWORD_REQUIRED' || code === 'PASSWORD_INCORRECT') return locked();
  if (/ZIP_(ENTRY_COUNT|SIZE)_LIMIT|XML_ELEMENT_LIMIT|NESTING|OUTPUT_TOO_LARGE/.test(code ?? '')) {
    return new UnreadableDocument(
      'too_large',
      'This file holds far more than a document should, so it was not read.',
    );
  }
  return new UnreadableDocument(
    'corrupt',
    'This file is damaged and cannot be read. Open it in your word processor, save it again and upload the new copy.',
  );
}

/** The failure of an Office file with a password. */
export function locked(): UnreadableDocument {
  return new UnreadableDocument(
    'password_required',
    'This document is locked with a password. Save a copy without the password and upload it again.',
  );
}
