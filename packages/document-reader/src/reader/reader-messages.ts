import { z } from 'zod';
import { UNREADABLE_CODES } from '../contract/extracted-document.ts';
import { blocksSchema, reportSchema } from '../contract/report.contract.ts';

/** What the reader's process is asked to read, as its one argument in JSON. */
export const readerRequestSchema = z.object({
  fileName: z.string(),
  createdAt: z.iso.datetime(),
  /** Most pages that are read from pictures. */
  ocrPages: z.number().int().min(0).max(500),
});

/** Most characters of a document's password. */
export const LONGEST_PASSWORD = 500;

/** File descriptor on which the process says, a line of JSON a page, how far it is with pages from pictures. */
export const PROGRESS_PIPE = 3;

/** A line on it: untrusted too. */
export const readerProgressSchema = z.object({
  done: z.number().int().nonnegative(),
  of: z.number().int().positive().max(500),
});

/** File descriptor of the document, open for reading. */
export const DOCUMENT_DESCRIPTOR = 4;

export type ReaderProgress = z.output<typeof readerProgressSchema>;

/** What it prints: untrusted, as the document may have taken the process over. */
export const readerReplySchema = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('read'), report: reportSchema, blocks: blocksSchema }),
  z.object({
    outcome: z.literal('unreadable'),
    code: z.enum(UNREADABLE_CODES),
    sentence: z.string().max(500),
  }),
]);

export type ReaderRequest = z.output<typeof readerRequestSchema> & {
  /** Of the document. The process gets it opened, and no path at all. */
  readonly path: string;
  /** Opens the document. It goes to the process through its standard input: its arguments are seen by every account. */
  readonly password?: string | undefined;
};
export type ReaderReply = z.output<typeof readerReplySchema>;
/** What a reading came to. `readerEnded`: the document ended the process, by its time, its memory, its reply or a crash. */
export type ReadingReply = ReaderReply & { readonly readerEnded?: true };

/**
 * Why there is no report, by its code and in a sentence. A reader that crashed may have been the machine's fault: it is no
 * word on the file.
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
