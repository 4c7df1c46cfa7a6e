import { findAmounts } from '../values/amounts.ts';
import { folded } from '../values/folded-text.ts';
import { figureOf } from './table-figures.ts';

/** What opens a row of sums, in our six languages. */
const SUM =
  /^\W*(?:grand |sub-?)?(?:total|sum|summe|gesamt\p{L}*|insgesamt|totaal|totale|suma|somme|totaux|totali|totales)(?!\p{L})/iu;
/** What names a sum so far, of a page or a group, folded. */
const RUNNING =
  /^(?:carriedforward|broughtforward|carriedover|ubertrag(?!ung)|zwischensumme|seitensumme|subtotal|pagetotal|areporter|sousreport|soustotal|totaldelapage|subtotaal|transportvanpagina|sumaysigue|sumaanterior|riporto|ariportare|dariportare)/;
const BALANCE =
  /^(?:balance|totals?|sum|amount)(?:carried|brought)(?:forward|over|down)|^(?:totals?|sum|summe|totaal|totale|somme|suma)(?:for|of|der|della|dela|de|di|van)?(?:this)?(?:page|seite|pagina)/;
/** Names of sums so far that are names of things too: a transport, a report. */
const MAYBE_RUNNING = /^(?:report|transport|ubertrag)/;

/** What the last row of a table says, checked. */
export interface CheckedSums {
  /** Columns, from 0, whose last cell is the sum of all above it. */
  readonly summed: number[];
  /** Rows, from 0, that say what those above come to, and are therefore not added. */
  readonly carried: number[];
}

/** Whether a row says that it holds sums. */
export function isSumRow(row: readonly string[]): boolean {
  return row.some((text) => SUM.test(text));
}

/** Whether a row names a sum so far: "carried forward", a subtotal, in our six languages. */
export function isRunningTotal(row: readonly string[]): boolean {
  return row.some((text) => namesRunningTotal(text) || BALANCE.test(folded(text)));
}

/** Whether a row has no name but one that a sum so far may have. */
export function isNamedAsCarried(row: readonly string[]): boolean {
  return row.some((text) => /^(?:report|transport)$/.test(folded(text)));
}

/** Whether a text names a sum so far, and cannot name a thing as "Transport" does. */
export function namesRunningTotal(text: string): boolean {
  return RUNNING.test(folded(text));
}

/** Whether a text may name a sum so far; only its figure tells it from a thing of that name. */
export function mayNameRunningTotal(text: string): boolean {
  return MAYBE_RUNNING.test(folded(text));
}

/**
 * The columns whose last cell is the sum of all above it, where the last row says that it holds sums, and the sums so far
 * above it. Only where all of them can be added: a cell with a number that is not understood, or in another unit, may make
 * any sum a wrong one. A row that is named a sum so far counts as one only where it is one; else it is an entry, as what
 * an account opens with.
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

/** What a row's name says of it. */
type NamedSum = 'sum' | 'maybe' | 'none';

function namedSum(row: readonly string[]): NamedSum {
  if (isSumRow(row) || isRunningTotal(row)) return 'sum';
  return row.some(mayNameRunningTotal) ? 'maybe' : 'none';
}

/** The rows of a column that are sums so far, where its last cell is the sum of the others; undefined where it is not. */
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
    // What may be a thing of that name is no sum of a group, only one of all above.
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

/** The currencies that cells print, or per cent; those without have that of the others. */
function unitsIn(cells: readonly string[]): Set<string> {
  const units = cells.map((cell) =>
    !/\d/.test(cell) ? undefined : cell.includes('%') ? '%' : findAmounts(cell)[0]?.currency,
  );
  return new Set(units.filter((unit) => unit !== undefined));
}
