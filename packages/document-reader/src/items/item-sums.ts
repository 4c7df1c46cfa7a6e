import { amountsIn } from '../bills/bill-amounts.ts';
import type { Field, Items } from '../contract/report.contract.ts';
import type { DocumentGrid } from '../layout/document-grid.ts';
import type { ItemTable } from './item-table.ts';

/** What the amounts of a table add up to. */
export interface TableSum {
  readonly cents: number;
  /** The sum of the bill that it is; undefined where it is none. */
  readonly is: Items['sumIs'];
  /** Something printed below makes up the difference: a discount, the cost of sending. */
  readonly isExplained: boolean;
}

/** Adds up the items and looks for their sum among the bill's sums and among the amounts below the table. */
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
