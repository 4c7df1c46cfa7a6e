import type { OfficeContentNode } from 'officeparser';
import {
  BlockList,
  cleanText,
  type ExtractedDocument,
  type Row,
  UnreadableDocument,
  WRONG_PASSWORD,
} from '../contract/extracted-document.ts';
import { joinedLines, type SpannedCell, SpannedRows, textRows } from '../layout/spanned-cells.ts';
import type { OcrSession } from '../ocr/ocr-session.ts';
import { type FileCells, readFileCells, type TableCells } from './file-cells.ts';
import { lookIntoPacked, lossWarning, slideComments } from './office-coverage.ts';
import { readOfficePictures } from './office-pictures.ts';

/** Formats that `officeparser` reads. */
export type OfficeType = 'docx' | 'odt' | 'rtf' | 'xlsx' | 'ods' | 'pptx' | 'odp';

/** Limits of a packed document; the library counts inflated bytes, whatever sizes the archive declares (docs/contracts/documents.md §2.4). */
const ZIP_LIMITS = { inflatedBytes: 256 * 1024 * 1024, entries: 5000 } as const;
/** More XML elements than any document of 100 MB has, but few enough for the reader's memory. */
const MAX_XML_ELEMENTS = 1_000_000;
const MAX_DEPTH = 60;

/**
 * Reads texts, sheets and slides (DOCX, DOCM, ODT, RTF, XLSX, ODS, PPTX, ODP) as headings, paragraphs, lists and tables.
 * It expands no entities and reads nothing outside the file. The texts of its pictures follow its own.
 *
 * @throws UnreadableDocument for a password, a zip bomb or a damaged file
 */
export async function extractOffice(
  bytes: Buffer,
  type: OfficeType,
  { session, password }: { readonly session: OcrSession; readonly password?: string | undefined },
): Promise<ExtractedDocument> {
  return readTree(bytes, { type, password, session });
}

/**
 * Reads an Office file of the newer format with a password. Its container does not say which kind of document it holds.
 *
 * @throws UnreadableDocument like `extractOffice`
 */
export async function extractLocked(bytes: Buffer, password: string | undefined): Promise<ExtractedDocument> {
  if (password === undefined) throw locked();
  return readTree(bytes, { type: undefined, password, session: undefined });
}

interface TreeOptions {
  readonly type: OfficeType | undefined;
  readonly password: string | undefined;
  /** Reads the pictures inside the file; undefined where they are locked with it. */
  readonly session: OcrSession | undefined;
}

async function readTree(bytes: Buffer, options: TreeOptions): Promise<ExtractedDocument> {
  const tree = await parse(bytes, options);
  const list = new BlockList();
  const rows: Row[] = [];
  const gathered = { list, rows, tables: 0, cells: readFileCells(bytes, options.type) };
  for (const node of tree.content) addNode(node, gathered, 0);
  for (const type of ['header', 'footer'] as const) {
    for (const node of tree.auxiliary?.[`${type}s`] ?? [])
      list.add({ type, text: cleanText(node.text ?? '') });
  }
  const warnings = await addPacked(bytes, options, gathered);
  const title = tree.metadata?.title;
  return unpagedDocument(list, {
    title: typeof title === 'string' ? cleanText(title).trim() || undefined : undefined,
    rows,
    warnings,
  });
}

async function parse(bytes: Buffer, { type, password }: TreeOptions) {
  // Loading this takes half of the reader's start, so only the documents that need it wait for it.
  const { OfficeParser } = await import('officeparser');
  return OfficeParser.parseOffice(bytes, {
    ...(type === undefined ? {} : { fileType: type }),
    ...(password === undefined ? {} : { password }),
    ignoreNotes: false,
    ignoreComments: false,
    extractAttachments: false,
    includeRawContent: false,
    decompressionLimits: {
      maxUncompressedBytes: ZIP_LIMITS.inflatedBytes,
      maxZipEntries: ZIP_LIMITS.entries,
      maxXmlElements: MAX_XML_ELEMENTS,
    },
  }).catch((error: Error) => {
    throw asUnreadable(error, password);
  });
}

