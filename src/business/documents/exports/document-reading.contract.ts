import { DOCUMENT_KINDS } from '@northline/document-reader/report.contract';
import { z } from 'zod';

/** Most documents on a page of `list-documents`. */
export const DOCUMENTS_A_PAGE = 50;
/** Characters from which a page of a document's text ends. */
export const TEXT_A_PAGE = 20_000;

/** The exact words of the document that prove something, with their page where the format has pages. */
const quoteSchema = z.object({ page: z.number().int().nullable(), quote: z.string() });
const claimSchema = z.object({ text: z.string(), quotes: z.array(quoteSchema) });

/** A document of `list-documents`; times are ISO 8601. */
const listedSchema = z.object({
  id: z.string(),
  name: z.string(),
  status: z.enum(['uploaded', 'queued', 'analyzing', 'analyzed', 'failed', 'needs_password']),
  /** 0 to 100; null when nothing is under way. */
  progress: z.number().int().nullable(),
  /** From the report; null before there is one. */
  title: z.string().nullable(),
  kind: z.enum(DOCUMENT_KINDS).nullable(),
  /** What it comes to, in one line. */
  line: z.string().nullable(),
  bytes: z.number(),
  uploaded_at: z.string(),
  /** False for a document that somebody else shows to the team. */
  is_mine: z.boolean(),
});

/** Answer of `list-documents`: newest first; `next` goes into `after`. */
export const documentListSchema = z.object({
  documents: z.array(listedSchema),
  next: z.string().nullable(),
});
export type DocumentList = z.output<typeof documentListSchema>;

/** Answer of `read-document` for the part `report`, with corrected values. */
export const documentReportSchema = z.object({
  id: z.string(),
  name: z.string(),
  title: z.string(),
  kind: z.enum(DOCUMENT_KINDS),
  language: z.string().nullable(),
  pages: z.number().nullable(),
  words: z.number(),
  /** Whether the whole document could be read. */
  status: z.enum(['complete', 'partial']),
  summary: z.string(),
  points: z.array(claimSchema),
  facts: z.array(
    z.object({
      key: z.string(),
      label: z.string(),
      value: z.string(),
      normalized: z.string().nullable(),
      type: z.string(),
      /** 0 to 1. */
      confidence: z.number(),
      /** The analyser's value, which `correct-fact` asks for; it differs from `value` after a correction. */
      original: z.string(),
      quotes: z.array(quoteSchema),
    }),
  ),
  attention: z.array(claimSchema.extend({ severity: z.enum(['info', 'warn', 'high']) })),
  obligations: z.array(
    claimSchema.extend({
      kind: z.enum(['duty', 'renewal', 'notice_day']),
      party: z.string().nullable(),
      deadline: z.string().nullable(),
    }),
  ),
  /** How many tables the part `tables` has, the items of a bill included. */
  tables: z.number().int(),
});
export type DocumentReport = z.output<typeof documentReportSchema>;

/** Answer of `read-document` for the part `text`: the words as they stand there; `next` goes into `after`. */
export const documentTextSchema = z.object({
  id: z.string(),
  name: z.string(),
  blocks: z.array(
    z.object({ id: z.string(), type: z.string(), page: z.number().int().nullable(), text: z.string() }),
  ),
  next: z.number().int().nullable(),
});
export type DocumentText = z.output<typeof documentTextSchema>;

/** Answer of `read-document` for the part `tables`: one table at a time; `next` goes into `after`. */
export const documentTablesSchema = z.object({
  id: z.string(),
  name: z.string(),
  /** Null where the document has no table at this place. */
  table: z
    .object({
      page: z.number().int().nullable(),
      header: z.array(z.string()),
      rows: z.array(z.array(z.string())),
    })
    .nullable(),
  next: z.number().int().nullable(),
});
export type DocumentTables = z.output<typeof documentTablesSchema>;
