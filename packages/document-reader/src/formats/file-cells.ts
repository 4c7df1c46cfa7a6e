import { strFromU8, unzipSync } from 'fflate';
import type { OfficeContentNode } from 'officeparser';
import { type NumberFormats, readNumberFormats, shownNumber } from './number-formats.ts';

/** What a file says of the cells of one table, by their row and column from 0. */
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

/** What the parser leaves out of sheets and slides: merged cells, and how numbers are shown. */
export interface FileCells {
  /**
   * Of a table; undefined where the file says nothing of it.
   *
   * @param number how many tables of the document come before it
   */
  readonly of: (table: OfficeContentNode, number: number) => TableCells | undefined;
}

/** Parts larger than this are not looked into: the search costs memory. */
const MAX_PART = 48 * 1024 * 1024;
const MOST_MERGED = 20_000;
/** Numbers with a format of their own that are kept of a sheet. */
const MOST_STYLED = 200_000;
/** Letters of a tag: a file that never ends one is not searched to its end for each. */
const LONGEST_TAG = 4000;
const SHEETS = /^xl\/(?:workbook\.xml|styles\.xml|_rels\/workbook\.xml\.rels|worksheets\/[^/]+\.xml)$/;
const SLIDES = /^ppt\/slides\/slide\d+\.xml$/;

/**
 * Reads what the cells of a workbook or of slides are; a file that cannot be looked into says nothing.
 *
 * @param type `xlsx`, `pptx`, or another format, whose cells the parser gives as they are
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
    // The parser could mend an archive that this one cannot open: its cells are read as they are.
    return new Map();
  }
}

/** Sheets have names; the workbook says which part each one is. */
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

/** The style of each cell that holds a number; what a text says stays as it is. */
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

/** Tables of slides have no names: they come in their order, and only as long as every one has its rows. */
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

/** A name as XML has it in an attribute. */
function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}
