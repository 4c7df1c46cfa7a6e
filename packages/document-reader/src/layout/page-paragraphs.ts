import type { Block, BlockWord } from '../contract/report.contract.ts';
import { needsSpace, type TextRun } from './page-rows.ts';

/** A printed line in stream order. Points; y grows upwards. */
export interface Line {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly size: number;
  /** Whether it has a gap as wide as between table cells. */
  readonly tabular: boolean;
  /** The place of each word, if the line was read from a picture. */
  readonly words?: readonly BlockWord[];
}

/** One page's lines, and the values typed into its form. */
export interface PageLines {
  readonly page: number;
  readonly height: number;
  readonly lines: Line[];
  readonly form: readonly { label: string; value: string }[];
}

const CELL_GAP = 1.8;

/**
 * Joins runs to lines in the order of the file, as sorting by position would mix columns
 * (docs/contracts/documents.md §2.1).
 */
export function linesOf(runs: readonly TextRun[]): Line[] {
  const lines: OpenLine[] = [];
  let open: OpenLine | undefined;
  for (const run of runs) {
    if (run.text.trim() === '') {
      if (open !== undefined) addBlank(open, run);
    } else if (open === undefined || !isSameLine(open, run)) {
      open = { start: run, last: run, text: run.text, tabular: false };
      lines.push(open);
    } else {
      addRun(open, run);
    }
  }
  return lines
    .map(({ text, start, tabular }) => ({
      text: text.replace(/[^\S\n]{3,}/g, '  ').trim(),
      x: start.x,
      y: start.y,
      size: start.size,
      tabular,
    }))
    .filter(({ text }) => text !== '');
}

/** A line that is not complete yet. */
interface OpenLine {
  readonly start: TextRun;
  last: TextRun;
  text: string;
  tabular: boolean;
}

function gapBefore({ last }: OpenLine, run: TextRun): number {
  return run.x - (last.x + last.width);
}

function isSameLine(line: OpenLine, run: TextRun): boolean {
  const level = Math.abs(line.start.y - run.y) <= Math.max(line.start.size, run.size) * 0.5;
  return level && gapBefore(line, run) >= -run.size * 3;
}

function addRun(line: OpenLine, run: TextRun): void {
  const gap = gapBefore(line, run);
  if (gap > run.size * CELL_GAP) {
    line.text += '  ';
    line.tabular = true;
  } else if (needsSpace(line.text, run.text, gap, run.size)) {
    line.text += ' ';
  }
  line.text += run.text;
  line.last = run;
}

/** Adds a blank run as a space between words, unless it is as wide as the gap between cells. */
function addBlank(line: OpenLine, run: TextRun): void {
  const parts = needsSpace(line.text, run.text, gapBefore(line, run), run.size);
  const isBlank = run.text !== '' && run.width < run.size * CELL_GAP;
  if (!/\s$/.test(line.text) && (parts || isBlank)) line.text += ' ';
}

type NewBlock = Omit<Block, 'id'>;

/** Turns the lines of pages into headings, paragraphs, tables, captions, and running headers and footers. */
export function paragraphsOf(pages: readonly PageLines[]): NewBlock[] {
  const body = bodySize(pages);
  const running = runningLines(pages);
  const blocks: NewBlock[] = [];
  for (const page of pages) {
    let open: { block: NewBlock; line: Line; lines: number } | undefined;
    for (const line of page.lines) {
      const edge = running.get(runningKey(page, line));
      if (edge !== undefined) {
        blocks.push(withWords({ type: edge, page: page.page, text: line.text }, line));
        continue;
      }
      if (open !== undefined && continues(open.block, open.line, line, body)) {
        appendLine(open.block, line);
        open = { block: open.block, line, lines: open.lines + 1 };
        continue;
      }
      const block = withWords(startBlock(page.page, line, body), line);
      blocks.push(block);
      open = { block, line, lines: 1 };
    }
    for (const { label, value } of page.form) {
      blocks.push({ type: 'table', page: page.page, text: `${label}: ${value}` });
    }
  }
  return blocks;
}

/** The block of a line, with the places of its words if it was read from a picture. */
function withWords(block: NewBlock, { words }: Line): NewBlock {
  return words === undefined ? block : { ...block, words: [...words] };
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
  // A sentence continues at the top of the next column.
  return down < 0 && /[\p{Ll},-]$/u.test(block.text) && /^\p{Ll}/u.test(line.text);
}

/** Adds a line to a block, and moves the places of its words. */
function appendLine(block: NewBlock, { text, words }: Line): void {
  block.text = joinLines(block, text);
  if (words === undefined) return;
  const moved = block.text.length - text.length;
  // The hyphen that is removed at the line's end was part of the last word.
  const before = (block.words ?? []).map(
    ([start, end, ...box]): BlockWord => [start, Math.min(end, moved), ...box],
  );
  const own = words.map(([start, end, ...box]): BlockWord => [start + moved, end + moved, ...box]);
  block.words = [...before, ...own];
}

function joinLines(block: NewBlock, text: string): string {
  if (block.type === 'table') return `${block.text}\n${text}`;
  if (/\p{Ll}-$/u.test(block.text) && /^\p{Ll}/u.test(text)) return block.text.slice(0, -1) + text;
  return `${block.text} ${text}`;
}

/** The font size of most characters. */
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

/** Lines at the edges of at least three pages and of half of all pages. */
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
