import type { Cell, Row } from '../contract/extracted-document.ts';

/** A run of text from pdf.js; x, y (upwards), width and size in points. */
export interface TextRun {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly size: number;
  readonly endOfLine: boolean;
}

/** A gap wider than this many font sizes separates two cells. */
const CELL_GAP = 1.1;
/** A gap wider than this many font sizes separates two words. */
const WORD_GAP = 0.18;

/** The rows of a page by geometry, top to bottom, with cells from left to right; the form's values follow. */
export function pageRows(
  page: number,
  runs: readonly TextRun[],
  form: readonly { label: string; value: string }[],
): Row[] {
  const visible = runs.filter((run) => run.text.trim() !== '');
  const sorted = [...visible].sort((a, b) => b.y - a.y || a.x - b.x);
  const bands: TextRun[][] = [];
  for (const run of sorted) {
    const band = bands.at(-1);
    const first = band?.[0];
    if (
      band !== undefined &&
      first !== undefined &&
      Math.abs(first.y - run.y) <= Math.min(first.size, run.size) * 0.45
    ) {
      band.push(run);
    } else {
      bands.push([run]);
    }
  }
  const rows: Row[] = bands.map((band) => ({ page, cells: cellsOf(band), y: band[0]?.y ?? 0 }));
  for (const { label, value } of form) {
    rows.push({
      page,
      cells: [
        { text: `${label}:`, left: 0, right: 0 },
        { text: value, left: 1, right: 1 },
      ],
    });
  }
  return rows;
}

function cellsOf(band: readonly TextRun[]): Cell[] {
  const cells: { text: string; left: number; right: number }[] = [];
  for (const run of [...band].sort((a, b) => a.x - b.x)) {
    const cell = cells.at(-1);
    const gap = cell === undefined ? Number.POSITIVE_INFINITY : run.x - cell.right;
    if (cell === undefined || gap > run.size * CELL_GAP) {
      cells.push({ text: run.text, left: run.x, right: run.x + run.width });
    } else {
      cell.text += needsSpace(cell.text, run.text, gap, run.size) ? ` ${run.text}` : run.text;
      cell.right = Math.max(cell.right, run.x + run.width);
    }
  }
  return cells
    .map((cell) => ({ ...cell, text: cell.text.replace(/\s+/g, ' ').trim() }))
    .filter(({ text }) => text !== '');
}

/** Whether a space belongs between two consecutive runs of a line. */
export function needsSpace(before: string, after: string, gap: number, size: number): boolean {
  return gap > size * WORD_GAP && !/\s$/.test(before) && !/^\s/.test(after);
}
