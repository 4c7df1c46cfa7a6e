import type { ColumnRole, ItemColumn } from '../bills/item-columns.ts';
import type { GridCell } from '../layout/document-grid.ts';
import type { RowNumber, RowText } from './item-numbers.ts';

/** An item, as a row prints it. */
export interface RowItem {
  readonly text: string;
  /** The cell of its text; undefined if the text comes from the rows around. */
  readonly textCell: GridCell | undefined;
  readonly quantity: number | undefined;
  readonly unit: string | undefined;
  readonly price: { readonly value: number; readonly decimals: number } | undefined;
  /** Per cent. */
  readonly rate: number | undefined;
  /** The printed discount that explains the amount, per cent. */
  readonly discount: number | undefined;
  readonly amount: RowNumber;
  readonly cents: number;
  /** Whether quantity times price, less a printed discount, is the amount. */
  readonly proven: boolean;
  /** Quantity times price in cents, if that is not the amount and nothing printed explains why. */
  readonly otherwise: number | undefined;
}

/** The numbers and texts of a row, each with its column. */
export interface RowParts {
  readonly numbers: readonly RowNumber[];
  readonly texts: readonly RowText[];
}

/** The role of the column at a place; undefined without columns. */
export function roleAt(
  box: Pick<GridCell, 'left' | 'right'>,
  columns: readonly ItemColumn[],
): ColumnRole | undefined {
  const off = (other: Pick<GridCell, 'left' | 'right'>): number =>
    Math.min(
      Math.abs(other.left - box.left),
      Math.abs(other.right - box.right),
      Math.abs(other.left + other.right - box.left - box.right) / 2,
    );
  return columns.reduce<ItemColumn | undefined>(
    (best, column) => (best === undefined || off(column.box) < off(best.box) ? column : best),
    undefined,
  )?.role;
}

const CENT = 0.0051;
/** Share of the amount that a rounded price may change. */
const ROUNDING = 0.005;

interface Product {
  readonly quantity: RowNumber;
  readonly price: RowNumber;
  readonly amount: RowNumber;
  readonly values: readonly [quantity: number, price: number, amount: number];
  /** Per cent. */
  readonly discount: number | undefined;
  readonly score: number;
}

/** The item of a row; undefined if it holds none. Without columns only a product shows that it is an item. */
export function itemOf(parts: RowParts, columns: readonly ItemColumn[]): RowItem | undefined {
  const roles = rolesOf(parts.numbers, columns);
  const product = bestProduct(parts.numbers, roles);
  const amount = product?.amount ?? amountOf(parts.numbers, roles);
  if (amount === undefined) return undefined;
  const of = (role: ColumnRole): RowNumber | undefined =>
    parts.numbers.find((number) => number !== amount && !number.percent && roles.get(number) === role);
  const [quantity, price] = [product?.quantity ?? of('quantity'), product?.price ?? of('price')];
  const [count, one] = product?.values ?? [quantity?.values[0], price?.values[0]];
  const text = textOf(parts.texts, columns);
  return {
    text: text?.text ?? '',
    textCell: text?.cell,
    quantity: count,
    unit: quantity?.unit,
    price: price === undefined || one === undefined ? undefined : { value: one, decimals: price.decimals },
    rate: rateOf(parts.numbers, roles),
    discount: product?.discount,
    amount,
    cents: Math.round((product?.values[2] ?? amount.values[0] ?? 0) * 100),
    proven: product !== undefined,
    otherwise:
      product === undefined && isPlain(parts.numbers, roles) && count !== undefined && one !== undefined
        ? Math.round(count * one * 100)
        : undefined,
  };
}

/** The role of each number's column; only percentages belong to a column of rates. */
function rolesOf(numbers: readonly RowNumber[], columns: readonly ItemColumn[]): Roles {
  return new Map(
    numbers.map((number) => {
      const role = roleAt(number.box, columns);
      const isRate = number.percent || (number.values[0] ?? 0) <= HIGHEST_RATE;
      return [number, role === 'rate' && !isRate ? undefined : role];
    }),
  );
}

type Roles = ReadonlyMap<RowNumber, ColumnRole | undefined>;

/** Columns whose numbers are not factors. */
const NO_FACTORS: ReadonlySet<ColumnRole | undefined> = new Set([
  'position',
  'article',
  'rate',
  'discount',
  'unit',
]);

