import { z } from 'zod';
import { cleanText, type Row, UNREADABLE_CODES } from '../contract/extracted-document.ts';
import { blocksSchema, MOST_PARTS, pageOcrSchema, reportSchema } from '../contract/report.contract.ts';

/** Most lines and characters of a document that are stored for fields, and the longest cell. */
const STORED_ROWS = 4000;
const STORED_CHARACTERS = 500_000;
const LONGEST_CELL = 500;

/** Longest password of a document, characters. */
export const LONGEST_PASSWORD = 500;

/** The request to the reader's process, which gets it as JSON in its only argument. */
export const readerRequestSchema = z.object({
  fileName: z.string(),
  createdAt: z.iso.datetime(),
  /** Most pages that are read from pictures. */
  ocrPages: z.number().int().min(0).max(500),
  /** The pages on which a document begins, if the owner said so. */
  begins: z.array(z.number().int().positive()).min(1).max(MOST_PARTS).optional(),
});

/** A page that was read from its picture, kept so that another reading of the document can go on after it. */
export const keptPageSchema = z.object({
  page: z.number().int().min(1).max(500),
  /** JSON of the page's outcome, which only the reader understands. */
  outcome: z.string().max(2_000_000),
});
export type KeptPage = z.output<typeof keptPageSchema>;

/** What the process gets on its standard input: here neither other accounts nor a limit of length matter. */
export const readerInputSchema = z.object({
  password: z.string().max(LONGEST_PASSWORD).optional(),
  pages: z.array(keptPageSchema).max(500),
});

/** What the writer of searchable PDFs gets on its standard input. */
export const readScanSchema = z.object({
  blocks: blocksSchema.element.pick({ page: true, text: true, words: true }).array(),
  pagesOcr: z.array(pageOcrSchema.pick({ page: true, turned: true, skew: true })),
});

/** The first line of its output, which is untrusted too; after `written` follows the PDF. */
export const writtenPdfSchema = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('written') }),
  z.object({
    outcome: z.literal('unreadable'),
    code: z.enum(UNREADABLE_CODES),
    sentence: z.string().max(500),
  }),
]);
export type WrittenPdf = z.output<typeof writtenPdfSchema>;

/**
 * File descriptor for progress: the process writes a line of JSON before and after each page that it reads from a
 * picture.
 */
export const PROGRESS_PIPE = 3;

/** A line of progress, which is untrusted too. */
export const readerProgressSchema = z.object({
  done: z.number().int().nonnegative(),
  of: z.number().int().positive().max(500),
});

/** File descriptor of the document, open for reading. */
export const DOCUMENT_DESCRIPTOR = 4;

export type ReaderProgress = z.output<typeof readerProgressSchema>;

/** A printed line: its page, the height of its base line above the foot, and its cells as left edge, right edge and text. */
const storedRowSchema = z.tuple([
  z.number().int().positive().nullable(),
  z.number().nullable(),
  z.array(z.tuple([z.number(), z.number(), z.string().max(LONGEST_CELL)])).max(500),
]);

/** The printed lines at the beginning of a document, as they are stored to read fields from them later. */
export const storedRowsSchema = z.array(storedRowSchema).max(STORED_ROWS);
export type StoredRows = z.output<typeof storedRowsSchema>;

/** The lines of a document as they are stored: as many as there is space for. */
export function rowsToStore(rows: readonly Row[]): StoredRows {
  const stored: StoredRows = [];
  let characters = 0;
  for (const { page, y, cells } of rows) {
    characters += cells.reduce((sum, { text }) => sum + text.length, 0);
    if (stored.length >= STORED_ROWS || characters > STORED_CHARACTERS) break;
    stored.push([
      page ?? null,
      y === undefined ? null : tenth(y),
      cells
        .slice(0, 500)
        .map(({ left, right, text }) => [
          tenth(left),
          tenth(right),
          cleanText(text).slice(0, LONGEST_CELL).toWellFormed(),
        ]),
    ]);
  }
  return stored;
}

const tenth = (points: number): number => Math.round(points * 10) / 10;

/** The stored lines as rows. */
export function storedAsRows(stored: StoredRows): Row[] {
  return stored.map(([page, y, cells]) => ({
    page: page ?? undefined,
    ...(y === null ? {} : { y }),
    cells: cells.map(([left, right, text]) => ({ left, right, text })),
  }));
}

/** The reply of the process. It is untrusted, as the document may have taken the process over. */
export const readerReplySchema = z.discriminatedUnion('outcome', [
  z.object({
    outcome: z.literal('read'),
    report: reportSchema,
    blocks: blocksSchema,
    rows: storedRowsSchema,
  }),
  z.object({
    outcome: z.literal('unreadable'),
    code: z.enum(UNREADABLE_CODES),
    sentence: z.string().max(500),
  }),
]);

export type ReaderRequest = z.output<typeof readerRequestSchema> & {
  /** Path of the document. The process gets the open file, never the path. */
  readonly path: string;
  /** The document's password. The process gets it on its standard input, as every account can see arguments. */
  readonly password?: string | undefined;
  /** Pages that an earlier reading of the same document read from their pictures. */
  readonly pages?: readonly KeptPage[] | undefined;
};
export type ReaderReply = z.output<typeof readerReplySchema>;
/** The result of a reading. `readerEnded`: the document ended the process, by its time, memory, reply or a crash. */
export type ReadingReply = ReaderReply & { readonly readerEnded?: true };

/**
 * Why there is no report, as a code and a sentence. A crash may have been the machine's fault, so it says nothing certain
 * about the file.
 */
export function failureOf({
  code,
  sentence,
  readerEnded,
}: Extract<ReadingReply, { outcome: 'unreadable' }>): {
  readonly code: string;
  readonly sentence: string;
} {
  return { code: readerEnded === true && code === 'corrupt' ? 'reader_crashed' : code, sentence };
}
