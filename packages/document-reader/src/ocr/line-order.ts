import { type Extent, extentOf } from './box-geometry.ts';
import type { ReadLine, ReadWord } from './page-reading.ts';

/** The extent of a line's words. */
export function placeOf({ words }: ReadLine): Extent {
  return extentOf(
    words.flatMap(({ place }) => [
      [place.left, place.top],
      [place.right, place.bottom],
    ]),
  );
}

/**
 * Puts lines of two readers into one reading order.
 *
 * @param ordered lines in the page reader's order
 * @param added lines without an order
 * @param byRows whether to sort all lines by rows, as on a receipt; if not, the page reader's order is kept
 */
export function orderLines(
  ordered: readonly ReadLine[],
  added: readonly ReadLine[],
  byRows: boolean,
): ReadLine[] {
  if (byRows) return joinRows([...ordered, ...added]);
  const lines = [...ordered];
  const byHeight = [...added].sort((a, b) => placeOf(a).top - placeOf(b).top);
  for (const line of byHeight) insertLine(lines, line);
  return lines;
}

/** Joins a line to the one on the same row, or puts it after the last one above it. */
function insertLine(lines: ReadLine[], line: ReadLine): void {
  const place = placeOf(line);
  const same = lines.findIndex(
    (other) => isSameRow(placeOf(other), place) && gapOf(placeOf(other), place) < 4,
  );
  const found = lines[same];
  if (found !== undefined) {
    lines[same] = { words: leftToRight([...found.words, ...line.words]) };
    return;
  }
  const above = lines.findLastIndex((other) => {
    const { left, right, bottom } = placeOf(other);
    return bottom <= (place.top + place.bottom) / 2 && left < place.right && right > place.left;
  });
  const below = lines.findIndex((other) => placeOf(other).top >= (place.top + place.bottom) / 2);
  lines.splice(above >= 0 ? above + 1 : below >= 0 ? below : lines.length, 0, line);
}

/** Distance between two lines on one row, in line heights; negative if they overlap. */
function gapOf(a: Extent, b: Extent): number {
  const apart = Math.max(a.left, b.left) - Math.min(a.right, b.right);
  return apart / Math.max(1, Math.min(a.bottom - a.top, b.bottom - b.top));
}

function isSameRow(a: Extent, b: Extent): boolean {
  const least = Math.min(a.bottom - a.top, b.bottom - b.top);
  return Math.abs((a.top + a.bottom) / 2 - (b.top + b.bottom) / 2) < 0.5 * least;
}

function joinRows(lines: readonly ReadLine[]): ReadLine[] {
  const middle = ({ top, bottom }: Extent): number => (top + bottom) / 2;
  const sorted = lines
    .map((line) => ({ line, place: placeOf(line) }))
    .sort((a, b) => middle(a.place) - middle(b.place));
  const rows: { words: readonly ReadWord[]; place: Extent }[] = [];
  for (const { line, place } of sorted) {
    const row = rows.findLast((candidate) => isSameRow(candidate.place, place));
    if (row === undefined) rows.push({ words: line.words, place });
    else row.words = [...row.words, ...line.words];
  }
  return rows.map(({ words }) => ({ words: leftToRight(words) }));
}

function leftToRight(words: readonly ReadWord[]): ReadWord[] {
  return [...words].sort((a, b) => a.place.left - b.place.left);
}
