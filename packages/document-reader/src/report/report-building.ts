import { BILLS } from '../bills/bill-fields.ts';
import { type BillEvidence, billEvidence, kindOfTypeCode } from '../bills/bill-kind.ts';
import { findSeveralBills } from '../bills/several-bills.ts';
import type {
  ExtractedAttachment,
  ExtractedDocument,
  ExtractedPaper,
  Row,
} from '../contract/extracted-document.ts';
import { KIND_NAMES } from '../contract/kind-names.contract.ts';
import { type Citer, createCiter } from '../contract/quote-finding.ts';
import type { Attention, Block, DocumentKind, Report, ReportPart } from '../contract/report.contract.ts';
import { findAttention } from '../facts/attention-finding.ts';
import { isDayFirst } from '../facts/day-order.ts';
import { findFacts } from '../facts/fact-finding.ts';
import { findObligations } from '../facts/obligation-finding.ts';
import { findSensitive } from '../facts/sensitive-data.ts';
import { readInvoiceXml } from '../formats/invoice-xml.ts';
import { findItems } from '../items/bill-items.ts';
import { isPartlyRead } from '../ocr/ocr-session.ts';
import { type FoundTables, findTables } from '../tables/table-finding.ts';
import { findDate } from '../values/dates.ts';
import { countWords, keyPhrases } from './content-words.ts';
import { LABEL_ALONE, titleOf, titleOfBill } from './document-title.ts';
import { chosenKind, type Kind, type KindScore, scoreKinds } from './kind-classification.ts';
import { detectLanguage } from './language-detection.ts';
import { shortSummary } from './short-summary.ts';
import { areSideBySide, SIDE_BY_SIDE } from './side-by-side.ts';
import { documentOfPages, doubts, pagesName, partsOfFile, reportOfStack } from './stack-report.ts';
import { keySentences } from './summary.ts';

/** Facts about the file that do not come from its content. */
export interface FileFacts {
  readonly fileName: string;
  readonly sha256: string;
  /** ISO time; given, so that one analysis always writes the same report. */
  readonly createdAt: string;
  /** The pages on which a document begins, if the owner said so; the first is 1. */
  readonly begins?: readonly number[] | undefined;
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
  if (document.papers !== undefined) return reportOfPapers(document, document.papers, file);
  if (isOnePicture(document) && areSideBySide(document.rows)) return reportOfMixed(document, file);
  const stack = partsOfFile(document, file.begins);
  const read = reportOfOne(document, file, doubts(stack));
  const whole: Report = file.begins === undefined ? read : { ...read, split: 'corrected' };
  if (stack.length < 2) return whole;
  const parts = stack.map((each): ReportPart => {
    const { from, to, isSure } = each;
    const name = pagesName(each);
    const own = reportOfOne(documentOfPages(document, each), { ...file, fileName: name });
    return { ...partOf(own, name), pages: { from, to }, ...(isSure ? {} : { unsure: true }) };
  });
  return reportOfStack(whole, stack, parts);
}

const isOnePicture = ({ pages, pagesOcr = [] }: ExtractedDocument): boolean =>
  pages === 1 && pagesOcr.length === 1;

/** The report of a picture whose papers could not be told apart: its text, and nothing that could be of either. */
function reportOfMixed(document: ExtractedDocument, file: FileFacts): Report {
  const {
    items: _,
    tables: __,
    tablesLeftOut: ___,
    obligations: ____,
    ...read
  } = reportOfOne(document, file);
  return {
    ...read,
    document: { ...read.document, title: file.fileName.slice(0, 300), kind: 'other', kindConfidence: 0 },
    summary: { short: 'This picture seems to show several receipts.', points: [] },
    attention: [SIDE_BY_SIDE],
    fields: [],
  };
}

/** The report of a picture with several papers, each with facts of its own. */
function reportOfPapers(
  document: ExtractedDocument,
  papers: readonly ExtractedPaper[],
  file: FileFacts,
): Report {
  const parts = papers.map(({ document: paper, reason, unsure }, index): ReportPart => {
    const name = `Paper ${index + 1}`;
    if (paper === undefined) return unreadPart(name, reason);
    const part = partOf(reportOfOne(paper, { ...file, fileName: name }), name);
    return unsure ? { ...part, attention: [UNCLEAR_PAPER, ...part.attention].slice(0, 30) } : part;
  });
  return reportOfStack(reportOfOne(document, file), [], parts);
}

const UNCLEAR_PAPER: Attention = {
  code: 'paper_unclear',
  severity: 'warn',
  text: 'This paper is not flat or touches another one: check that nothing of another paper is in it.',
  cites: [],
};

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
  const found = kindOf(document, text);
  const { kind, confidence } = found;
  const title = titleOf(document, file.fileName, kind, found.line);
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
  const outline = outlineOf(blocks, kind, citer);
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
    summary: {
      short: shortSummary({ kind, title, fields, points, pages: document.pages, words, outline, tables }),
      points,
    },
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
    outline,
    phrases: keyPhrases(blocks),
    coverage: {
      pagesRead: document.pagesRead,
      pagesSkipped: unread.slice(0, 2000),
      ...(document.pagesBlank === undefined ? {} : { pagesBlank: document.pagesBlank.slice(0, 2000) }),
      ...(document.pagesOcr === undefined ? {} : { pagesOcr: [...document.pagesOcr] }),
    },
    warnings: [...document.warnings, ...languageWarnings(language), ...kindWarnings(found)],
    timings: { analyse: Math.round(performance.now() - started) },
  };
}

