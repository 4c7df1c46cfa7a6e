import type { ExtractedDocument } from '../contract/extracted-document.ts';
import { type Attention, MOST_PARTS, type Report, type ReportPart } from '../contract/report.contract.ts';
import { findStack, type StackPart } from './stack-borders.ts';

const MOST_NAMED = 8;
/** Warnings of the whole file that do not depend on facts. */
const OF_FILE: ReadonlySet<string> = new Set(['pages_not_read', 'instructions']);

/**
 * The documents of a file with pages; one for a file that is a single document, an e-invoice or a mail.
 *
 * @param begins the pages on which a document begins, the first of them 1, if the owner of the file said so
 */
export function partsOfFile(
  { rows, pages = 0, pagesBlank = [], invoiceXml, attachments }: ExtractedDocument,
  begins: readonly number[] | undefined,
): StackPart[] {
  if (begins !== undefined && attachments === undefined)
    return begins
      .filter((from) => from <= pages)
      .map((from, index) => ({ from, to: (begins[index + 1] ?? pages + 1) - 1, isSure: true, doubtful: [] }));
  return invoiceXml === undefined && attachments === undefined
    ? findStack(rows, pagesBlank).slice(0, MOST_PARTS)
    : [];
}

/** The pages of one document of a file, as a document. */
export function documentOfPages(document: ExtractedDocument, { from, to }: StackPart): ExtractedDocument {
  const isOwn = ({ page }: { readonly page?: number | undefined }): boolean =>
    page !== undefined && page >= from && page <= to;
  return {
    title: undefined,
    pages: to - from + 1,
    blocks: document.blocks.filter(isOwn),
    rows: document.rows.filter(isOwn),
    pagesRead: to - from + 1,
    pagesSkipped: document.pagesSkipped.filter(isOwn),
    warnings: [],
  };
}

/** "Page 3", "Pages 3 to 5". */
export function pagesName({ from, to }: StackPart): string {
  return from === to ? `Page ${from}` : `Pages ${from} to ${to}`;
}

/**
 * The report of a file with several documents. It has the text and the quality of the whole file and no facts of its own,
 * so that it mixes nothing; each document has its facts as a part.
 *
 * @param whole the report of the file as if it were one document
 * @param parts in the order of `stack`
 */
export function reportOfStack(
  whole: Report,
  stack: readonly StackPart[],
  parts: readonly ReportPart[],
): Report {
  const { items: _, tables: __, tablesLeftOut: ___, obligations: ____, ...rest } = whole;
  const names = parts.slice(0, MOST_NAMED).map(({ document, name }) => document?.title ?? name);
  const more = parts.length > MOST_NAMED ? ' …' : '';
  return {
    ...rest,
    document: {
      ...whole.document,
      title: `${parts.length} documents: ${names.join('; ')}${more}`.slice(0, 300),
      kind: 'other',
      kindConfidence: 0,
    },
    summary: {
      short: `This file holds ${parts.length} documents: ${parts
        .map(({ name, document }) => `${name.toLowerCase()}, ${document?.title ?? 'not read'}`)
        .join('; ')}.`.slice(0, 20_000),
      points: [],
    },
    attention: [
      ...stackWarnings(stack, parts.length),
      ...whole.attention.filter(({ code }) => OF_FILE.has(code)),
    ].slice(0, 30),
    fields: [],
    parts: [...parts],
  };
}

/** What the owner should know: that the file was split, and where that is uncertain. */
function stackWarnings(stack: readonly StackPart[], count: number): Attention[] {
  const unsure = stack.filter(({ isSure }) => !isSure).map(({ from }) => from);
  return [
    {
      code: 'several_documents',
      severity: 'info',
      text: `This file holds ${count} documents. Each has facts of its own below; nothing of one stands with another.`,
      cites: [],
    },
    ...(unsure.length === 0
      ? []
      : [
          {
            code: 'unsure_border',
            severity: 'warn' as const,
            text: `It is not certain that a document begins on ${pageList(unsure)}: look at the pages.`,
            cites: [],
          },
        ]),
    ...doubts(stack),
  ];
}

/** A notice about pages that may belong to another document; also for a file that is one document. */
export function doubts(stack: readonly StackPart[]): Attention[] {
  const pages = stack.flatMap(({ doubtful }) => doubtful);
  if (pages.length === 0) return [];
  return [
    {
      code: 'page_of_another',
      severity: 'info',
      text: `Nothing says whether ${pageList(pages)} ${pages.length === 1 ? 'belongs' : 'belong'} to the paper before: check that.`,
      cites: [],
    },
  ];
}

function pageList(pages: readonly number[]): string {
  const named = pages.slice(0, MOST_NAMED).join(', ');
  return `${pages.length === 1 ? 'page' : 'pages'} ${named}${pages.length > MOST_NAMED ? ' …' : ''}`;
}
