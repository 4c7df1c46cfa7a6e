import { findAmounts } from '../values/amounts.ts';
import { folded } from '../values/folded-text.ts';
import { figureOf } from './table-figures.ts';

/** The first words of a row of sums, in our six languages. */
const SUM =
  /^\W*(?:grand |sub-?)?(?:total|sum|summe|gesamt\p{L}*|insgesamt|totaal|totale|suma|somme|totaux|totali|totales)(?!\p{L})/iu;
/** Names of subtotals of a page or a group, folded. */
const RUNNING =
  /^(?:carriedforward|broughtforward|carriedover|ubertrag(?!ung)|zwischensumme|seitensumme|subtotal|pagetotal|areporter|sousreport|soustotal|totaldelapage|subtotaal|transportvanpagina|sumaysigue|sumaanterior|riporto|ariportare|dariportare)/;
const BALANCE =
  /^(?:balance|totals?|sum|amount)(?:carried|brought)(?:forward|over|down)|^(?:totals?|sum|summe|totaal|totale|somme|suma)(?:for|of|der|della|dela|de|di|van)?(?:this)?(?:page|seite|pagina)/;
/** Names of subtotals that may also name goods or texts: transport, report. */
const MAYBE_RUNNING = /^(?:report|transport|ubertrag)/;

/** The sums in the last row of a table, checked. */
export interface CheckedSums {
  /** Columns, from 0, whose last cell is the sum of all cells above it. */
  readonly summed: number[];
  /** Rows, from 0, that repeat the sum of rows above, and are therefore not added. */
  readonly carried: number[];
}

/** Whether a row says that it holds sums. */
export function isSumRow(row: readonly string[]): boolean {
  return row.some((text) => SUM.test(text));
}

/** Whether a row names a subtotal: "carried forward", "subtotal", in our six languages. */
export function isRunningTotal(row: readonly string[]): boolean {
  return row.some((text) => namesRunningTotal(text) || BALANCE.test(folded(text)));
}

/** Whether the only name in a row may name a subtotal. */
export function isNamedAsCarried(row: readonly string[]): boolean {
  return row.some((text) => /^(?:report|transport)$/.test(folded(text)));
}

/** Whether a text names a subtotal, and cannot name goods as "Transport" can. */
export function namesRunningTotal(text: string): boolean {
  return RUNNING.test(folded(text));
}

/** Whether a text may name a subtotal; only the figure can tell. */
export function mayNameRunningTotal(text: string): boolean {
  return MAYBE_RUNNING.test(folded(text));
}

/**
 * Finds the columns that end in the sum of all cells above, if the last row says that it holds sums, and the subtotals
 * above it. A column counts only if all its cells can be added: a number that is not understood, or has another unit, may
 * make any sum wrong. A row with the name of a subtotal counts as one only if its figure is right; otherwise it is an
 * entry, such as the opening balance of an account.
 */
export function checkSums(rows: readonly (readonly string[])[]): CheckedSums {
  const last = rows.at(-1) ?? [];
  const above = rows.slice(0, -1);
  if (above.length < 2 || !isSumRow(last)) return { summed: [], carried: [] };
  const named = above.map(namedSum);
  const summed: number[] = [];
  const carried = new Set<number>();
  for (const [column, text] of last.entries()) {
    const cells = above.map((row) => row[column] ?? '');
    const sums = sumsSoFar(cells, named, text);
    if (sums === undefined) continue;
    summed.push(column);
    for (const row of sums) carried.add(row);
  }
  return { summed, carried: [...carried].sort((a, b) => a - b) };
}

/** What kind of sum a row's name says. */
type NamedSum = 'sum' | 'maybe' | 'none';

function namedSum(row: readonly string[]): NamedSum {
  if (isSumRow(row) || isRunningTotal(row)) return 'sum';
  return row.some(mayNameRunningTotal) ? 'maybe' : 'none';
}

/** The rows of a column that are subtotals, if its last cell is the sum of the others; undefined if it is not. */
function sumsSoFar(cells: readonly string[], named: readonly NamedSum[], last: string): number[] | undefined {
  const sum = figureOf(last);
  if (sum === undefined || unitsIn([...cells, last]).size > 1) return undefined;
  const sums: number[] = [];
  let [entries, all, group] = [0, 0, 0];
  for (const [row, cell] of cells.entries()) {
    if (!/\d/.test(cell)) continue;
    const figure = figureOf(cell);
    if (figure === undefined) return undefined;
    const cents = Math.round(figure * 100);
    // A name that may be goods is a subtotal only if it equals the sum of all rows above, not of a group.
    const isSum = cents === all ? named[row] !== 'none' : named[row] === 'sum' && cents === group;
    if (isSum && entries > 0) {
      sums.push(row);
      group = 0;
      continue;
    }
    entries += 1;
    all += cents;
    group += cents;
  }
  return entries > 1 && all === Math.round(sum * 100) ? sums : undefined;
}

/** The currencies or per cent signs that cells print; a cell without one has the unit of the others. */
function unitsIn(cells: readonly string[]): Set<string> {
  const units = cells.map((cell) =>
    !/\d/.test(cell) ? undefined : cell.includes('%') ? '%' : findAmounts(cell)[0]?.currency,
  );
  return new Set(units.filter((unit) => unit !== undefined));
}
