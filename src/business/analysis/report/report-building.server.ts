import { detectAll } from 'tinyld';
import { createCiter } from './cite-text.server.ts';
import { classifyKind } from './classify-kind.server.ts';
import { countWords, keyPhrases } from './content-words.server.ts';
import type { ExtractedDocument } from './extracted-document.server.ts';
import { findAttention } from './find-attention.server.ts';
import { findFacts } from './find-facts.server.ts';
import { findDate } from './parse-values.server.ts';
import type { Claim, DocumentKind, Field, Report } from './report.contract.ts';
import { keySentences } from './summarise.server.ts';

/** What is known of the file beside its content. */
export interface FileFacts {
  readonly fileName: string;
  readonly sha256: string;
  /** ISO time, so that one analysis gives one report. */
  readonly createdAt: string;
}

/** Version of the built-in analyser, in every report. */
export const LOCAL_ENGINE = { name: 'local', version: '1' } as const;

const WORDS_PER_MINUTE = 230;
/** The language is told from this many characters on (contract §3.2). */
const LANGUAGE_CHARACTERS = 200;
const MAX_OUTLINE = 100;
const ENGLISH_SHARE = 0.18;
const ENGLISH = new Set(
  'the of and to a in is that for it on with as was be by this are or at from not have will your you which'.split(
    ' ',
  ),
);

/** Writes the report of an extracted document. Every quote in it stands in the document. */
export function buildReport(document: ExtractedDocument, file: FileFacts): Report {
  const started = performance.now();
  const { blocks } = document;
  const text = blocks.map((block) => block.text).join('\n');
  const language = languageOf(text);
  const citer = createCiter(blocks);
  const title = titleOf(document, file.fileName);
  const classified = classifyKind(blocks, title);
  // Who puts e-invoice data into a file says what it is.
  const isEInvoice = document.invoiceXml !== undefined && classified.kind !== 'credit_note';
  const { kind, confidence } = isEInvoice ? { kind: 'invoice' as const, confidence: 0.97 } : classified;
  const { fields, attention } = findFacts(
    { blocks, rows: document.rows, invoiceXml: document.invoiceXml },
    kind,
    language,
    citer,
  );
  const points = keySentences(blocks, citer, language);
  const words = countWords(text);
  const unread = document.pagesSkipped;
  return {
    schema: 'report/1',
    createdAt: file.createdAt,
    engine: LOCAL_ENGINE,
    status: unread.length > 0 ? 'partial' : 'complete',
    document: {
      title,
      kind,
      kindConfidence: confidence,
      language,
      pages: document.pages ?? null,
      words,
      readingMinutes: words === 0 ? 0 : Math.max(1, Math.round(words / WORDS_PER_MINUTE)),
      sha256: file.sha256,
    },
    summary: { short: shortSummary(kind, fields, points, title), points },
    attention: [...attention, ...findAttention(blocks, fields, unread, citer)].slice(0, 30),
    fields: fields.slice(0, 200),
    outline: blocks
      .filter((block) => block.type === 'heading')
      .slice(0, MAX_OUTLINE)
      .map((block) => ({
        level: block.level ?? 1,
        text: block.text.slice(0, 300),
        cite: citer.at(block, 0, block.text.length),
      })),
    phrases: keyPhrases(blocks),
    coverage: { pagesRead: document.pagesRead, pagesSkipped: unread.slice(0, 2000) },
    warnings: [...document.warnings, ...languageWarnings(language)],
    timings: { analyse: Math.round(performance.now() - started) },
  };
}

function languageOf(text: string): string | null {
  const sample = text.slice(0, 20_000);
  if (sample.replace(/\s+/g, ' ').length < LANGUAGE_CHARACTERS) return null;
  // Short English texts are the usual case, and the n-gram detector is weakest there.
  if (englishShare(sample) > ENGLISH_SHARE) return 'en';
  return detectAll(sample)[0]?.lang ?? null;
}

/** Part of the words that are the commonest English ones; about 0.3 in prose, 0.1 in a table. */
function englishShare(text: string): number {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const common = words.filter((word) => ENGLISH.has(word)).length;
  return words.length === 0 ? 0 : common / words.length;
}

function languageWarnings(language: string | null): Report['warnings'] {
  if (language === null || language === 'en') return [];
  return [
    {
      code: 'language',
      text: 'The summary and the labels are made for English: expect less from this language.',
    },
  ];
}

/** The title in the file, unless it is a program's; else the first large heading; else the file's name. */
function titleOf({ title, blocks }: ExtractedDocument, fileName: string): string {
  const name =
    fileName
      .replace(/\.[^.]{1,5}$/, '')
      .replace(/[_]+/g, ' ')
      .trim() || 'Document';
  const usable =
    title !== undefined &&
    title.length > 3 &&
    !/^(microsoft word|untitled|document\d*$|file:.*|.*\.(docx?|pdf|tex|dvi|indd|odt|html?)$)/i.test(title);
  if (usable) return title.slice(0, 300);
  const headings = blocks.slice(0, 14).filter((block) => block.type === 'heading' && isTitle(block.text));
  const heading = headings.find((block) => block.level === 1) ?? headings[0];
  return (heading?.text.replace(/\s+/g, ' ') ?? name).slice(0, 300);
}

/** A date, a number or an account is printed large too. */
function isTitle(text: string): boolean {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  return text.length >= 4 && letters / text.length > 0.6 && findDate(text) === undefined;
}

function shortSummary(
  kind: DocumentKind,
  fields: readonly Field[],
  points: readonly Claim[],
  title: string,
): string {
  const value = (key: string): string | undefined => fields.find((field) => field.key === key)?.value;
  const day = (key: string): string | undefined =>
    fields.find((field) => field.key === key && field.type === 'date')?.normalized;
  const join = (...parts: (string | undefined | false)[]): string => parts.filter(Boolean).join(' ');
  const names = {
    invoice: 'Invoice',
    credit_note: 'Credit note',
    quotation: 'Quotation',
    purchase_order: 'Purchase order',
    receipt: 'Receipt',
  } as const;
  if (kind in names && value('total') !== undefined) {
    return `${join(
      names[kind as keyof typeof names],
      value('document_number'),
      value('supplier') && `from ${value('supplier')}`,
      value('customer') && `to ${value('customer')}`,
      day('issue_date') && `of ${readable(day('issue_date'))}`,
    )}: ${join(value('total'), day('due_date') && `due by ${readable(day('due_date'))}`)}.`;
  }
  if (kind === 'lease' && (value('landlord') ?? value('rent')) !== undefined) {
    return `${join(
      'Lease',
      value('landlord') && `between ${value('landlord')}`,
      value('landlord') && value('tenant') && `and ${value('tenant')}`,
      day('start_date') && `from ${readable(day('start_date'))}`,
      day('end_date') && `to ${readable(day('end_date'))}`,
    )}${value('rent') === undefined ? '' : `; rent ${value('rent')}`}${value('deposit') === undefined ? '' : `, deposit ${value('deposit')}`}.`;
  }
  return (
    points
      .slice(0, 2)
      .map(({ text }) => text)
      .join(' ') || title
  );
}

/** 2026-04-02 → 2 April 2026. */
export function readable(iso: string | undefined): string {
  if (iso === undefined) return '';
  return new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(
    new Date(`${iso}T00:00:00Z`),
  );
}
