import { BILLS } from '../bills/bill-fields.ts';
import { billEvidence, kindOfTypeCode } from '../bills/bill-kind.ts';
import { findSeveralBills } from '../bills/several-bills.ts';
import { type Citer, createCiter } from '../contract/citation.ts';
import type { ExtractedAttachment, ExtractedDocument, Row } from '../contract/extracted-document.ts';
import type {
  Attention,
  Block,
  Claim,
  DocumentKind,
  Field,
  Report,
  ReportPart,
} from '../contract/report.contract.ts';
import { findAttention } from '../facts/attention-finding.ts';
import { findFacts, isDayFirst } from '../facts/fact-finding.ts';
import { findObligations } from '../facts/obligation-finding.ts';
import { findSensitive } from '../facts/sensitive-data.ts';
import { readInvoiceXml } from '../formats/invoice-xml.ts';
import { findItems } from '../items/bill-items.ts';
import { isPartlyRead } from '../ocr/ocr-session.ts';
import { type FoundTables, findTables } from '../tables/table-finding.ts';
import { findDate, readableDay } from '../values/dates.ts';
import { countWords, keyPhrases } from './content-words.ts';
import { classifyKind } from './kind-classification.ts';
import { detectLanguage } from './language-detection.ts';
import { documentOfPages, doubts, pagesName, partsOfFile, reportOfStack } from './stack-report.ts';
import { keySentences } from './summary.ts';

/** Facts about the file that do not come from its content. */
export interface FileFacts {
  readonly fileName: string;
  readonly sha256: string;
  /** ISO time; given, so that one analysis always writes the same report. */
  readonly createdAt: string;
}

/** Name and version of the built-in analyser, for every report. */
export const LOCAL_ENGINE = { name: 'local', version: '1' } as const;

const NO_TABLES: FoundTables = { tables: [], leftOut: 0 };

const WORDS_PER_MINUTE = 230;
const MAX_OUTLINE = 100;

/**
 * Writes the report of an extracted document. Every quote in it is in the document. If the file holds several documents, each
 * is a part with facts of its own.
 */
export function buildReport(document: ExtractedDocument, file: FileFacts): Report {
  const stack = partsOfFile(document);
  const whole = reportOfOne(document, file, doubts(stack));
  if (stack.length < 2) return whole;
  const parts = stack.map((each): ReportPart => {
    const { from, to, isSure } = each;
    const name = pagesName(each);
    const own = reportOfOne(documentOfPages(document, each), { ...file, fileName: name });
    return { ...partOf(own, name), pages: { from, to }, ...(isSure ? {} : { unsure: true }) };
  });
  return reportOfStack(whole, stack, parts);
}

/** The report of a file as one document, with the notices of the stack that was looked for in it. */
function reportOfOne(
  document: ExtractedDocument,
  file: FileFacts,
  notices: readonly Attention[] = [],
): Report {
  const started = performance.now();
  const blocks = document.blocks.slice(0, document.ownBlocks);
  const text = blocks.map((block) => block.text).join('\n');
  const language = detectLanguage(text) ?? null;
  const citer = createCiter(blocks);
  const title = titleOf(document, file.fileName);
  const { kind, confidence } = kindOf(document, title, text);
  const { invoiceXml } = document;
  const dayFirst = isDayFirst(text, language);
  const several =
    invoiceXml === undefined ? findSeveralBills(document.rows, { kind, dayFirst }, citer) : undefined;
  const rows = several?.rows ?? document.rows;
  const { fields, attention } = findFacts({ blocks, rows, invoiceXml }, kind, language, citer);
  const bill = findItems({ rows, invoiceXml, kind, fields }, citer);
  // A bill's table is in the report as its items.
  const { tables, leftOut } = bill.items === undefined ? tablesOf(document.rows, kind, citer) : NO_TABLES;
  const obligations = findObligations({ blocks, kind, fields }, { citer, language, dayFirst });
  const points = keySentences(blocks, citer, language);
  const words = countWords(text);
  const unread = document.pagesSkipped;
  return {
    schema: 'report/1',
    createdAt: file.createdAt,
    engine: LOCAL_ENGINE,
    status: isPartial(document) ? 'partial' : 'complete',
    document: {
      title: titleOfBill(kind, fields) ?? title,
      kind,
      kindConfidence: confidence,
      language,
      pages: document.pages ?? null,
      words,
      readingMinutes: words === 0 ? 0 : Math.max(1, Math.round(words / WORDS_PER_MINUTE)),
      sha256: file.sha256,
    },
    summary: { short: shortSummary(kind, fields, points, title), points },
    attention: [
      ...(several === undefined ? [] : [several.attention]),
      ...[...attention, ...bill.attention, ...findAttention(blocks, fields, unread, citer), ...notices],
    ].slice(0, 30),
    fields: fields.slice(0, 200),
    ...(bill.items === undefined ? {} : { items: bill.items }),
    ...(tables.length === 0 ? {} : { tables }),
    ...(leftOut === 0 ? {} : { tablesLeftOut: leftOut }),
    ...(obligations.length === 0 ? {} : { obligations }),
    ...attachedParts(document, file),
    pii: findSensitive(document.blocks, kind, createCiter(document.blocks)),
    outline: outlineOf(blocks, kind).map((block) => ({
      level: block.level ?? 1,
      text: block.text.slice(0, 300),
      cite: citer.at(block, 0, block.text.length),
    })),
    phrases: keyPhrases(blocks),
    coverage: {
      pagesRead: document.pagesRead,
      pagesSkipped: unread.slice(0, 2000),
      ...(document.pagesBlank === undefined ? {} : { pagesBlank: document.pagesBlank.slice(0, 2000) }),
      ...(document.pagesOcr === undefined ? {} : { pagesOcr: [...document.pagesOcr] }),
    },
    warnings: [...document.warnings, ...languageWarnings(language)],
    timings: { analyse: Math.round(performance.now() - started) },
  };
}

