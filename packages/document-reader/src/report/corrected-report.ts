import { createCiter } from '../contract/quote-finding.ts';
import type { Attention, Block, Field, Items, Report } from '../contract/report.contract.ts';
import { findAttention } from '../facts/attention-finding.ts';
import { lastDayForNotice } from '../facts/obligation-finding.ts';
import { mismatchOf } from '../items/bill-items.ts';
import { centsOf } from '../items/item-sums.ts';
import { titleOfBill } from './document-title.ts';
import { shortSummary } from './short-summary.ts';

/** Warnings that depend on the fields, by their code. */
const OF_FIELDS: ReadonlySet<string> = new Set([
  'payment_due',
  'ends',
  'notice',
  'sum_mismatch',
  'items_mismatch',
]);

/**
 * The report with everything that follows from its fields derived again: title, short summary, warnings about days and
 * sums, the last day for a notice. Its own fields stay as they were read. A title or a summary in other words, for example an
 * automation's, stays too.
 *
 * @param fields the fields with the values that count
 * @param blocks the text of the document
 */
export function withFields(report: Report, fields: readonly Field[], blocks: readonly Block[]): Report {
  const { document, summary } = report;
  const { kind } = document;
  const ownTitle = titleOfBill(kind, report.fields) === document.title;
  const title = (ownTitle ? titleOfBill(kind, fields) : undefined) ?? document.title;
  const summed = {
    kind,
    points: summary.points,
    pages: document.pages ?? undefined,
    words: document.words,
    outline: report.outline,
    tables: report.tables ?? [],
  };
  const ownWords =
    shortSummary({ ...summed, title: document.title, fields: report.fields }) === summary.short;
  const short = ownWords ? shortSummary({ ...summed, title, fields }) : summary.short;
  const items = report.items && itemsOf(report.items, fields);
  const obligations = report.obligations && [
    ...lastDayForNotice(fields),
    ...report.obligations.filter((each) => each.kind !== 'notice_day'),
  ];
  return {
    ...report,
    document: { ...document, title },
    summary: { ...summary, short },
    attention: attentionOf(report, fields, blocks).slice(0, 30),
    ...(items === undefined ? {} : { items }),
    ...(obligations === undefined ? {} : { obligations }),
  };
}

/** The warnings: those that depend on fields anew, where the first of them stood, and all others as they were. */
function attentionOf(
  { attention, items }: Report,
  fields: readonly Field[],
  blocks: readonly Block[],
): Attention[] {
  const isOfFields = ({ code }: Attention): boolean => OF_FIELDS.has(code);
  const first = attention.findIndex(isOfFields);
  const place = first === -1 ? attention.length : first;
  const derived = findAttention(blocks, fields, [], createCiter(blocks)).filter(isOfFields);
  const contradicts = items !== undefined && (items.sumIs ?? 'subtotal') !== 'subtotal';
  const wasWarned = attention.some(({ code }) => code === 'items_mismatch');
  return [
    ...attention.slice(0, place),
    ...(items !== undefined && (contradicts || wasWarned) ? itemsWarning(items, fields) : []),
    ...derived,
    ...attention.slice(place).filter((each) => !isOfFields(each)),
  ];
}

function itemsWarning(items: Items, fields: readonly Field[]): Attention[] {
  const { rows, sumIs, sum } = itemsOf(items, fields);
  const cents = Math.round(Number(sum) * 100);
  return mismatchOf({ cents, is: sumIs, isExplained: false }, rows, fields);
}

/** The items with the sum of the bill that theirs equals now. */
function itemsOf(items: Items, fields: readonly Field[]): Items {
  const { sumIs, ...rest } = items;
  const cents = Math.round(Number(items.sum) * 100);
  const is = (['net_total', 'total'] as const).find((key) => centsOf(fields, key) === cents);
  const kept = is ?? (sumIs === 'subtotal' ? sumIs : undefined);
  return kept === undefined ? rest : { ...rest, sumIs: kept };
}
