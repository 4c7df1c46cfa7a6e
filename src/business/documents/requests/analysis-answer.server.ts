import { blocksSchema, reportSchema } from '@northline/document-reader/report.contract';
import { z } from 'zod';

const MAX_MARKDOWN = 500_000;

/**
 * The body of a call-back (docs/contracts/documents.md §7.2). The shortest one, for no-code automations, is
 * `{"status":"completed","summary":"…"}`. HTML is refused; `markdown` is accepted.
 */
export const answerSchema = z.discriminatedUnion('status', [
  z.object({
    status: z.literal('progress'),
    /** Per cent. */
    progress: z.number().min(0).max(100),
  }),
  z
    .object({
      status: z.literal('completed'),
      summary: z.string().trim().min(1).max(20_000).optional(),
      markdown: z.string().trim().min(1).max(MAX_MARKDOWN).optional(),
      html: z.undefined({ error: 'HTML is not accepted: send markdown' }).optional(),
      fields: z
        .record(z.string().min(1).max(90), z.union([z.string().max(2000), z.number(), z.boolean()]))
        .optional(),
      report: reportSchema.optional(),
      report_url: z
        .url({ protocol: /^https?$/ })
        .max(2000)
        .optional(),
      /** Only from the built-in analyser: the text that its report cites. */
      blocks: blocksSchema.optional(),
    })
    .refine(
      (answer) => answer.summary ?? answer.markdown ?? answer.report ?? answer.report_url ?? answer.fields,
      {
        error: 'needs summary, markdown, fields, report or report_url',
        path: ['summary'],
      },
    ),
  z.object({
    status: z.literal('failed'),
    error: z
      .object({ code: z.string().max(50).optional(), message: z.string().trim().max(500).optional() })
      .optional(),
  }),
]);

export type Answer = z.output<typeof answerSchema>;
export type CompletedAnswer = Extract<Answer, { status: 'completed' }>;
