import { type Canvas, createCanvas } from '@napi-rs/canvas';
import type { Scan } from '../samples/make-scans.fixture.ts';
import { seeded } from '../samples/make-scans.fixture.ts';

/** The colour of a table. */
const TABLE = '#8d8578';

/** How papers lie on a table. */
export interface PhotoOptions {
  readonly seed: number;
  readonly columns: number;
  /** Most degrees by which a paper is turned. */
  readonly turn: number;
  /** Pixels between them; negative if they overlap. */
  readonly gap: number;
  readonly ground?: string;
}

/** A photo of papers on a table, row by row, each turned by a few degrees. */
export function layOut(
  papers: readonly Scan[],
  { seed, columns, turn, gap, ground = TABLE }: PhotoOptions,
): Canvas {
  const random = seeded(seed);
  const width = Math.max(...papers.map(({ canvas }) => canvas.width));
  const rows = Array.from({ length: Math.ceil(papers.length / columns) }, (_, row) =>
    papers.slice(row * columns, (row + 1) * columns),
  );
  // Turned papers need more space.
  const heights = rows.map((row) => Math.max(...row.map(({ canvas }) => canvas.height)));
  const lean = Math.sin((turn * Math.PI) / 180);
  const spaceX = width * (1 - lean / 4) + Math.max(...heights) * lean + gap;
  const photo = createCanvas(
    Math.round(columns * spaceX + 160),
    Math.round(heights.reduce((sum, height) => sum + height + width * lean + gap, 160)),
  );
  const context = photo.getContext('2d');
  context.fillStyle = ground;
  context.fillRect(0, 0, photo.width, photo.height);
  let top = 80 + gap / 2 + (width * lean) / 2;
  for (const [row, own] of rows.entries()) {
    for (const [column, { canvas }] of own.entries()) {
      context.save();
      context.translate(80 + (column + 0.5) * spaceX, top + canvas.height / 2);
      context.rotate(((random() * 2 - 1) * turn * Math.PI) / 180);
      context.drawImage(canvas, -canvas.width / 2, -canvas.height / 2);
      context.restore();
    }
    top += (heights[row] ?? 0) + width * lean + gap;
  }
  return photo;
}
