import { amountsIn } from '../bills/bill-amounts.ts';
import type { Field, Items } from '../contract/report.contract.ts';
import type { DocumentGrid } from '../layout/document-grid.ts';
import type { ItemTable } from './item-table.ts';

/** The sum of a table's amounts. */
export interface TableSum {
  readonly cents: number;
  /** The sum of the bill that it equals; undefined if it equals none. */
  readonly is: Items['sumIs'];
  /** Whether an amount below the table makes up the difference: a discount, the cost of delivery. */
  readonly isExplained: boolean;
}

/** Adds up the items, and looks for the result among the bill's sums and the amounts below the table. */
export function sumOf({ items, lastRow }: ItemTable, fields: readonly Field[], grid: DocumentGrid): TableSum {
  const cents = items.reduce((sum, item) => sum + item.cents, 0);
  const [net, total] = [centsOf(fields, 'net_total'), centsOf(fields, 'total')];
  if (cents === net) return { cents, is: 'net_total', isExplained: true };
  if (cents === total) return { cents, is: 'total', isExplained: true };
  const below = grid.slice(lastRow + 1).flatMap((cells) => cells.flatMap((cell) => amountsIn(cell)));
  const figures = new Set(below.map((amount) => Math.abs(amount.cents)));
  if (items.length > 1 && figures.has(Math.abs(cents))) return { cents, is: 'subtotal', isExplained: true };
  const isExplained = [net, total].some((sum) => sum !== undefined && figures.has(Math.abs(sum - cents)));
  return { cents, is: undefined, isExplained };
}

/** A sum of the bill in cents. */
export function centsOf(fields: readonly Field[], key: string): number | undefined {
  const field = fields.find((one) => one.key === key);
  return field?.normalized === undefined ? undefined : Math.round(Number(field.normalized) * 100);
}
