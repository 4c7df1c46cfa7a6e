import { z } from 'zod';

/**
 * The report of a document, version `report/1` (docs/contracts/documents.md §8). It is made by the
 * built-in analyser, or sent by an external automation, and shown by the report page.
 * Everything in it is untrusted text: shown as text only, never as markup.
 */

const shortText = z.string().max(2000);

const NO_MOMENT = 'must be a time as 2026-01-31T09:30:00.000Z';
/** More than any program writes. */
const LONGEST_MOMENT = 64;

/** A point in time in UTC, ISO 8601, of the years 1 to 9999: databases and browsers know no other. */
const utcMoment = z.iso
  .datetime({ error: NO_MOMENT })
  .refine((time) => time.length <= LONGEST_MOMENT && !time.startsWith('0000-'), { error: NO_MOMENT });

/** A place in the document: `text.slice(start, end) === quote` holds for the text of block `block`. */
export const citeSchema = z.object({
  block: z.string().max(20),
  /** 1-based; absent where the format has no pages. */
  page: z.number().int().positive().optional(),
  quote: z.string().min(1).max(2000),
  start: z.number().int().nonnegative(),
  end: z.number().int().positive(),
});

const claimSchema = z.object({
  text: shortText,
  cites: z.array(citeSchema).max(20),
  /** Every quote was found in the document. */
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

/** A piece of the document's text, in reading order; kept once per file. */
export const blockSchema = z.object({
  id: z.string().max(20),
  type: z.enum(BLOCK_TYPES),
  level: z.number().int().min(1).max(6).optional(),
  page: z.number().int().positive().optional(),
  text: z.string().max(100_000),
  /** Only where the text was read from a picture. */
  words: z.array(wordSchema).max(20_000).optional(),
});

/** How a page was read from its picture. */
const pageOcrSchema = z.object({
  page: z.number().int().positive(),
  /** `page`: by the reader of pages; `line`: line by line, as receipts are; `both`. */
  reader: z.enum(['page', 'line', 'both']),
  /** How far it lay turned clockwise, degrees. */
  turned: z.union([z.literal(0), z.literal(90), z.literal(180), z.literal(270)]),
  /** Degrees by which its lines fell to the right. */
  skew: z.number().min(-90).max(90),
  /** Of its words, 0 to 100. */
  confidence: z.number().min(0).max(100),
  /** Lines that were seen, and those of them that could not be read. */
  linesSeen: z.number().int().nonnegative(),
  linesUnread: z.number().int().nonnegative(),
  /** Share of the seen text that was read, 0 to 1. */
  coverage: z.number().min(0).max(1),
});

/** Kinds that the classifier knows; `other` when it is not sure. */
export const DOCUMENT_KINDS = [
  'invoice',
  'credit_note',
  'receipt',
  'quotation',
  'purchase_order',
  'bank_statement',
  'lease',
  'contract',
  'terms',
  'policy',
  'letter',
  'minutes',
  'cv',
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
  /** ISO date, decimal amount, compact IBAN … where the type has one. */
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

/** A line of a bill's table. Amounts, prices, quantities and rates are decimals with a point, whatever the page prints. */
const itemSchema = z.object({
  text: shortText,
  quantity: z.string().max(40).optional(),
  /** What is counted, as printed. */
  unit: z.string().max(40).optional(),
  /** Of one. */
  price: z.string().max(40).optional(),
  /** Per cent. */
  taxRate: z.string().max(40).optional(),
  amount: z.string().max(40),
  cites: z.array(citeSchema).max(10),
});

/** The line items of a bill. */
const itemsSchema = z.object({
  /** Where they come from: the page, or the data of the e-invoice. */
  source: z.enum(['text', 'xml']),
  rows: z.array(itemSchema).max(500),
  /** What their amounts add up to. */
  sum: z.string().max(40),
  /** Which of the bill's sums that is; absent where it is none that the bill names. */
  sumIs: z.enum(['net_total', 'total', 'subtotal']).optional(),
});

/** A table of a document, as it is printed. */
const tableSchema = z.object({
  /** Of its first row, 1-based; absent where the format has no pages. */
  page: z.number().int().positive().optional(),
  /** Heads of its columns; empty where it prints none. */
  header: z.array(z.string().max(300)).max(40),
  /** A text for each column; empty where the cell is. */
  rows: z.array(z.array(z.string().max(300)).max(40)).max(500),
  /** Columns, from 0, whose last cell is the sum of all above it. */
  summed: z.array(z.number().int().nonnegative()).max(40),
  /** Rows, from 0, that repeat what those above come to, as at the end of a page; a sum counts none of them. */
  carried: z.array(z.number().int().nonnegative()).max(500).optional(),
  /** Rows that it has and that are not here. */
  leftOut: z.number().int().nonnegative(),
  /** Where its first row stands. */
  cites: z.array(citeSchema).max(10),
});

/** What a document obliges to. */
const obligationSchema = z.object({
  /** `notice_day`: the last day for a notice, reckoned from the end and the period of notice. */
  kind: z.enum(['duty', 'renewal', 'notice_day']),
  /** Who is bound, as the sentence names him; only of a duty. */
  party: z.string().max(200).optional(),
  /** The sentence as it stands; of a `notice_day` one of ours. */
  text: shortText,
  /** The day that it names or that is reckoned. */
  deadline: z.iso.date().optional(),
  cites: z.array(citeSchema).max(10),
});

/** What a document holds of people that is nobody else's business, by class. */
const sensitiveSchema = z.object({
  class: z.enum(['iban', 'card', 'national_id', 'birth_date', 'health']),
  count: z.number().int().positive(),
  /** Where; of very many only the first. Empty where somebody shared the report without them. */
  cites: z.array(citeSchema).max(200),
});

export const reportSchema = z.object({
  schema: z.literal('report/1'),
  /** Epoch-free ISO time of the analysis. */
  createdAt: utcMoment,
  engine: z.object({ name: z.enum(['local', 'external']), version: z.string().max(50) }),
  status: z.enum(['complete', 'partial']),
  document: z.object({
    title: z.string().max(300),
    kind: z.enum(DOCUMENT_KINDS),
    kindConfidence: z.number().min(0).max(1),
    /** ISO 639-1, or null when there is too little text to tell. */
    language: z.string().max(10).nullable(),
    /** Null where the format has no pages. */
    pages: z.number().int().nonnegative().nullable(),
    words: z.number().int().nonnegative(),
    readingMinutes: z.number().int().nonnegative(),
    sha256: z.string().max(64),
  }),
  summary: z.object({ short: z.string().max(20_000), points: z.array(claimSchema).max(20) }),
  attention: z.array(attentionSchema).max(30),
  fields: z.array(fieldSchema).max(200),
  /** Only in bills whose table could be read. */
  items: itemsSchema.optional(),
  /** Tables with figures or days; of a bill whose items were read only those. Absent where there are none. */
  tables: z.array(tableSchema).max(30).optional(),
  /** Tables that it has and that are not here; absent where there are none. */
  tablesLeftOut: z.number().int().positive().optional(),
  /** Only in leases, contracts and terms. */
  obligations: z.array(obligationSchema).max(100).optional(),
  /** Empty where nothing was found; absent in reports from before it was looked for. */
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
  /** An automation's own address for its report: only linked, never fetched. */
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
export type Report = z.output<typeof reportSchema>;
export type DocumentKind = (typeof DOCUMENT_KINDS)[number];

/** Most blocks kept for a document. */
export const MAX_BLOCKS = 20_000;
export const blocksSchema = z.array(blockSchema).max(MAX_BLOCKS);

/** Whether a cite's quote stands where it says, in the text of its block. */
export function citeHolds(cite: Cite, texts: ReadonlyMap<string, string>): boolean {
  return texts.get(cite.block)?.slice(cite.start, cite.end) === cite.quote;
}