function bestProduct(numbers: readonly RowNumber[], roles: Roles): Product | undefined {
  const factors = numbers.filter((number) => !number.percent && !NO_FACTORS.has(roles.get(number)));
  const discounts = numbers.filter((number) => number.percent || roles.get(number) === 'discount');
  let best: Product | undefined;
  for (const amount of factors.filter((number) => number.isMoney || roles.get(number) === 'amount')) {
    const before = factors.slice(0, factors.indexOf(amount));
    for (const first of before)
      for (const second of before.slice(before.indexOf(first) + 1)) {
        const product = productOf(inOrder(first, second, roles), amount, { roles, discounts });
        if (product !== undefined && product.score > (best?.score ?? -1)) best = product;
      }
  }
  return best;
}

/** Quantity first: by their columns, else by a unit, else the number with fewer decimals, else the left one. */
function inOrder(first: RowNumber, second: RowNumber, roles: Roles): [RowNumber, RowNumber] {
  const isTurned = (): boolean => {
    if (roles.get(first) === 'price' || roles.get(second) === 'quantity') return true;
    if (roles.get(first) === 'quantity' || roles.get(second) === 'price') return false;
    if ((first.unit === undefined) !== (second.unit === undefined)) return first.unit === undefined;
    return first.decimals > second.decimals;
  };
  return isTurned() ? [second, first] : [first, second];
}

function productOf(
  [quantity, price]: [RowNumber, RowNumber],
  amount: RowNumber,
  { roles, discounts }: { roles: Roles; discounts: readonly RowNumber[] },
): Product | undefined {
  const inColumns = roles.get(quantity) === 'quantity' && roles.get(price) === 'price';
  const score =
    (roles.get(amount) === 'amount' ? 4 : 0) +
    (inColumns ? 4 : 0) +
    (price.decimals >= 2 ? 1 : 0) +
    amount.start / 1e6;
  const shares = [0, ...discounts.map((number) => number.values[0] ?? 0)];
  const readings = amount.values.flatMap((a) =>
    quantity.values.flatMap((q) => price.values.map((p) => [q, p, a] as const)),
  );
  for (const values of readings) {
    const [q, p, a] = values;
    // A rounded price changes the amount by up to half its last digit for each piece.
    const rounding = inColumns ? Math.min(roundingOf(q, price), Math.abs(a) * ROUNDING) : 0;
    const fits = (share: number): boolean =>
      Math.abs(q * p * (1 - share / 100) - a) <= Math.max(CENT, rounding);
    const discount = a === 0 ? undefined : shares.find(fits);
    if (discount !== undefined)
      return { quantity, price, amount, values, score, discount: discount === 0 ? undefined : discount };
  }
  return undefined;
}

/** How far rounding of the printed price may change the amount. */
export function roundingOf(quantity: number, { decimals }: Pick<RowNumber, 'decimals'>): number {
  return Math.abs(quantity) * 0.5 * 10 ** -decimals;
}

/** The amount by its column, for a row without a product. */
function amountOf(numbers: readonly RowNumber[], roles: Roles): RowNumber | undefined {
  return numbers.findLast((number) => number.isMoney && roles.get(number) === 'amount');
}

/** The rate of the tax, if the table has a column of rates. */
function rateOf(numbers: readonly RowNumber[], roles: Roles): number | undefined {
  const value = numbers.find((number) => roles.get(number) === 'rate')?.values[0];
  return value === undefined || value < 0 || value > HIGHEST_RATE ? undefined : value;
}

const HIGHEST_RATE = 30;

/** Whether nothing in the row explains a wrong product, as a discount or a price for a hundred would. */
function isPlain(numbers: readonly RowNumber[], roles: Roles): boolean {
  return numbers.every((number) => {
    const role = roles.get(number);
    return role !== 'discount' && role !== 'unit' && (!number.percent || role === 'rate');
  });
}

const NAMES: ReadonlySet<ColumnRole | undefined> = new Set(['text', 'article', 'position', undefined]);

/** The row's text from the column of texts; an article code only if nothing else names the goods. */
function textOf(texts: readonly RowText[], columns: readonly ItemColumn[]): RowText | undefined {
  const placed = texts.map((text) => ({ text, role: roleAt(text.cell, columns) }));
  const named = placed.filter(({ role }) => role === 'text');
  const chosen = named.length > 0 ? named : placed.filter(({ role }) => NAMES.has(role));
  const [first] = chosen;
  if (first === undefined) return undefined;
  return { text: chosen.map(({ text }) => text.text).join(' '), cell: first.text.cell };
}
