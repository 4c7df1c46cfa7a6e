import { z } from 'zod';

/**
 * The report of a document, version `report/1` (docs/contracts/documents.md §8). The built-in analyser or an external
 * automation writes it, and the report page shows it.
 * Everything in it is untrusted text: pages show it as text only, never as markup.
 */

const shortText = z.string().max(2000);

const NO_MOMENT = 'must be a time as 2026-01-31T09:30:00.000Z';
/** More characters than any program writes. */
const LONGEST_MOMENT = 64;

/** A point in time in UTC, ISO 8601, in the years 1 to 9999, which all databases and browsers support. */
const utcMoment = z.iso
  .datetime({ error: NO_MOMENT })
  .refine((time) => time.length <= LONGEST_MOMENT && !time.startsWith('0000-'), { error: NO_MOMENT });

/** A place in the document: `text.slice(start, end) === quote` holds for the text of block `block`. */
export const citeSchema = z.object({
  block: z.string().max(20),
  /** Counted from 1; absent if the format has no pages. */
  page: z.number().int().positive().optional(),
  quote: z.string().min(1).max(2000),
  start: z.number().int().nonnegative(),
  end: z.number().int().positive(),
});

const claimSchema = z.object({
  text: shortText,
  cites: z.array(citeSchema).max(20),
  /** Whether every quote was found in the document. */
  verified: z.boolean(),
});

const BLOCK_TYPES = ['heading', 'para', 'list', 'table', 'caption', 'header', 'footer'] as const;

/**
 * A word that was read from a picture: `[start, end, left, top, width, height, confidence]`. `start` and
 * `end` are its place in the block's text; the box is in ten-thousandths of the page's width and
 * height as the page is shown; confidence is 0 to 100.
 */
const wordSchema = z.tuple([
  z.number().int().nonnegative(),
  z.number().int().positive(),
  z.number().int().min(0).max(10_000),
  z.number().int().min(0).max(10_000),
  z.number().int().min(0).max(10_000),
  z.number().int().min(0).max(10_000),
  z.number().int().min(0).max(100),
]);

/** A heading, paragraph, list or table of the document's text, in reading order; stored once per file. */
export const blockSchema = z.object({
  id: z.string().max(20),
  type: z.enum(BLOCK_TYPES),
  level: z.number().int().min(1).max(6).optional(),
  page: z.number().int().positive().optional(),
  text: z.string().max(100_000),
  /** Only if the text was read from a picture. */
  words: z.array(wordSchema).max(20_000).optional(),
});

/** How a page was read from its picture. */
export const pageOcrSchema = z.object({
  page: z.number().int().positive(),
  /** `page`: the model for pages read it; `line`: the model for lines, as for receipts; `both`. */
  reader: z.enum(['page', 'line', 'both']),
  /** How far the page was turned clockwise, degrees. */
  turned: z.union([z.literal(0), z.literal(90), z.literal(180), z.literal(270)]),
  /** Degrees by which its lines fell to the right before straightening. */
  skew: z.number().min(-90).max(90),
  /** Mean confidence of its words, 0 to 100. */
  confidence: z.number().min(0).max(100),
  /** Lines that were seen, and the number of them that could not be read. */
  linesSeen: z.number().int().nonnegative(),
  linesUnread: z.number().int().nonnegative(),
  /** Share of the seen text that was read, 0 to 1. */
  coverage: z.number().min(0).max(1),
});

/** Kinds that the classifier knows; `other` if it is not sure. */
export const DOCUMENT_KINDS = [
  'invoice',
  'credit_note',
  'receipt',
  'reminder',
  'quotation',
  'purchase_order',
  'delivery_note',
  'statement',
  'bank_statement',
  'cheque',
  'payslip',
  'lease',
  'contract',
  'terms',
  'policy',
  'letter',
  'minutes',
  'cv',
  'certificate',
  'prescription',
  'medical_report',
  'paper',
  'report',
  'manual',
  'form',
  'speech',
  'other',
] as const;

const FIELD_TYPES = [
  'text',
  'date',
  'money',
  'currency',
  'email',
  'phone',
  'iban',
  'party',
  'id',
  'url',
  'duration',
] as const;