/** The parts of a report about a mail's attachments. */
function attachedParts({ attachments }: ExtractedDocument, file: FileFacts): Pick<Report, 'parts'> {
  return attachments === undefined ? {} : { parts: attachments.map((each) => partOfAttachment(each, file)) };
}

/** The part of a report about a mail's attachment; its places have no pages, as the mail has none. */
function partOfAttachment({ name, document, reason }: ExtractedAttachment, file: FileFacts): ReportPart {
  if (document === undefined)
    return { name, short: '', attention: [], fields: [], ...(reason === undefined ? {} : { reason }) };
  const part = partOf(buildReport(document, { ...file, fileName: name }), name);
  return JSON.parse(JSON.stringify(part, (key, value) => (key === 'page' ? undefined : value))) as ReportPart;
}

/** What the report of a document says as a part of a larger one. */
export function partOf(report: Report, name: string): ReportPart {
  const { title, kind, kindConfidence, language, words } = report.document;
  return {
    name,
    document: { title, kind, kindConfidence, language, words },
    short: report.summary.short,
    attention: report.attention,
    fields: report.fields,
    ...(report.items === undefined ? {} : { items: report.items }),
  };
}

/** The tables. A bill's tables without heads hold its sums, which are in the report as fields. */
function tablesOf(rows: readonly Row[], kind: DocumentKind, citer: Citer): FoundTables {
  const found = findTables(rows, citer);
  if (!BILLS.has(kind)) return found;
  return { ...found, tables: found.tables.filter(({ header }) => header.length > 0) };
}

/**
 * The headings of the outline. A bill has none, as its large lines are addresses and labels. A heading that is repeated
 * often is the head of a column or a word of a program, not a chapter.
 */
function outlineOf(blocks: readonly Block[], kind: DocumentKind): readonly Block[] {
  if (BILLS.has(kind)) return [];
  const headings = blocks.filter(({ type }) => type === 'heading');
  const counts = new Map<string, number>();
  for (const { text } of headings) counts.set(text, (counts.get(text) ?? 0) + 1);
  return headings
    .filter(({ text }) => {
      const letters = text.match(/\p{L}/gu)?.length ?? 0;
      const isPlain = letters / text.length > LEAST_PROSE && findDate(text) === undefined;
      return isPlain && !LABEL_ALONE.test(text) && (counts.get(text) ?? 0) <= MOST_REPEATS;
    })
    .slice(0, MAX_OUTLINE);
}

/** Share of a heading that must be letters, and how often a document may repeat it. */
const LEAST_PROSE = 0.5;
const MOST_REPEATS = 2;

/** The kind of a document. A bill's labels and sums say more about it than its words. */
function kindOf(
  { blocks, rows, invoiceXml }: ExtractedDocument,
  title: string,
  text: string,
): { kind: DocumentKind; confidence: number } {
  // A program that adds e-invoice data to a file states the kind.
  const code = invoiceXml === undefined ? undefined : readInvoiceXml(invoiceXml)?.typeCode;
  if (code !== undefined) return { kind: kindOfTypeCode(code), confidence: 0.99 };
  const classified = classifyKind(blocks, title);
  const bill = billEvidence(rows, text);
  const isOther = !BILLS.has(classified.kind) && classified.kind !== 'other';
  const enough = isOther ? SURE_BILL + 4 * classified.confidence : SURE_BILL;
  if (bill.points >= enough) return { kind: bill.kind, confidence: Math.min(0.97, 0.55 + bill.points / 25) };
  if (invoiceXml !== undefined) return { kind: 'invoice', confidence: 0.9 };
  // Words alone do not make a bill of a text without a sum.
  return BILLS.has(classified.kind) && bill.points < LEAST_BILL
    ? { kind: 'other', confidence: 0 }
    : classified;
}

/** Points of evidence that prove a bill, and the fewest that a bill must have. */
const SURE_BILL = 5.5;
const LEAST_BILL = 3;

/** Whether text of the document is missing: pages, lines of a scan, or its end. */
function isPartial({ pagesSkipped, pagesOcr = [], warnings }: ExtractedDocument): boolean {
  return (
    pagesSkipped.length > 0 || pagesOcr.some(isPartlyRead) || warnings.some(({ code }) => LOSSES.has(code))
  );
}

