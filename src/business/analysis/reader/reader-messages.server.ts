import { z } from 'zod';
import { UNREADABLE_CODES } from './extracted-document.server.ts';
import { blocksSchema, reportSchema } from './report.contract.ts';

/** What the reader's process is asked to read, as its one argument in JSON. */
export const readerRequestSchema = z.object({
  path: z.string(),
  fileName: z.string(),
  createdAt: z.iso.datetime(),
});

/** What it prints: untrusted, as the document may have taken the process over. */
export const readerReplySchema = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('read'), report: reportSchema, blocks: blocksSchema }),
  z.object({
    outcome: z.literal('unreadable'),
    code: z.enum(UNREADABLE_CODES),
    sentence: z.string().max(500),
  }),
]);

export type ReaderRequest = z.output<typeof readerRequestSchema>;
export type ReaderReply = z.output<typeof readerReplySchema>;
