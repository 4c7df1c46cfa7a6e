import { strFromU8, unzipSync } from 'fflate';
import type { OfficeContentNode } from 'officeparser';

/** Columns and rows that merged cells take, by the row and column (from 0, "2 0") of their first cell. */
export type Reaches = ReadonlyMap<string, { readonly colSpan: number; readonly rowSpan: number }>;

/** The merged cells of sheets and slides, which the parser leaves out; it gives those of texts itself. */
export interface MergedCells {
  /**
   * Those of a table; undefined where the file names none for it.
   *
   * @param number how many tables of the document come before it
   */
  readonly reachesOf: (table: OfficeContentNode, number: number) => Reaches | undefined;
}

/** Parts larger than this are not looked into: the search costs memory. */
const MAX_PART = 48 * 1024 * 1024;
const MOST_MERGED = 20_000;
const SHEETS = /^xl\/(?:workbook\.xml|_rels\/workbook\.xml\.rels|worksheets\/[^/]+\.xml)$/;
const SLIDES = /^ppt\/slides\/slide\d+\.xml$/;

/**
 * Reads the merged cells of a workbook or of slides; a file that cannot be looked into has none.
 *
 * @param type `xlsx`, `pptx`, or another format without any
 */
export function readMergedCells(bytes: Uint8Array, type: string | undefined): MergedCells {
  if (type === 'xlsx') return ofSheets(partsOf(bytes, SHEETS));
  if (type === 'pptx') return ofSlides(partsOf(bytes, SLIDES));
  return { reachesOf: () => undefined };
}

function partsOf(bytes: Uint8Array, names: RegExp): Map<string, string> {
  try {
    const parts = unzipSync(bytes, {
      filter: ({ name, originalSize }) => names.test(name) && originalSize <= MAX_PART,
    });
    return new Map(Object.entries(parts).map(([name, part]) => [name, strFromU8(part)]));
  } catch {
    // The parser could mend an archive that this one cannot open: its cells are read as single ones.
    return new Map();
  }
}

/** Sheets have names; the workbook says which part each one is. */
function ofSheets(parts: ReadonlyMap<string, string>): MergedCells {
  const targets = new Map(
    tags(parts.get('xl/_rels/workbook.xml.rels') ?? '', 'Relationship').map((tag) => [
      attribute(tag, 'Id'),
      `xl/${attribute(tag, 'Target')?.replace(/^\/?(?:xl\/)?/, '') ?? ''}`,
    ]),
  );
  const byName = new Map(
    tags(parts.get('xl/workbook.xml') ?? '', 'sheet').map((tag) => [
      attribute(tag, 'name'),
      reachesOfSheet(parts.get(targets.get(attribute(tag, 'r:id')) ?? '') ?? ''),
    ]),
  );
  return {
    reachesOf: ({ metadata }) => byName.get(escaped((metadata as { sheetName?: string })?.sheetName ?? '')),
  };
}

function reachesOfSheet(xml: string): Reaches {
  const reaches = new Map<string, { colSpan: number; rowSpan: number }>();
  const list = xml.slice(Math.max(0, xml.lastIndexOf('<mergeCells')));
  for (const [, left = '', top, right = '', foot] of list.matchAll(
    /<mergeCell\s[^>]*?ref="([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})"/g,
  )) {
    if (reaches.size >= MOST_MERGED) break;
    reaches.set(`${Number(top) - 1} ${columnOf(left)}`, {
      ...{ colSpan: columnOf(right) - columnOf(left) + 1, rowSpan: Number(foot) - Number(top) + 1 },
    });
  }
  return reaches;
}

/** `A` is 0, `AA` is 26. */
function columnOf(letters: string): number {
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

/** Tables of slides have no names: they come in their order, and only as long as every one has its rows. */
function ofSlides(parts: ReadonlyMap<string, string>): MergedCells {
  const number = (name: string): number => Number(/\d+/.exec(name)?.[0]);
  const tables = [...parts]
    .sort(([one], [other]) => number(one) - number(other))
    .flatMap(([, xml]) => [...xml.matchAll(/<a:tbl>[\s\S]*?<\/a:tbl>/g)].map(([table]) => table));
  return {
    reachesOf: ({ children = [] }, at) => {
      const rows = (tables[at] ?? '').split('<a:tr ').slice(1);
      return rows.length === children.length ? reachesOfRows(rows) : undefined;
    },
  };
}

function reachesOfRows(rows: readonly string[]): Reaches {
  const reaches = new Map<string, { colSpan: number; rowSpan: number }>();
  for (const [row, xml] of rows.entries())
    for (const [column, tag] of tags(xml, 'a:tc').entries()) {
      const [colSpan, rowSpan] = ['gridSpan', 'rowSpan'].map((name) => Number(attribute(tag, name) ?? 1));
      if (reaches.size < MOST_MERGED)
        reaches.set(`${row} ${column}`, { colSpan: colSpan ?? 1, rowSpan: rowSpan ?? 1 });
    }
  return reaches;
}

function tags(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}(?=[\\s/>])[^>]*>`, 'g'))].map(([tag]) => tag);
}

function attribute(tag: string, name: string): string | undefined {
  return new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1];
}

/** A name as XML has it in an attribute. */
function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}
