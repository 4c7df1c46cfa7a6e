import { BILLS } from '../bills/bill-fields.ts';
import type { Row } from '../contract/extracted-document.ts';
import type { Citer } from '../contract/quote-finding.ts';
import type { Attention, Cite, DocumentKind, Field, Item, Items } from '../contract/report.contract.ts';
import { type InvoiceXml, readInvoiceXml } from '../formats/invoice-xml.ts';
import { type DocumentGrid, gridOf } from '../layout/document-grid.ts';
import { type RowItem, roundingOf } from './item-row.ts';
import { centsOf, sumOf, type TableSum } from './item-sums.ts';
import { type ItemTable, itemTables, joinedTable } from './item-table.ts';

/** The items of a bill, and warnings about them. */
export interface FoundItems {
  readonly items?: Items;
  readonly attention: readonly Attention[];
}

interface BillOf {
  readonly rows: readonly Row[];
  readonly invoiceXml: string | undefined;
  readonly kind: DocumentKind;
  readonly fields: readonly Field[];
}

/**
 * The items of a bill, from the e-invoice's data if it has any, else from the page. A table of the page counts only if
 * its amounts add up to a sum of the bill, or if all its rows are products of quantity and price. The report warns of
 * contradictions, and does not correct them.
 */
export function findItems({ rows, invoiceXml, kind, fields }: BillOf, citer: Citer): FoundItems {
  if (!BILLS.has(kind)) return { attention: [] };
  const grid = gridOf(rows);
  const printed = printedTable(grid, fields);
  const data = invoiceXml === undefined ? undefined : readInvoiceXml(invoiceXml);
  const stated = data === undefined ? undefined : itemsOfData(data, printed?.table.items ?? [], citer);
  if (stated !== undefined) return stated;
  if (printed === undefined) return { attention: [] };
  return itemsOfPage(printed.table, printed.sum, { fields, citer });
}

interface SummedTable {
  readonly table: ItemTable;
  readonly sum: TableSum;
}

/**
 * The table that adds up to a sum of the bill. The total goes before a subtotal, which covers only a part of the items:
 * more groups may follow, or another table below.
 */
function printedTable(grid: DocumentGrid, fields: readonly Field[]): SummedTable | undefined {
  const summed = (table: ItemTable): SummedTable => ({ table, sum: sumOf(table, fields, grid) });
  const tables = itemTables(grid);
  const single = tables.map(summed);
  const whole = single.find(isWhole);
  if (whole !== undefined || single.length === 0) return whole;
  const joined = [joinedTable(tables), joinedTable(itemTables(grid, true))];
  return (
    joined
      .flatMap((table) => table ?? [])
      .map(summed)
      .find(isWhole) ??
    single.find(({ sum }) => sum.is !== undefined) ??
    single.find(({ table }) => isProven(table))
  );
}

function isWhole({ sum }: SummedTable): boolean {
  return sum.is === 'net_total' || sum.is === 'total';
}

/**
 * Whether most rows are products, and not all with quantity 1, which happens by chance. The right product of every other
 * row must be known.
 */
function isProven({ items, hasHead }: ItemTable): boolean {
  const products = items.filter(({ proven }) => proven);
  return (
    hasHead &&
    products.length * 2 >= items.length &&
    products.some(({ quantity }) => quantity !== 1) &&
    items.every(({ proven, otherwise }) => proven || otherwise !== undefined)
  );
}

function itemsOfPage(
  table: ItemTable,
  sum: TableSum,
  { fields, citer }: { fields: readonly Field[]; citer: Citer },
): FoundItems {
  const rows = table.items.map((item) => itemOfPage(item, citer));
  if (rows.some(({ cites }) => cites.length === 0)) return { attention: [] };
  const products = table.items.filter(({ proven }) => proven).length;
  const attention = [
    ...mismatchOf(sum, rows, fields),
    // Only if another row shows that the columns were read correctly.
    ...(products > 0 ? table.items.flatMap((item, at) => wrongProduct(item, rows[at]?.cites ?? [])) : []),
  ];
  return {
    items: {
      source: 'text',
      rows,
      sum: decimal(sum.cents),
      ...(sum.is === undefined ? {} : { sumIs: sum.is }),
    },
    attention,
  };
}

/** A warning that the items do not add up to the bill's sum. */
export function mismatchOf(sum: TableSum, rows: readonly Item[], fields: readonly Field[]): Attention[] {
  const printed = fields.find(({ key }) => key === 'net_total') ?? fields.find(({ key }) => key === 'total');
  if (sum.is !== undefined || sum.isExplained || printed === undefined) return [];
  if (printed.confidence < SURE_SUM) return [];
  return [
    {
      code: 'items_mismatch',
      severity: 'warn',
      text: `The ${rows.length === 1 ? 'item comes' : `${rows.length} items come`} to ${decimal(sum.cents)}, but the ${printed.label.toLowerCase()} is ${printed.value}: an item, a discount or a charge may be missing, or a figure is wrong.`,
      cites: printed.cites.slice(0, 4),
    },
  ];
}