/** The parts of a report about a mail's attachments. */
function attachedParts({ attachments }: ExtractedDocument, file: FileFacts): Pick<Report, 'parts'> {
  return attachments === undefined ? {} : { parts: attachments.map((each) => partOfAttachment(each, file)) };
}

/** The part of a report about a mail's attachment; its places have no pages, as the mail has none. */
function partOfAttachment({ name, document, reason }: ExtractedAttachment, file: FileFacts): ReportPart {
  if (document === undefined) return unreadPart(name, reason);
  const part = partOf(buildReport(document, { ...file, fileName: name, begins: undefined }), name);
  return JSON.parse(JSON.stringify(part, (key, value) => (key === 'page' ? undefined : value))) as ReportPart;
}

function unreadPart(name: string, reason: string | undefined): ReportPart {
  return { name, short: '', attention: [], fields: [], ...(reason === undefined ? {} : { reason }) };
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
function outlineOf(blocks: readonly Block[], kind: DocumentKind, citer: Citer): Report['outline'] {
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
    .slice(0, MAX_OUTLINE)
    .map((block) => ({
      level: block.level ?? 1,
      text: block.text.slice(0, 300),
      cite: citer.at(block, 0, block.text.length),
    }));
}

/** Share of a heading that must be letters, and how often a document may repeat it. */
const LEAST_PROSE = 0.5;
const MOST_REPEATS = 2;

/** The kind of a document. A bill's labels and sums say more about it than its words. */
function kindOf({ title, blocks, rows, invoiceXml }: ExtractedDocument, text: string): Kind {
  // A program that adds e-invoice data to a file states the kind.
  const code = invoiceXml === undefined ? undefined : readInvoiceXml(invoiceXml)?.typeCode;
  if (code !== undefined) return { kind: kindOfTypeCode(code), confidence: 0.99 };
  if (invoiceXml !== undefined) return { kind: 'invoice', confidence: 0.9 };
  const bill = billEvidence(rows, text);
  const scores = scoreKinds(blocks, rows, title ?? '');
  const isInvoice =
    bill.points >= LIKELY_BILL &&
    (bill.isNumbered ||
      scores.some((score) => INVOICES.has(score.kind) && (score.title >= OWN_TITLE || score.strong > 0)));
  return chosenKind(
    scores
      // Words alone do not make a bill of a text without labels and sums.
      .filter((score) => !PAID.has(score.kind) || bill.isTill || bill.points >= LEAST_BILL || isTold(score))
      .map((score) => ({ ...score, points: score.points + billPoints(score, bill, isInvoice) })),
  );
}

/** Whether a title and another phrase, or several phrases, say the kind. */
const isTold = ({ title, strong }: KindScore): boolean => (title >= OWN_TITLE && strong > 0) || strong > 2;

/**
 * Points that labels and sums add to a kind: to an invoice always, to other bills if their title says so. An invoice names
 * its order, its delivery note and its quotation: beside the words and the sums of an invoice their titles hardly count.
 */
function billPoints(
  { kind, title }: KindScore,
  { points, isTill, isNumbered }: BillEvidence,
  isInvoice: boolean,
): number {
  if (kind === 'receipt' && isTill) return OF_TILL;
  if (kind === 'invoice') return points + (isNumbered ? OF_NUMBERED : 0);
  if (NAMED_ON_INVOICES.has(kind) && isInvoice) return -title * IN_TITLE;
  return BILLS.has(kind) && title >= OWN_TITLE ? points : 0;
}

const INVOICES: ReadonlySet<DocumentKind> = new Set(['invoice', 'credit_note']);
const NAMED_ON_INVOICES: ReadonlySet<DocumentKind> = new Set([
  'quotation',
  'purchase_order',
  'delivery_note',
]);
const OF_TILL = 20;
const OF_NUMBERED = 3;
const OWN_TITLE = 4;
/** Points of evidence of a bill, and the share that the title of another paper loses on it. */
const LIKELY_BILL = 4.5;
const IN_TITLE = 0.6;
/** Bills that always print a sum or several labels, and the fewest points of evidence for one. */
const PAID: ReadonlySet<DocumentKind> = new Set([
  'invoice',
  'credit_note',
  'receipt',
  'quotation',
  'purchase_order',
]);
const LEAST_BILL = 3;

/** Whether text of the document is missing: pages, lines of a scan, or its end. */
function isPartial({ pagesSkipped, pagesOcr = [], warnings }: ExtractedDocument): boolean {
  return (
    pagesSkipped.length > 0 || pagesOcr.some(isPartlyRead) || warnings.some(({ code }) => LOSSES.has(code))
  );
}

/** Warnings about text that was left out or cannot be right. */
const LOSSES: ReadonlySet<string> = new Set(['text_limit', 'text_lost', 'garbled']);

/** Languages whose kinds, labels, dates and amounts are read. */
const LABELLED: ReadonlySet<string> = new Set(['en', 'de', 'fr', 'nl', 'es', 'it']);

function languageWarnings(language: string | null): Report['warnings'] {
  if (language === null || LABELLED.has(language)) return [];
  const text =
    'Labels are read in English, German, French, Dutch, Spanish and Italian: expect few facts in this language.';
  return [{ code: 'language', text }];
}

/** Says why a document has no kind, and which kind its words point to. */
function kindWarnings({ kind, nearest }: Kind): Report['warnings'] {
  if (kind !== 'other') return [];
  const text =
    nearest === undefined
      ? 'The kind was not recognised: this document has no title, labels or phrases of a kind that is known here.'
      : `The kind was not recognised: a few words point to ${KIND_NAMES[nearest].toLowerCase()}, but too few to be sure.`;
  return [{ code: 'kind', text }];
}
