import { findAmounts } from '@northline/document-reader/amounts';
import type { Table } from '@northline/document-reader/report.contract';
import { figureOf } from '@northline/document-reader/table-figures';
import type { TableCell } from './table-writing.server.ts';

/**
 * A table of a document for an export, with figures as numbers, so that they can be summed. A number has no place for its
 * currency, so the head of its column names it; amounts stay as printed if a column has several currencies or no head. The
 * last row counts the rows that the report leaves out.
 */
export function tableRows({ header, rows, leftOut }: Table): TableCell[][] {
  const currencies = header.map((_, column) => currenciesIn(rows, column));
  const heads = header.map((head, column) => headOf(head, currencies[column] ?? []));
  const isSummable = (text: string, column: number): boolean =>
    currencyIn(text) === undefined || currencies[column]?.length === 1;
  return [
    ...(heads.length === 0 ? [] : [heads]),
    ...rows.map((row) =>
      row.map((text, column): TableCell => (isSummable(text, column) ? (figureOf(text) ?? text) : text)),
    ),
    ...(leftOut === 0
      ? []
      : [[leftOut === 1 ? '1 more row is not listed.' : `${leftOut} more rows are not listed.`]]),
  ];
}

function headOf(head: string, [currency, second]: readonly string[]): string {
  return currency === undefined || second !== undefined ? head : `${head} (${currency})`.trimStart();
}

function currenciesIn(rows: Table['rows'], column: number): string[] {
  return [...new Set(rows.flatMap((row) => currencyIn(row[column] ?? '') ?? []))];
}

/** The currency in a cell that holds only an amount. */
function currencyIn(text: string): string | undefined {
  return figureOf(text) === undefined ? undefined : findAmounts(text)[0]?.currency;
}
