import type { Block, BlockWord, PageOcr } from './report.contract.ts';

/** A printed cell: its text, and its horizontal extent in points (0 if the format has no geometry). */
export interface Cell {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  /** Number of rows that it spans, if a table of the file says that there are several. */
  readonly rows?: number;
  /** Where its second and further lines begin in the text, if it has several. */
  readonly breaks?: readonly number[];
}

/** A printed line, left to right: for fields and tables (docs/contracts/documents.md §2.1). */
export interface Row {
  readonly page: number | undefined;
  readonly cells: readonly Cell[];
  /** Height of its base line above the foot of the page, points; undefined if the format has no geometry. */
  readonly y?: number;
  /** The number of its table in the file; undefined if the format has no tables or the row stands in none. */
  readonly table?: number;
}

/** How a page was read from its picture. */
export type PageFromPicture = PageOcr;

/** The result of an extractor: blocks in reading order for prose, rows for fields. */
export interface ExtractedDocument {
  readonly title: string | undefined;
  /** Undefined if the format has no pages. */
  readonly pages: number | undefined;
  readonly blocks: Block[];
  readonly rows: Row[];
  readonly pagesRead: number;
  readonly pagesSkipped: { page: number; reason: string }[];
  /** Pages without print, from which nothing is missing. */
  readonly pagesBlank?: readonly number[];
  /** Pages that were read from pictures. */
  readonly pagesOcr?: readonly PageFromPicture[];
  readonly warnings: { code: string; text: string }[];
  /** Number of its own blocks, if those of its attachments follow. */
  readonly ownBlocks?: number;
  readonly attachments?: readonly ExtractedAttachment[];
  /** The papers that one picture shows, if there are several. Their blocks and rows are those of the whole document. */
  readonly papers?: readonly ExtractedPaper[];
  /** Text of an e-invoice XML inside the file, if there is one. */
  readonly invoiceXml?: string | undefined;
}

/** A paper that was cut out of a picture. */
export interface ExtractedPaper {
  /** Undefined if it could not be read. */
  readonly document: ExtractedDocument | undefined;
  /** Why it could not be read, as a sentence. */
  readonly reason?: string;
  /** Whether it may hold text of another paper. */
  readonly unsure: boolean;
}

/** A file inside a document. */
export interface ExtractedAttachment {
  readonly name: string;
  /** Its blocks are those of the whole document. Undefined if it could not be read. */
  readonly document: ExtractedDocument | undefined;
  /** Why it could not be read, as a sentence. */
  readonly reason?: string;
}

/** Why a document cannot be read; `sentence` is shown to its owner. */
export class UnreadableDocument extends Error {
  readonly code: UnreadableCode;
  constructor(code: UnreadableCode, sentence: string) {
    super(sentence);
    this.code = code;
  }
}

export const UNREADABLE_CODES = [
  'password_required',
  'corrupt',
  'unsupported',
  'no_text',
  'too_large',
  'xfa',
] as const;
export type UnreadableCode = (typeof UNREADABLE_CODES)[number];

/** For a password that does not open the document. */
export const WRONG_PASSWORD = 'That password does not open this document. Check it and try again.';

/** Limits of docs/contracts/documents.md §8. Characters and UTF-8 bytes of text, pages and blocks. */
export const READ_LIMITS = {
  pages: 500,
  characters: 2_000_000,
  bytes: 3_500_000,
  blocks: 19_000,
  rows: 60_000,
} as const;

/** Makes text fit for a jsonb column: without control characters and lone surrogates, compatibility forms folded. */
export function cleanText(text: string): string {
  return (
    text
      .normalize('NFKC')
      .toWellFormed()
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed.
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\ufeff]/g, '')
      .replace(/[\u202a-\u202e\u2066-\u2069\u200b]/g, '')
  );
}

/** Collects blocks with ids b1, b2 … until a limit is reached. */
export class BlockList {
  readonly blocks: Block[] = [];
  #characters = 0;
  #bytes = 0;
  /** Whether a limit was reached, so that the rest is left out. */
  full = false;

  /** Adds a block of cleaned, trimmed text; empty text adds nothing. */
  add(block: Omit<Block, 'id'>): void {
    const text = block.text.trim();
    if (text === '' || this.full) return;
    for (let at = 0; at < text.length; at += MAX_BLOCK_TEXT) {
      const part = text.slice(at, at + MAX_BLOCK_TEXT).toWellFormed();
      this.#characters += part.length;
      this.#bytes += Buffer.byteLength(part);
      if (
        this.#characters > READ_LIMITS.characters ||
        this.#bytes > READ_LIMITS.bytes ||
        this.blocks.length >= READ_LIMITS.blocks
      ) {
        this.full = true;
        return;
      }
      this.blocks.push({
        ...block,
        ...(block.words === undefined ? {} : { words: wordsWithin(block.words, at, part.length) }),
        id: `b${this.blocks.length + 1}`,
        text: part,
      });
    }
  }
}

const MAX_BLOCK_TEXT = 20_000;

/** The words in a part of a block's text, with their places counted from the beginning of the part. */
function wordsWithin(words: readonly BlockWord[], from: number, length: number): BlockWord[] {
  return words
    .filter(([start, end]) => start >= from && end <= from + length)
    .map(([start, end, ...box]) => [start - from, end - from, ...box]);
}