/** Adds what the parser leaves out of a packed file, and returns the warnings about the whole. */
async function addPacked(
  bytes: Buffer,
  { type, session }: TreeOptions,
  { list, rows }: Gathered,
): Promise<ExtractedDocument['warnings']> {
  if (type === undefined || type === 'rtf') return [];
  const { letters, hasTrackedDeletions } = lookIntoPacked(bytes, type);
  const loss = list.full ? undefined : lossWarning(letters, list.blocks);
  if (type === 'pptx')
    for (const text of slideComments(bytes)) list.add({ type: 'para', text: cleanText(text) });
  const pictures = session === undefined ? undefined : await readOfficePictures(bytes, session);
  for (const block of pictures?.blocks ?? []) list.add(block);
  rows.push(...(pictures?.rows ?? []));
  return [
    ...(loss === undefined ? [] : [loss]),
    ...(hasTrackedDeletions ? [TRACKED_DELETIONS] : []),
    ...(pictures?.warnings ?? []),
  ];
}

const TRACKED_DELETIONS = {
  code: 'tracked_deletions',
  text: 'This file has tracked deletions that nobody has accepted or refused yet. The deleted text is left out here.',
};

/**
 * The document from a format without fixed pages.
 *
 * @param found its title and rows, and warnings to add after the usual ones
 * @throws UnreadableDocument `no_text` if nothing was read
 */
export function unpagedDocument(
  list: BlockList,
  found: Pick<ExtractedDocument, 'title' | 'rows' | 'warnings'>,
): ExtractedDocument {
  if (list.blocks.length === 0) {
    throw new UnreadableDocument('no_text', 'This document holds no text, so there is nothing to read.');
  }
  return {
    title: found.title,
    pages: undefined,
    blocks: list.blocks,
    rows: found.rows,
    pagesRead: 0,
    pagesSkipped: [],
    warnings: [
      { code: 'no_pages', text: 'This format has no fixed pages: places are shown by paragraph.' },
      ...(list.full
        ? [{ code: 'text_limit', text: 'The document is very long: the end of it was left out.' }]
        : []),
      ...found.warnings,
    ],
  };
}

/** What the walk over the parser's tree has collected. */
interface Gathered {
  readonly list: BlockList;
  readonly rows: Row[];
  /** Number of tables so far. */
  tables: number;
  readonly cells: FileCells;
}

const LEAVES: ReadonlySet<string> = new Set([
  ...['paragraph', 'heading', 'list', 'header', 'footer', 'note', 'code'],
]);

function addNode(node: OfficeContentNode, gathered: Gathered, depth: number): void {
  if (depth > MAX_DEPTH || gathered.list.full) return;
  if (node.type === 'table') addTable(node, gathered, depth);
  else if (node.type === 'sheet') addSheet(node, gathered);
  else if (LEAVES.has(node.type)) addLeaf(node, gathered);
  else for (const child of node.children ?? []) addNode(child, gathered, depth + 1);
}

function addLeaf(node: OfficeContentNode, { list, rows }: Gathered): void {
  const text = cleanText(node.text ?? '');
  const metadata = (node.metadata ?? {}) as { level?: number; style?: string };
  rows.push(...textRows(text));
  if (node.type === 'heading' || /^(title|heading ?\d)$/i.test(metadata.style ?? '')) {
    list.add({ type: 'heading', level: Math.min(6, Math.max(1, metadata.level ?? 1)), text });
  } else if (node.type === 'list' || node.type === 'header' || node.type === 'footer') {
    list.add({ type: node.type, text });
  } else list.add({ type: 'para', text });
  addRemarks(node, list);
}

/** Adds footnotes and comments; the parser attaches them to the text that they belong to. */
function addRemarks(node: OfficeContentNode, list: BlockList): void {
  for (const child of node.children ?? []) {
    for (const { text } of [...(child.notes ?? []), ...(child.comments ?? [])])
      list.add({ type: 'para', text: cleanText(text ?? '') });
  }
}