/** Warnings about text that was left out. */
const LOSSES: ReadonlySet<string> = new Set(['text_limit', 'text_lost']);

/** Languages whose labels, dates and amounts are read. Some kinds of papers are recognised by English words only. */
const LABELLED: ReadonlySet<string> = new Set(['de', 'fr', 'nl', 'es', 'it']);

function languageWarnings(language: string | null): Report['warnings'] {
  if (language === null || language === 'en') return [];
  const text = LABELLED.has(language)
    ? 'Some kinds of documents are recognised by English words only, so the kind may be missing in this language.'
    : 'Labels are read in English, German, French, Dutch, Spanish and Italian: expect few facts in this language.';
  return [{ code: 'language', text }];
}

/** Texts that programs and templates write in place of a title, and texts on the cover of any book. */
const NO_TITLE =
  /^(microsoft (word|powerpoint)|powerpoint presentation|untitled|title(?: ?\d+)?$|document\d*$|(?:front|back) cover$|slide \d+$|file:.*|.*\(use style:.*|.*\.(docx?|pdf|tex|dvi|indd|odt|html?|qxd|pptx?|xlsx?|rtf)$)/i;

/** The title in the file, unless a program wrote it; else the first large heading; else the file's name. */
function titleOf({ title, blocks }: ExtractedDocument, fileName: string): string {
  const name =
    fileName
      .replace(/\.[^.]{1,5}$/, '')
      .replace(/[_]+/g, ' ')
      .trim() || 'Document';
  const usable = title !== undefined && title.length > 3 && !NO_TITLE.test(title);
  if (usable) return title.slice(0, 300);
  const headings = blocks.slice(0, 14).filter((block) => block.type === 'heading' && isTitle(block.text));
  const heading = headings.find((block) => block.level === 1) ?? headings[0];
  return (heading?.text.replace(/\s+/g, ' ') ?? name).slice(0, 300);
}

/** "Invoice 2041 from Harlow Ltd", as a bill's own title names only the kind of paper. */
export function titleOfBill(kind: DocumentKind, fields: readonly Field[]): string | undefined {
  const name = BILL_NAMES[kind];
  const number = valueFor(fields, 'document_number');
  const supplier = valueFor(fields, 'supplier');
  if (name === undefined || (number === undefined && supplier === undefined)) return undefined;
  return joinWords(name, number, after(kind === 'purchase_order' ? 'to' : 'from', supplier)).slice(0, 300);
}

/** Heads of the parts of a bill, which are printed large too. */
const LABEL_ALONE =
  /^(?:iban|bic|seller|buyer|supplier|customer|verk[äa]ufer|k[äa]ufer|lieferant|kunde|vendeur|acheteur|fournisseur|client|verkoper|koper|vendedor|comprador|venditore|acquirente|bill to|ship to)\W*$/i;

/** "4 Quarry Bank", "Lindenweg 3", "M. Luc Perrin": lines of an address. */
const ADDRESS_LINE =
  /^\d{1,4}[a-z]? \p{Lu}\p{L}+(?: \p{Lu}\p{L}+){0,2}$|^\p{Lu}\p{L}+(?: \p{L}+){0,2} \d{1,4} ?[a-z]?$|^(?:mr|mrs|ms|m|mme|dr|herrn?|frau|monsieur|madame|sr|sra|sig|dhr|mevr)\.? \p{Lu}/iu;

/** Whether a large line is a title, not a date, a number or an account. */
function isTitle(text: string): boolean {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  return (
    text.length >= 4 &&
    letters / text.length > 0.6 &&
    findDate(text) === undefined &&
    !NO_TITLE.test(text) &&
    !LABEL_ALONE.test(text) &&
    !ADDRESS_LINE.test(text)
  );
}

const BILL_NAMES: Partial<Record<DocumentKind, string>> = {
  invoice: 'Invoice',
  credit_note: 'Credit note',
  quotation: 'Quotation',
  purchase_order: 'Purchase order',
  receipt: 'Receipt',
};

/** A sentence about a bill or a lease from its fields; else the first key sentences, or the title. */
export function shortSummary(
  kind: DocumentKind,
  fields: readonly Field[],
  points: readonly Claim[],
  title: string,
): string {
  const bill = BILL_NAMES[kind];
  const fixed =
    bill !== undefined
      ? billSummary(kind, bill, fields)
      : kind === 'lease'
        ? leaseSummary(fields)
        : undefined;
  const sentences = points.slice(0, 2).map(({ text }) => text);
  return fixed ?? (sentences.join(' ') || title);
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

function valueFor(fields: readonly Field[], key: string): string | undefined {
  return fields.find((field) => field.key === key)?.value;
}

function dayFor(fields: readonly Field[], key: string): string | undefined {
  const iso = fields.find((field) => field.key === key && field.type === 'date')?.normalized;
  return iso === undefined ? undefined : readableDay(iso);
}

/** The words followed by the value, or undefined without a value. */
function after(words: string, value: string | undefined): string | undefined {
  return value === undefined ? undefined : `${words} ${value}`;
}

function joinWords(...parts: (string | undefined)[]): string {
  return parts.filter(Boolean).join(' ');
}
