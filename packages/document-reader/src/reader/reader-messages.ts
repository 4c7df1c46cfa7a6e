import { z } from 'zod';
import { UNREADABLE_CODES } from '../contract/extracted-document.ts';
import { blocksSchema, reportSchema } from '../contract/report.contract.ts';

/** The request to the reader's process, which gets it as JSON in its only argument. */
export const readerRequestSchema = z.object({
  fileName: z.string(),
  createdAt: z.iso.datetime(),
  /** Most pages that are read from pictures. */
  ocrPages: z.number().int().min(0).max(500),
});

/** Longest password of a document, characters. */
export const LONGEST_PASSWORD = 500;

/** File descriptor for progress: the process writes a line of JSON for each page that it reads from a picture. */
export const PROGRESS_PIPE = 3;

/** A line of progress, which is untrusted too. */
export const readerProgressSchema = z.object({
  done: z.number().int().nonnegative(),
  of: z.number().int().positive().max(500),
});

/** File descriptor of the document, open for reading. */
export const DOCUMENT_DESCRIPTOR = 4;

export type ReaderProgress = z.output<typeof readerProgressSchema>;

/** The reply of the process. It is untrusted, as the document may have taken the process over. */
export const readerReplySchema = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('read'), report: reportSchema, blocks: blocksSchema }),
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