const fieldSchema = z.object({
  /** Stable word, e.g. `due_date`; `extra:*` for names that an automation chose. */
  key: z.string().max(100),
  label: z.string().max(200),
  /** As printed in the document. */
  value: shortText,
  /** ISO date, decimal amount, compact IBAN …, if the type has such a form. */
  normalized: z.string().max(200).optional(),
  type: z.enum(FIELD_TYPES),
  /** 0 to 1. */
  confidence: z.number().min(0).max(1),
  /** `model`: a language model found it, in words that stand in the text. */
  source: z.enum(['text', 'xml', 'external', 'model']),
  cites: z.array(citeSchema).max(10),
});

const attentionSchema = z.object({
  code: z.string().max(50),
  severity: z.enum(['info', 'warn', 'high']),
  text: shortText,
  cites: z.array(citeSchema).max(10),
});

/** An item of a bill. Amounts, prices, quantities and rates are decimals with a point, however the page prints them. */
const itemSchema = z.object({
  text: shortText,
  quantity: z.string().max(40).optional(),
  /** The unit of the quantity, as printed. */
  unit: z.string().max(40).optional(),
  /** Price of one unit. */
  price: z.string().max(40).optional(),
  /** The printed discount that makes the amount less than quantity times price, per cent. */
  discount: z.string().max(40).optional(),
  /** Per cent. */
  taxRate: z.string().max(40).optional(),
  amount: z.string().max(40),
  cites: z.array(citeSchema).max(10),
});

/** The line items of a bill. */
const itemsSchema = z.object({
  /** Whether they come from the page or from the data of the e-invoice. */
  source: z.enum(['text', 'xml']),
  rows: z.array(itemSchema).max(500),
  /** Sum of their amounts. */
  sum: z.string().max(40),
  /** The sum of the bill that this equals; absent if it equals none of them. */
  sumIs: z.enum(['net_total', 'total', 'subtotal']).optional(),
});

/** A table of a document, as it is printed. */
const tableSchema = z.object({
  /** Page of its first row, counted from 1; absent if the format has no pages. */
  page: z.number().int().positive().optional(),
  /** Heads of its columns; empty if it prints none. */
  header: z.array(z.string().max(300)).max(40),
  /** A text for each column; empty for an empty cell. */
  rows: z.array(z.array(z.string().max(300)).max(40)).max(500),
  /** Columns, from 0, whose last cell is the sum of all cells above it. */
  summed: z.array(z.number().int().nonnegative()).max(40),
  /** Rows, from 0, that repeat a sum of the rows above, as at the end of a page; sums leave them out. */
  carried: z.array(z.number().int().nonnegative()).max(500).optional(),
  /** Number of rows that the table has beyond the ones here. */
  leftOut: z.number().int().nonnegative(),
  /** The place of its first row. */
  cites: z.array(citeSchema).max(10),
});

/** A duty that a document sets, a renewal, or a last day for notice. */
const obligationSchema = z.object({
  /** `notice_day`: the last day for a notice, calculated from the end and the period of notice. */
  kind: z.enum(['duty', 'renewal', 'notice_day']),
  /** The party that has the duty, as the sentence names it; only for `duty`. */
  party: z.string().max(200).optional(),
  /** The sentence from the document; for a `notice_day`, a sentence of ours. */
  text: shortText,
  /** The day that the sentence names, or that we calculated. */
  deadline: z.iso.date().optional(),
  cites: z.array(citeSchema).max(10),
});

/** Sensitive data about people in a document, by class. */
const sensitiveSchema = z.object({
  class: z.enum(['iban', 'card', 'national_id', 'birth_date', 'health']),
  count: z.number().int().positive(),
  /** The places; at most 200. Empty if the report was shared without them. */
  cites: z.array(citeSchema).max(200),
});

/** A document inside the file: an attachment of a mail, or one of several papers that were scanned in one go or lie in one picture. */
const partSchema = z.object({
  /** The attachment's file name; `Pages 3 to 4`; `Paper 2`. */
  name: z.string().max(300),
  /** Its first and last page, for papers in one file. */
  pages: z.object({ from: z.number().int().positive(), to: z.number().int().positive() }).optional(),
  /** Why it could not be read, as a sentence. */
  reason: shortText.optional(),
  /** Whether it is uncertain that it begins here. */
  unsure: z.literal(true).optional(),
  /** Absent if it could not be read. */
  document: z
    .object({
      title: z.string().max(300),
      kind: z.enum(DOCUMENT_KINDS),
      kindConfidence: z.number().min(0).max(1),
      language: z.string().max(10).nullable(),
      words: z.number().int().nonnegative(),
    })
    .optional(),
  short: z.string().max(20_000),
  attention: z.array(attentionSchema).max(30),
  fields: z.array(fieldSchema).max(200),
  items: itemsSchema.optional(),
});

