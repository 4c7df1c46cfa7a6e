import { figureOf } from './table-figures.server.ts';

/** What opens a row of sums, in our six languages. */
const SUM =
  /^\W*(?:grand |sub-?)?(?:total|sum|summe|gesamt\p{L}*|insgesamt|totaal|totale|suma|somme|totaux|totali|totales)(?!\p{L})/iu;

/** The columns, from 0, whose last cell is the sum of all above it, where the last row says that it holds sums. */
export function summedColumns(rows: readonly (readonly string[])[]): number[] {
  const last = rows.at(-1) ?? [];
  const above = rows.slice(0, -1);
  if (above.length < 2 || !last.some((text) => SUM.test(text))) return [];
  return last.flatMap((text, column) => {
    const sum = figureOf(text);
    const figures = above.map((row) => figureOf(row[column] ?? ''));
    if (sum === undefined || figures.filter((figure) => figure !== undefined).length < 2) return [];
    const cents = figures.reduce((all: number, figure) => all + Math.round((figure ?? 0) * 100), 0);
    return cents === Math.round(sum * 100) ? [column] : [];
  });
}
