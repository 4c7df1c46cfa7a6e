import { findAmounts } from '../report/value-parsing.server.ts';
import { figureOf } from './table-figures.server.ts';

/** What opens a row of sums, in our six languages. */
const SUM =
  /^\W*(?:grand |sub-?)?(?:total|sum|summe|gesamt\p{L}*|insgesamt|totaal|totale|suma|somme|totaux|totali|totales)(?!\p{L})/iu;

/**
 * The columns, from 0, whose last cell is the sum of all above it, where the last row says that it holds sums. Only where
 * all of them can be added: a cell with a number that is not understood, or in another unit, may make any sum a wrong one.
 */
export function summedColumns(rows: readonly (readonly string[])[]): number[] {
  const last = rows.at(-1) ?? [];
  const above = rows.slice(0, -1);
  if (above.length < 2 || !last.some((text) => SUM.test(text))) return [];
  return last.flatMap((text, column) => {
    const sum = figureOf(text);
    const cells = above.map((row) => row[column] ?? '').filter((cell) => /\d/.test(cell));
    const figures = cells.map(figureOf).filter((figure) => figure !== undefined);
    if (sum === undefined || figures.length < 2 || figures.length < cells.length) return [];
    if (unitsIn([...cells, text]).size > 1) return [];
    const cents = figures.reduce((all, figure) => all + Math.round(figure * 100), 0);
    return cents === Math.round(sum * 100) ? [column] : [];
  });
}

/** The currencies that cells print, or per cent; those without have that of the others. */
function unitsIn(cells: readonly string[]): Set<string> {
  const units = cells.map((cell) => (cell.includes('%') ? '%' : findAmounts(cell)[0]?.currency));
  return new Set(units.filter((unit) => unit !== undefined));
}
