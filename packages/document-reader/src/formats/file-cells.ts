import { strFromU8, unzipSync } from 'fflate';
import type { OfficeContentNode } from 'officeparser';
import { type NumberFormats, readNumberFormats, shownNumber } from './number-formats.ts';

/** What a file states about the cells of one table, by row and column from 0. */
export interface TableCells {
  /** Columns and rows that a merged cell takes; undefined for a single one. */
  readonly reachOf: (row: number, column: number) => Reach | undefined;
  /** A cell's text as the file shows it. */
  readonly shown: (row: number, column: number, text: string) => string;
}

interface Reach {
  readonly colSpan: number;
  readonly rowSpan: number;
}

/** What the parser leaves out of sheets and slides: merged cells, and the format of numbers. */
export interface FileCells {
  /**
   * The cells of a table; undefined if the file states nothing about them.
   *
   * @param number how many tables of the document come before it
   */
  readonly of: (table: OfficeContentNode, number: number) => TableCells | undefined;
}

/** Larger parts, in bytes, are not searched: the search costs memory. */
const MAX_PART = 48 * 1024 * 1024;
const MOST_MERGED = 20_000;
/** Most cells of a sheet whose number format is kept. */
const MOST_STYLED = 200_000;
/** Longest tag in characters, so that a file with an endless tag is not searched to its end again and again. */
const LONGEST_TAG = 4000;
const SHEETS = /^xl\/(?:workbook\.xml|styles\.xml|_rels\/workbook\.xml\.rels|worksheets\/[^/]+\.xml)$/;
const SLIDES = /^ppt\/slides\/slide\d+\.xml$/;

/**
 * Reads merged cells and number formats of a workbook or of slides. If the file cannot be searched, nothing is known.
 *
 * @param type `xlsx`, `pptx`, or another format, for which nothing is read
 */
export function readFileCells(bytes: Uint8Array, type: string | undefined): FileCells {
  if (type === 'xlsx') return ofSheets(partsOf(bytes, SHEETS));
  if (type === 'pptx') return ofSlides(partsOf(bytes, SLIDES));
  return { of: () => undefined };
}

function partsOf(bytes: Uint8Array, names: RegExp): Map<string, string> {
  try {
    const parts = unzipSync(bytes, {
      filter: ({ name, originalSize }) => names.test(name) && originalSize <= MAX_PART,
    });
    return new Map(Object.entries(parts).map(([name, part]) => [name, strFromU8(part)]));
  } catch {
    // The parser may repair an archive that this reader cannot open; then the cells stay as the parser gives them.
    return new Map();
  }
}

/** The cells of a workbook's sheets, which have names; the workbook says which part holds each sheet. */
function ofSheets(parts: ReadonlyMap<string, string>): FileCells {
  const workbook = parts.get('xl/workbook.xml') ?? '';
  const formats = readNumberFormats(parts.get('xl/styles.xml') ?? '', workbook);
  const targets = new Map(
    tags(parts.get('xl/_rels/workbook.xml.rels') ?? '', 'Relationship').map((tag) => [
      attribute(tag, 'Id'),
      `xl/${attribute(tag, 'Target')?.replace(/^\/?(?:xl\/)?/, '') ?? ''}`,
    ]),
  );
  const byName = new Map(
    tags(workbook, 'sheet').map((tag) => [
      attribute(tag, 'name'),
      cellsOfSheet(parts.get(targets.get(attribute(tag, 'r:id')) ?? '') ?? '', formats),
    ]),
  );
  return {
    of: ({ metadata }) => byName.get(escaped((metadata as { sheetName?: string })?.sheetName ?? '')),
  };
}

function cellsOfSheet(xml: string, formats: NumberFormats): TableCells {
  const reaches = new Map<string, Reach>();
  const list = xml.slice(Math.max(0, xml.lastIndexOf('<mergeCells')));
  for (const [, left = '', top, right = '', foot] of list.matchAll(
    /<mergeCell\s[^>]{0,200}?ref="([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})"/g,
  )) {
    if (reaches.size >= MOST_MERGED) break;
    reaches.set(placeOf(left, top), {
      ...{ colSpan: columnOf(right) - columnOf(left) + 1, rowSpan: Number(foot) - Number(top) + 1 },
    });
  }
  const styles = stylesOfNumbers(xml);
  return {
    reachOf: (row, column) => reaches.get(`${row} ${column}`),
    shown: (row, column, text) => {
      const style = styles.get(`${row} ${column}`);
      return style === undefined ? text : shownNumber(text, formats.ofStyle(style), formats.epoch);
    },
  };
}

/** The style of each cell that holds a number; cells with text need none. */
function stylesOfNumbers(xml: string): Map<string, number> {
  const styles = new Map<string, number>();
  for (const [tag] of xml.matchAll(/<c\s[^>]{0,500}>/g)) {
    const [, column = '', row] = /\sr="([A-Z]{1,3})(\d{1,7})"/.exec(tag) ?? [];
    if (/\st="(?!n")/.test(tag) || row === undefined) continue;
    if (styles.size >= MOST_STYLED) break;
    styles.set(placeOf(column, row), Number(attribute(tag, 's') ?? 0));
  }
  return styles;
}

function placeOf(letters: string, row: string | undefined): string {
  return `${Number(row) - 1} ${columnOf(letters)}`;
}

/** `A` is 0, `AA` is 26. */
function columnOf(letters: string): number {
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

/** The cells of tables on slides. They have no names, so they are matched by their order and number of rows. */
function ofSlides(parts: ReadonlyMap<string, string>): FileCells {
  const number = (name: string): number => Number(/\d+/.exec(name)?.[0]);
  const tables = [...parts]
    .sort(([one], [other]) => number(one) - number(other))
    .flatMap(([, xml]) => xml.split('<a:tbl>').slice(1))
    .map((xml) => xml.split('</a:tbl>', 1)[0] ?? '');
  return {
    of: ({ children = [] }, at) => {
      const rows = (tables[at] ?? '').split('<a:tr ').slice(1);
      return rows.length === children.length ? cellsOfRows(rows) : undefined;
    },
  };
}

function cellsOfRows(rows: readonly string[]): TableCells {
  const reaches = rows.map((xml) =>
    tags(xml, 'a:tc').map((tag) => ({
      ...{
        colSpan: Number(attribute(tag, 'gridSpan') ?? 1),
        rowSpan: Number(attribute(tag, 'rowSpan') ?? 1),
      },
    })),
  );
  return { reachOf: (row, column) => reaches[row]?.[column], shown: (_row, _column, text) => text };
}

function tags(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}(?=[\\s/>])[^>]{0,${LONGEST_TAG}}>`, 'g'))].map(([tag]) => tag);
}

function attribute(tag: string, name: string): string | undefined {
  return new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1];
}

/** A name as it is written in an XML attribute. */
function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}
