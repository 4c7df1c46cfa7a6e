import { needsSpace, type TextRun } from './pdf-rows.server.ts';
import type { Block } from './report.contract.ts';

/** A printed line in stream order. Points; y grows upwards. */
export interface Line {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly size: number;
  /** Has a gap as wide as between table cells. */
  readonly tabular: boolean;
}

/** One page's lines, and the values typed into its form. */
export interface PageLines {
  readonly page: number;
  readonly height: number;
  readonly lines: Line[];
  readonly form: readonly { label: string; value: string }[];
}

const CELL_GAP = 1.8;

/** Joins runs to lines in the order of the file: sorting by position would interleave columns (contract §2.1). */
export function linesOf(runs: readonly TextRun[]): Line[] {
  const lines: Line[] = [];
  let text = '';
  let start: TextRun | undefined;
  let last: TextRun | undefined;
  let tabular = false;
  const finish = (): void => {
    const clean = text.replace(/[^\S\n]{3,}/g, '  ').trim();
    if (start !== undefined && clean !== '')
      lines.push({ text: clean, x: start.x, y: start.y, size: start.size, tabular });
    text = '';
    start = undefined;
    last = undefined;
    tabular = false;
  };
  for (const run of runs) {
    if (start !== undefined && last !== undefined) {
      const sameLine = Math.abs(start.y - run.y) <= Math.max(start.size, run.size) * 0.5;
      const gap = run.x - (last.x + last.width);
      if (run.text.trim() !== '' && (!sameLine || gap < -run.size * 3)) finish();
      else if (run.text.trim() !== '' && gap > run.size * CELL_GAP) {
        text += '  ';
        tabular = true;
      } else if (needsSpace(text, run.text, gap, run.size)) text += ' ';
    }
    if (run.text.trim() !== '') {
      start ??= run;
      last = run;
      text += run.text;
    } else if (
      start !== undefined &&
      run.text !== '' &&
      !/\s$/.test(text) &&
      run.width < run.size * CELL_GAP
    ) {
      text += ' ';
    }
  }
  finish();
  return lines;
}

type NewBlock = Omit<Block, 'id'>;

/** Turns pages of lines to headings, paragraphs, tables, captions, and running heads and feet. */
export function paragraphsOf(pages: readonly PageLines[]): NewBlock[] {
  const body = bodySize(pages);
  const running = runningLines(pages);
  const blocks: NewBlock[] = [];
  for (const page of pages) {
    let open: { block: NewBlock; line: Line; lines: number } | undefined;
    for (const line of page.lines) {
      const edge = running.get(runningKey(page, line));
      if (edge !== undefined) {
        blocks.push({ type: edge, page: page.page, text: line.text });
        continue;
      }
      if (open !== undefined && continues(open.block, open.line, line, body)) {
        open.block.text = joinLines(open.block, line.text);
        open = { block: open.block, line, lines: open.lines + 1 };
        continue;
      }
      const block = startBlock(page.page, line, body);
      blocks.push(block);
      open = { block, line, lines: 1 };
    }
    for (const { label, value } of page.form) {
      blocks.push({ type: 'table', page: page.page, text: `${label}: ${value}` });
    }
  }
  return blocks;
}

function startBlock(page: number, line: Line, body: number): NewBlock {
  const { text } = line;
  if (line.tabular) return { type: 'table', page, text };
  if (/^(figure|fig\.|table|listing|abbildung|tabelle)\s*\d/i.test(text))
    return { type: 'caption', page, text };
  if (/^([•‣▪◦·–-]|\(?[a-z0-9]{1,2}\))\s+\S/i.test(text)) return { type: 'list', page, text };
  if (isHeading(line, body)) {
    return {
      type: 'heading',
      level: line.size >= body * 1.5 ? 1 : line.size >= body * 1.25 ? 2 : 3,
      page,
      text,
    };
  }
  return { type: 'para', page, text };
}

function isHeading({ text, size }: Line, body: number): boolean {
  if (text.length > 140 || !/\p{L}{2}/u.test(text) || /[.;,]$/.test(text)) return false;
  if (size >= body * 1.12) return true;
  const numbered =
    /^(\d{1,2}(\.\d{1,2}){0,3}\.?|[A-Z]\.|§\s*\d+)\s+\p{Lu}[^,:\d]*$/u.test(text) && text.length < 80;
  const capitals = /^[\p{Lu}\s&,'’()/-]{4,70}$/u.test(text) && /\p{Lu}{3}/u.test(text);
  return (numbered || capitals) && size >= body * 0.98;
}

function continues(block: NewBlock, last: Line, line: Line, body: number): boolean {
  const sameSize = Math.abs(last.size - line.size) <= Math.max(last.size, line.size) * 0.1;
  const down = last.y - line.y;
  const near = down > 0 && down <= Math.max(last.size, line.size) * 1.65;
  if (block.type === 'table') return line.tabular && near && Math.abs(last.x - line.x) < 40;
  if (line.tabular || !sameSize) return false;
  if (block.type === 'heading')
    return near && isHeading(line, body) && line.size >= body * 1.12 && block.text.length < 120;
  if (startBlock(1, line, body).type !== 'para' && near) return false;
  if (near) return true;
  // A sentence that goes on at the top of the next column.
  return down < 0 && /[\p{Ll},-]$/u.test(block.text) && /^\p{Ll}/u.test(line.text);
}

function joinLines(block: NewBlock, text: string): string {
  if (block.type === 'table') return `${block.text}\n${text}`;
  if (/\p{Ll}-$/u.test(block.text) && /^\p{Ll}/u.test(text)) return block.text.slice(0, -1) + text;
  return `${block.text} ${text}`;
}

/** The size that most characters have. */
function bodySize(pages: readonly PageLines[]): number {
  const characters = new Map<number, number>();
  for (const { lines } of pages) {
    for (const { size, text } of lines) {
      const key = Math.round(size * 2) / 2;
      characters.set(key, (characters.get(key) ?? 0) + text.length);
    }
  }
  return [...characters].sort((a, b) => b[1] - a[1])[0]?.[0] ?? 10;
}

function runningKey(page: PageLines, line: Line): string {
  const edge = line.y > page.height * 0.9 ? 'header' : line.y < page.height * 0.1 ? 'footer' : '';
  return edge === '' ? '' : `${edge}\n${line.text.replace(/\d+/g, '#')}`;
}

/** Lines at the edges that come back on at least three pages and on half of them. */
function runningLines(pages: readonly PageLines[]): Map<string, 'header' | 'footer'> {
  const counts = new Map<string, number>();
  for (const page of pages) {
    for (const key of new Set(page.lines.map((line) => runningKey(page, line)))) {
      if (key !== '') counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  const running = new Map<string, 'header' | 'footer'>();
  for (const [key, count] of counts) {
    if (count >= 3 && count >= pages.length * 0.4)
      running.set(key, key.startsWith('header') ? 'header' : 'footer');
  }
  return running;
}