/** A table is layout if it holds a table, or a cell of more paragraphs than this: its cells are read one by one. */
const CELL_PARAGRAPHS = 4;

function addTable(table: OfficeContentNode, gathered: Gathered, depth: number): void {
  const cells = (table.children ?? []).flatMap((row) => row.children ?? []);
  const laysOut = cells.some(
    ({ children = [] }) =>
      children.length > CELL_PARAGRAPHS || children.some((child) => child.type === 'table'),
  );
  if (laysOut) {
    for (const cell of cells) for (const child of cell.children ?? []) addNode(child, gathered, depth + 1);
  } else addPlainTable(table, gathered);
}

/** Adds a table as one block: a line for each row, two spaces between cells. */
function addPlainTable(table: OfficeContentNode, gathered: Gathered): void {
  const { list, rows } = gathered;
  const lines: string[] = [];
  const placed = new SpannedRows(gathered.tables);
  const known = gathered.cells.of(table, gathered.tables);
  gathered.tables += 1;
  for (const node of table.children ?? []) {
    const row = placed.add((node.children ?? []).map((cell) => spannedCell(cell, known)));
    if (row === undefined) continue;
    lines.push(row.cells.map(({ text }) => text).join('  '));
    rows.push(row);
  }
  list.add({ type: 'table', text: lines.join('\n') });
  for (const row of table.children ?? [])
    for (const cell of row.children ?? []) for (const child of cell.children ?? []) addRemarks(child, list);
}

/** A cell in its own column: sheets leave out empty cells, and a merged cell spans several columns. */
function spannedCell(cell: OfficeContentNode, known: TableCells | undefined): SpannedCell {
  const { row = -1, col, ...own } = (cell.metadata ?? {}) as CellPlace;
  const lines = joinedLines(cellLines(cell).map(cleanText));
  if (known === undefined || col === undefined)
    return { ...lines, column: col, span: own.colSpan, rows: own.rowSpan };
  const reach = known.reachOf(row, col);
  const text = known.shown(row, col, lines.text);
  return { ...lines, text, column: col, span: reach?.colSpan, rows: reach?.rowSpan };
}

/** The place of a cell, as the parser gives it. */
interface CellPlace {
  readonly row?: number;
  readonly col?: number;
  readonly colSpan?: number;
  readonly rowSpan?: number;
}

/** Adds a sheet as a heading with its name, and a table. */
function addSheet(sheet: OfficeContentNode, gathered: Gathered): void {
  const { sheetName = '' } = (sheet.metadata ?? {}) as { sheetName?: string };
  const name = cleanText(sheetName);
  gathered.list.add({ type: 'heading', level: 1, text: name });
  // The name gets a row of its own, so that two sheets are two tables.
  gathered.rows.push(...textRows(name));
  addPlainTable(sheet, gathered);
}

/** The lines of a cell, whose paragraphs the parser joins without a space. */
function cellLines({ text, children = [] }: OfficeContentNode): string[] {
  return children.length === 0 ? [text ?? ''] : children.map((child) => child.text ?? '');
}

/** Turns the library's errors, whose code is in an issue, into ours. */
function asUnreadable(
  error: Error & { officeIssue?: { code: string } },
  password: string | undefined,
): Error {
  const code = error.officeIssue?.code;
  if (code === 'PASSWORD_REQUIRED' || code === 'PASSWORD_INCORRECT')
    return password === undefined ? locked() : new UnreadableDocument('password_required', WRONG_PASSWORD);
  if (code === 'DOCUMENT_DECRYPTION_FAILED') {
    return new UnreadableDocument(
      'unsupported',
      'This document is locked in a way that cannot be opened here. Save a copy without the password and upload it again.',
    );
  }
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

/** The error for an Office file that needs a password. */
export function locked(): UnreadableDocument {
  return new UnreadableDocument(
    'password_required',
    'This document is locked with a password. Type the password on the page of its report, or upload a copy without it.',
  );
}