const SURE_SUM = 0.8;

function wrongProduct(item: RowItem, cites: readonly Cite[]): Attention[] {
  const { quantity, price, otherwise, cents, text, amount } = item;
  if (otherwise === undefined || quantity === undefined || price === undefined) return [];
  if (Math.abs(otherwise - cents) <= 1 + 100 * roundingOf(quantity, price)) return [];
  return [
    {
      code: 'item_product',
      severity: 'warn',
      text: `“${text.slice(0, 80)}”: ${quantity} × ${priceText(price)} is ${decimal(otherwise)}, the page prints ${amount.printed}.`,
      cites: cites.slice(0, 4),
    },
  ];
}

function itemOfPage(item: RowItem, citer: Citer): Item {
  const { text, textCell, quantity, unit, price, discount, rate, cents, amount } = item;
  const page = amount.cell.page;
  const name = textCell === undefined ? undefined : citer.find(nameOf(text, textCell.text), page);
  const sum =
    citer.find(amount.printed, page, nameOf(text, textCell?.text ?? '').slice(0, 30)) ??
    citer.find(amount.printed, page);
  return {
    text,
    ...(quantity === undefined ? {} : { quantity: String(quantity) }),
    ...(unit === undefined ? {} : { unit }),
    ...(price === undefined ? {} : { price: priceText(price) }),
    ...(discount === undefined ? {} : { discount: String(discount) }),
    ...(rate === undefined ? {} : { taxRate: String(rate) }),
    amount: decimal(cents),
    cites: sum === undefined ? [] : [name, sum].filter((cite) => cite !== undefined),
  };
}

/** The beginning that the item's text and its cell share. */
function nameOf(text: string, cell: string): string {
  let length = 0;
  while (length < text.length && text[length] === cell[length]) length += 1;
  return length < 2 ? text : text.slice(0, length);
}

function priceText({ value, decimals }: NonNullable<RowItem['price']>): string {
  return value.toFixed(Math.max(2, Math.min(6, decimals)));
}

/** The items of the data, each with the place on the page where the same amount was read. */
function itemsOfData(data: InvoiceXml, printed: readonly RowItem[], citer: Citer): FoundItems | undefined {
  const stated = data.lines.filter(({ amount }) => Number.isFinite(Number(amount ?? Number.NaN)));
  if (stated.length === 0) return undefined;
  const free = [...printed];
  const rows = stated.map((line): Item => {
    const cents = Math.round(Number(line.amount) * 100);
    const at = free.findIndex((item) => Math.abs(item.cents) === Math.abs(cents));
    const [same] = at < 0 ? [] : free.splice(at, 1);
    const name = line.description === '' ? undefined : citer.find(line.description, undefined);
    return {
      text: line.description,
      ...(line.quantity === undefined ? {} : { quantity: plain(line.quantity) }),
      ...(line.price === undefined ? {} : { price: line.price }),
      ...(line.taxRate === undefined ? {} : { taxRate: plain(line.taxRate) }),
      amount: decimal(cents),
      cites: same === undefined ? (name === undefined ? [] : [name]) : itemOfPage(same, citer).cites,
    };
  });
  const cents = rows.reduce((sum, { amount }) => sum + Math.round(Number(amount) * 100), 0);
  const net = centsOf(
    data.facts.map((fact) => ({ ...fact, confidence: 1, source: 'xml' as const, cites: [] })),
    'net_total',
  );
  const own = data.linesTotal === undefined ? undefined : Math.round(Number(data.linesTotal) * 100);
  return {
    items: {
      source: 'xml',
      rows,
      sum: decimal(cents),
      ...(cents === net
        ? { sumIs: 'net_total' as const }
        : cents === own
          ? { sumIs: 'subtotal' as const }
          : {}),
    },
    attention:
      own === undefined || own === cents
        ? []
        : [
            {
              code: 'items_mismatch',
              severity: 'warn',
              text: `The items of the e-invoice data come to ${decimal(cents)}, but it gives their sum as ${decimal(own)}.`,
              cites: [],
            },
          ],
  };
}

/** Drops trailing zeros: 3.0000 is 3. */
function plain(figures: string): string {
  return Number.isFinite(Number(figures)) ? String(Number(figures)) : figures.slice(0, 40);
}

function decimal(cents: number): string {
  return (cents / 100).toFixed(2);
}
