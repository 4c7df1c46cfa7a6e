import iconv from 'iconv-lite';
import jschardet from 'jschardet';
import {
  BlockList,
  cleanText,
  type ExtractedDocument,
  READ_LIMITS,
  UnreadableDocument,
} from '../contract/extracted-document.ts';
import { asCells } from '../layout/spanned-cells.ts';
import { type SeparatedValues, separatedValues } from './separated-values.ts';

/** Most bytes that the encoding detector gets (docs/contracts/documents.md §1). */
const DETECT_BYTES = 64 * 1024;
const CONFIDENT = 0.8;
/** Most bytes of a file that are read: more than the text of a report needs in any encoding. */
const MOST_BYTES = 8 * 1024 * 1024;
/** Most table values and lines that are read. */
const MOST_VALUES = 500_000;
const WRAP_COLUMN = 50;

const WESTERN = 'windows-1252';
/** Words in which a letter of another script, or a box-drawing character, stands between Latin letters. */
const MIXED =
  /[A-Za-z][\p{Script=Hebrew}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Arabic}\u2200-\u22ff\u2500-\u259f]+[a-z]|(?<!\p{L})[\u2500-\u259f][a-z]{2}/u;

/** Decodes plain text: byte order mark, strict UTF-8, then the detected encoding. `guess` is set if that is unsure. */
export function decodeText(bytes: Buffer): { text: string; guess: string | undefined } {
  const marked = fromMark(bytes);
  if (marked !== undefined) return { text: marked, guess: undefined };
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), guess: undefined };
  } catch {
    const { encoding, confidence } = jschardet.detect(bytes.subarray(0, DETECT_BYTES));
    const name = encoding !== null && iconv.encodingExists(encoding) ? encoding : WESTERN;
    const sure = encoding === name && confidence >= CONFIDENT;
    const text = iconv.decode(bytes, name);
    // Hebrew or box-drawing characters between Latin letters: a few accents in a short text mean a western encoding.
    if (MIXED.test(text.slice(0, DETECT_BYTES)))
      return { text: iconv.decode(bytes, WESTERN), guess: WESTERN };
    return { text, guess: sure ? undefined : name };
  }
}

function fromMark(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return bytes.toString('utf8', 3);
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return iconv.decode(bytes, 'utf-16le');
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return iconv.decode(bytes, 'utf-16be');
  return undefined;
}

/**
 * Reads plain text, whose paragraphs are separated by empty lines.
 *
 * @throws UnreadableDocument `no_text` for an empty file, `unsupported` for EBCDIC
 */
export function extractText(bytes: Buffer): ExtractedDocument {
  if (isEbcdic(bytes.subarray(0, DETECT_BYTES))) {
    throw new UnreadableDocument(
      'unsupported',
      'This text is written in EBCDIC, the encoding of mainframes, which is not read here. Save it as UTF-8 and upload that.',
    );
  }
  const { text, guess, isWhole } = startOfText(bytes);
  const list = new BlockList();
  const values = separatedValues(text, { rows: READ_LIMITS.rows, values: MOST_VALUES });
  if (values === undefined) addParts(text, list);
  else addValues(values.rows, list);
  if (list.blocks.length === 0) throw nothingIn(isWhole);
  const lines = values ?? linesOf(text);
  const warnings = [
    { code: 'no_pages', text: 'This format has no fixed pages: places are shown by paragraph.' },
  ];
  if (guess !== undefined) {
    warnings.push({
      code: 'encoding_guess',
      text: `The character encoding had to be guessed (${guess}): some letters may be wrong.`,
    });
  }
  if (!isWhole || list.full || !lines.isWhole)
    warnings.push({ code: 'text_limit', text: 'The file is very long: the end of it was left out.' });
  return {
    title: undefined,
    pages: undefined,
    blocks: list.blocks,
    rows: lines.rows
      .map((cells) => ({
        ...{ page: undefined, cells: asCells(cells) },
        ...(values === undefined ? {} : { table: 0 }),
      }))
      .filter(({ cells }) => cells.length > 0),
    pagesRead: 0,
    pagesSkipped: [],
    warnings,
  };
}

/**
 * The text of a file, or the whole lines at its beginning. A report holds no more text, and to decode and clean a large
 * file at once would need more memory than a reader has.
 */
