import { KIND_NAMES } from '../contract/kind-names.contract.ts';
import type { Claim, DocumentKind, Field, Table } from '../contract/report.contract.ts';
import { readableDay } from '../values/dates.ts';

/** Names of bills, for titles and summaries. */
export const BILL_NAMES: Partial<Record<DocumentKind, string>> = {
  invoice: 'Invoice',
  credit_note: 'Credit note',
  quotation: 'Quotation',
  purchase_order: 'Purchase order',
  receipt: 'Receipt',
  reminder: 'Reminder',
  delivery_note: 'Delivery note',
  statement: 'Statement of account',
};

/** What a short summary is made from. */
interface Summed {
  readonly kind: DocumentKind;
  readonly title: string;
  readonly fields: readonly Field[];
  readonly points: readonly Claim[];
  readonly pages: number | undefined;
  readonly words: number;
  /** Headings of the document, with their levels. */
  readonly outline: readonly { readonly level: number; readonly text: string }[];
  readonly tables: readonly Table[];
}

/** From this many words on, the summary of a text with several parts names the parts. */
const LONG_TEXT = 1500;
const LEAST_PARTS = 3;
const MOST_PARTS = 8;
const LONGEST_PART = 70;

/**
 * A summary in a sentence or two: the sums of a bill, the terms of a lease, the chapters of a long text, the columns of
 * tables, or else the two sentences that say most.
 */
export function shortSummary(summed: Summed): string {
  const { kind, title, fields, points } = summed;
  const bill = BILL_NAMES[kind];
  const fixed =
    bill !== undefined
      ? billSummary(kind, bill, fields)
      : kind === 'lease'
        ? leaseSummary(fields)
        : partsSummary(summed);
  const sentences = points.slice(0, 2).map(({ text }) => text);
  return fixed ?? (sentences.join(' ') || tablesSummary(summed) || titleSummary(kind, title, fields));
}

/** "Manual of 38 pages in 5 parts: How to use bzip2; Programming with libbzip2 …": what a long text holds. */
function partsSummary({ kind, title, points, pages, words, outline }: Summed): string | undefined {
  if (words < LONG_TEXT || ARGUED.has(kind)) return undefined;
  const parts = partsOf(outline.filter(({ text }) => text !== title && !NO_PART.test(text)));
  if (parts.length < LEAST_PARTS) return undefined;
  const size = pages === undefined || pages < 2 ? undefined : `of ${pages} pages`;
  const named = parts.slice(0, MOST_PARTS).map((text) => shortened(text));
  const more = parts.length > MOST_PARTS ? `; and ${parts.length - MOST_PARTS} more` : '';
  const what = joinWords(kind === 'other' ? 'Text' : KIND_NAMES[kind], `“${shortened(title)}”`, size);
  return joinWords(`${what} in ${parts.length} parts: ${named.join('; ')}${more}.`, points[0]?.text);
}

/** Kinds whose best sentences say more than their parts. */
const ARGUED: ReadonlySet<DocumentKind> = new Set(['paper', 'speech', 'letter', 'minutes', 'cv']);
/** "1 Introduction", "Chapter 2: Options"; not "2.1 Options". */
const CHAPTER =
  /^(?:(?:chapter|kapitel|chapitre|cap[ií]tulo|capitolo|hoofdstuk|part|teil|partie) )?(?:\d{1,2}|[IVX]{1,5})[.:)]?\s+\p{L}/iu;