/** Most documents in one file. */
export const MOST_PARTS = 100;

export const reportSchema = z.object({
  schema: z.literal('report/1'),
  /** Time of the analysis, ISO 8601. */
  createdAt: utcMoment,
  engine: z.object({ name: z.enum(['local', 'external']), version: z.string().max(50) }),
  status: z.enum(['complete', 'partial']),
  document: z.object({
    title: z.string().max(300),
    kind: z.enum(DOCUMENT_KINDS),
    kindConfidence: z.number().min(0).max(1),
    /** ISO 639-1, or null if there is too little text to recognise the language. */
    language: z.string().max(10).nullable(),
    /** Null if the format has no pages. */
    pages: z.number().int().nonnegative().nullable(),
    words: z.number().int().nonnegative(),
    readingMinutes: z.number().int().nonnegative(),
    sha256: z.string().max(64),
  }),
  summary: z.object({ short: z.string().max(20_000), points: z.array(claimSchema).max(20) }),
  attention: z.array(attentionSchema).max(30),
  fields: z.array(fieldSchema).max(200),
  /** Only for bills whose table could be read. */
  items: itemsSchema.optional(),
  /** Tables with figures or days, without the table of items. Absent if there are none. */
  tables: z.array(tableSchema).max(30).optional(),
  /** Number of tables that the document has beyond these; absent if there are none. */
  tablesLeftOut: z.number().int().positive().optional(),
  /** Only for leases, contracts and terms. */
  obligations: z.array(obligationSchema).max(100).optional(),
  /** Documents inside the file, each with facts of its own. Absent if there are none. */
  parts: z.array(partSchema).max(MOST_PARTS).optional(),
  /** The owner of the file said on which pages its documents begin. */
  split: z.literal('corrected').optional(),
  /** Empty if nothing was found; absent in reports that were written before the analyser looked for it. */
  pii: z.array(sensitiveSchema).max(10).optional(),
  outline: z
    .array(z.object({ level: z.number().int().min(1).max(6), text: shortText, cite: citeSchema }))
    .max(300),
  phrases: z.array(z.object({ text: z.string().max(200), count: z.number().int().positive() })).max(50),
  coverage: z.object({
    pagesRead: z.number().int().nonnegative(),
    pagesSkipped: z
      .array(z.object({ page: z.number().int().positive(), reason: z.string().max(200) }))
      .max(2000),
    /** Pages without print. */
    pagesBlank: z.array(z.number().int().positive()).max(2000).optional(),
    /** Pages that were read from pictures. */
    pagesOcr: z.array(pageOcrSchema).max(2000).optional(),
  }),
  warnings: z.array(z.object({ code: z.string().max(50), text: shortText })).max(50),
  /** The address of an automation's own report; pages link to it, and the server never fetches it. */
  reportUrl: z
    .url({ protocol: /^https?$/ })
    .max(2000)
    .optional(),
  /** Milliseconds by phase. */
  timings: z.record(z.string().max(30), z.number().nonnegative()),
});

export type Cite = z.output<typeof citeSchema>;
export type Claim = z.output<typeof claimSchema>;
export type Block = z.output<typeof blockSchema>;
export type BlockWord = z.output<typeof wordSchema>;
export type PageOcr = z.output<typeof pageOcrSchema>;
export type Field = z.output<typeof fieldSchema>;
export type Attention = z.output<typeof attentionSchema>;
export type Item = z.output<typeof itemSchema>;
export type Table = z.output<typeof tableSchema>;
export type Obligation = z.output<typeof obligationSchema>;
export type SensitiveData = z.output<typeof sensitiveSchema>;
export type Items = z.output<typeof itemsSchema>;
export type ReportPart = z.output<typeof partSchema>;
export type Report = z.output<typeof reportSchema>;
export type DocumentKind = (typeof DOCUMENT_KINDS)[number];

/** Most blocks kept for a document. */
export const MAX_BLOCKS = 20_000;
export const blocksSchema = z.array(blockSchema).max(MAX_BLOCKS);

/** Whether a citation's quote stands at its place in its block. */
export function citeHolds(cite: Cite, texts: ReadonlyMap<string, string>): boolean {
  return texts.get(cite.block)?.slice(cite.start, cite.end) === cite.quote;
}