function startOfText(bytes: Buffer): { text: string; guess: string | undefined; isWhole: boolean } {
  const isWhole = bytes.length <= MOST_BYTES;
  const { text: decoded, guess } = decodeText(isWhole ? bytes : bytes.subarray(0, endOfLetter(bytes)));
  const text = cleanText(decoded.replace(/\r\n?/g, '\n'));
  const end = isWhole ? -1 : text.lastIndexOf('\n');
  return { text: end === -1 ? text : text.slice(0, end), guess, isWhole };
}

/** The end of the last whole UTF-8 character before the limit. */
function endOfLetter(bytes: Buffer): number {
  let end = MOST_BYTES;
  while (end > MOST_BYTES - 3 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return end;
}

function nothingIn(isWhole: boolean): UnreadableDocument {
  if (isWhole)
    return new UnreadableDocument('no_text', 'This file holds no text, so there is nothing to read.');
  return new UnreadableDocument(
    'too_large',
    'The beginning of this file holds no text, and it is too long to be read to its end.',
  );
}

/** Each line as a row; tabs and wide gaps separate the cells. */
function linesOf(text: string): SeparatedValues {
  const rows: string[][] = [];
  let values = 0;
  for (const line of text.split('\n', READ_LIMITS.rows + 1)) {
    if (rows.length === READ_LIMITS.rows || values >= MOST_VALUES) return { rows, isWhole: false };
    const row = line.split(/\t+|\s{3,}/, MOST_VALUES);
    values += row.length;
    rows.push(row);
  }
  return { rows, isWhole: true };
}

/**
 * Whether bytes are text from a mainframe (EBCDIC): its space is 0x40, its letters and digits are above 0x80, and hardly
 * any byte is where ASCII has letters or its space. No other encoding has this many bytes 0x40.
 */
function isEbcdic(bytes: Buffer): boolean {
  let [letters, spaces, ascii] = [0, 0, 0];
  for (const byte of bytes) {
    if (byte === 0x40) spaces += 1;
    else if (byte === 0x20 || (byte >= 0x61 && byte <= 0x7a)) ascii += 1;
    else if ((byte >= 0x81 && byte <= 0xa9) || (byte >= 0xc1 && byte <= 0xf9)) letters += 1;
  }
  const { length } = bytes;
  return length > 40 && spaces > length * 0.08 && letters > length * 0.6 && ascii < length * 0.08;
}

/** Most lines of a table in one block, so that people find a place in it at once. */
const BLOCK_LINES = 40;

function addValues(values: readonly (readonly string[])[], list: BlockList): void {
  for (let at = 0; at < values.length && !list.full; at += BLOCK_LINES) {
    const lines = values
      .slice(at, at + BLOCK_LINES)
      .map((row) => row.filter((value) => value !== '').join('  '));
    list.add({ type: 'table', text: lines.join('\n') });
  }
}

function addParts(text: string, list: BlockList): void {
  for (const part of text.split(/\n[^\S\n]*\n+/)) {
    if (list.full) return;
    addPart(part, list);
  }
}

/** "## Fees", as in Markdown. */
const MARKED_HEADING = /^(#{1,6}) +(\S[^\n]{0,200}?)(?: +#+)?(?:\n|$)/;

function addPart(part: string, list: BlockList): void {
  const lines = part.split('\n').map((line) => line.trimEnd());
  const text = part.trim();
  if (text === '') return;
  const marked = MARKED_HEADING.exec(text);
  if (marked !== null) {
    list.add({ type: 'heading', level: marked[1]?.length ?? 1, text: marked[2] ?? text });
    addPart(text.slice(marked[0].length), list);
    return;
  }
  const single = lines.filter((line) => line !== '').length === 1;
  if (single && text.length < 90 && /^(\d+(\.\d+)*\.?\s+)?\p{Lu}/u.test(text) && !/[.,;:?!]$/.test(text)) {
    list.add({ type: 'heading', level: /^[^\p{Ll}]+$/u.test(text) ? 1 : 2, text });
    return;
  }
  if (/\t|\S {3,}\S/.test(part)) list.add({ type: 'table', text: lines.join('\n') });
  else if (/^\s*([-*•]|\d{1,2}[.)])\s/.test(part)) list.add({ type: 'list', text: lines.join('\n') });
  // Hard-wrapped prose is joined; short lines (addresses, verse) keep their breaks.
  else if (lines.slice(0, -1).every((line) => line.length > WRAP_COLUMN))
    list.add({ type: 'para', text: lines.map((line) => line.trim()).join(' ') });
  else list.add({ type: 'para', text: lines.map((line) => line.trim()).join('\n') });
}