/** Authors, addresses and other lines that are printed large too. */
const NO_PART = /[@∗*#†]|https?:|www\./;

/** The numbered chapters, or else the headings of the largest level that has several. */
function partsOf(outline: Summed['outline']): string[] {
  const chapters = outline.map(({ text }) => text).filter((text) => CHAPTER.test(text));
  if (chapters.length >= LEAST_PARTS) return chapters;
  const levels = [...new Set(outline.map(({ level }) => level))].sort((a, b) => a - b);
  for (const level of levels) {
    const parts = outline.filter((heading) => heading.level === level).map(({ text }) => text);
    if (parts.length >= LEAST_PARTS) return parts;
  }
  return [];
}

function shortened(text: string): string {
  const plain = text.replace(/\s+/g, ' ').replace(/(?:\.{2,}|…|\s{2,})[.…\s]*\d*$/, '');
  return plain.length <= LONGEST_PART ? plain : `${plain.slice(0, LONGEST_PART - 1).trimEnd()}…`;
}

const MOST_TABLES = 4;
const MOST_HEADS = 8;

/** "2 tables: Month, Rent, Food (12 rows); Name, Start (4 rows)." */
function tablesSummary({ tables, outline }: Summed): string | undefined {
  if (tables.length === 0) return undefined;
  // The sheets of a workbook have their names as headings, one for each table.
  const names = outline.length === tables.length ? outline : [];
  const told = tables.slice(0, MOST_TABLES).map(({ header, rows, leftOut }, index) => {
    const heads = header.filter((head) => head !== '').slice(0, MOST_HEADS);
    const count = rows.length + leftOut;
    const what = `${heads.length === 0 ? 'columns without names' : heads.join(', ')} (${count} ${count === 1 ? 'row' : 'rows'})`;
    const name = names[index]?.text;
    return name === undefined ? what : `${shortened(name)}: ${what}`;
  });
  const more = tables.length > MOST_TABLES ? `; and ${tables.length - MOST_TABLES} more` : '';
  return `${tables.length === 1 ? 'Table' : `${tables.length} tables`}: ${told.join('; ')}${more}.`;
}

/** "Certificate of 4 May 2026: Teilnahmebescheinigung". */
function titleSummary(kind: DocumentKind, title: string, fields: readonly Field[]): string {
  if (kind === 'other') return title;
  const head = joinWords(KIND_NAMES[kind], after('of', dayFor(fields, 'issue_date')));
  return title === KIND_NAMES[kind] ? `${head}.` : `${head}: ${title}`;
}

function billSummary(kind: DocumentKind, name: string, fields: readonly Field[]): string | undefined {
  const total = valueFor(fields, 'total');
  if (total === undefined) return undefined;
  // The buyer sends an order to the supplier.
  const parties = [valueFor(fields, 'supplier'), valueFor(fields, 'customer')];
  const [from, to] = kind === 'purchase_order' ? parties.reverse() : parties;
  const head = joinWords(
    name,
    valueFor(fields, 'document_number'),
    after('from', from),
    after('to', to),
    after('of', dayFor(fields, 'issue_date')),
  );
  const day = dayFor(fields, 'due_date');
  const left = valueFor(fields, 'amount_due');
  return left === undefined
    ? `${head}: ${joinWords(total, after('due by', day))}.`
    : `${head}: ${total}; ${joinWords(left, 'is left to pay', after('by', day))}.`;
}

function leaseSummary(fields: readonly Field[]): string | undefined {
  const landlord = valueFor(fields, 'landlord');
  const rent = valueFor(fields, 'rent');
  if (landlord === undefined && rent === undefined) return undefined;
  const head = joinWords(
    'Lease',
    after('between', landlord),
    landlord && after('and', valueFor(fields, 'tenant')),
    after('from', dayFor(fields, 'start_date')),
    after('to', dayFor(fields, 'end_date')),
  );
  return `${head}${after('; rent', rent) ?? ''}${after(', deposit', valueFor(fields, 'deposit')) ?? ''}.`;
}

/** The value of the first field with this key. */
export function valueFor(fields: readonly Field[], key: string): string | undefined {
  return fields.find((field) => field.key === key)?.value;
}

function dayFor(fields: readonly Field[], key: string): string | undefined {
  const iso = fields.find((field) => field.key === key && field.type === 'date')?.normalized;
  return iso === undefined ? undefined : readableDay(iso);
}

/** The words followed by the value, or undefined without a value. */
export function after(words: string, value: string | undefined): string | undefined {
  return value === undefined ? undefined : `${words} ${value}`;
}

/** The parts that are there, with spaces between. */
export function joinWords(...parts: (string | undefined)[]): string {
  return parts.filter(Boolean).join(' ');
}
