/** Characters between values, the most likely ones first. */
const SIGNS = [';', '\t', ',', '|'] as const;
/** Least number of lines and columns: prose may by chance have the same number of commas in a few lines. */
const LEAST_LINES = 4;
/** The same for a file that names its separator. */
const LEAST_SAID = 2;
const LEAST_COLUMNS = 3;
/** Share of the lines that must have the most frequent number of values. */
const EVEN = 0.9;
/** Characters that decide whether a text is a table. */
const SAMPLE = 20_000;

/** Limits of the table that is read. */
interface Most {
  readonly rows: number;
  readonly values: number;
}

/** The rows of a table, and whether they are all. */
export interface SeparatedValues {
  readonly rows: readonly (readonly string[])[];
  readonly isWhole: boolean;
}

/**
 * The values of a text that is a table of separated values (CSV, RFC 4180, also with semicolons, tabs or bars): each line
 * becomes a row, without quotes. Undefined for any other text.
 */
export function separatedValues(text: string, most: Most): SeparatedValues | undefined {
  // Excel writes this line, and hides it.
  const said = /^sep=([;,\t|])\n/i.exec(text);
  if (said !== null) {
    const rows = readValues(text.slice(said[0].length), said[1] as (typeof SIGNS)[number], most);
    return isTable(rows.rows, LEAST_SAID) ? rows : undefined;
  }
  const sample = text.length <= SAMPLE ? text : text.slice(0, text.lastIndexOf('\n', SAMPLE) + 1);
  const sign = SIGNS.find((each) => isTable(readValues(sample, each, most).rows));
  return sign === undefined ? undefined : readValues(text, sign, most);
}

function isTable(rows: readonly (readonly string[])[], least = LEAST_LINES): boolean {
  const counts = new Map<number, number>();
  for (const { length } of rows) counts.set(length, (counts.get(length) ?? 0) + 1);
  const [columns = 0, even = 0] = [...counts].toSorted((a, b) => b[1] - a[1])[0] ?? [];
  return rows.length >= least && columns >= LEAST_COLUMNS && even >= rows.length * EVEN;
}

function readValues(text: string, sign: (typeof SIGNS)[number], most: Most): SeparatedValues {
  const mark = sign === '|' ? '\\|' : sign;
  const field = new RegExp(`(?:"((?:[^"]|"")*)"|([^${mark}\\n]*))(${mark}|\\n|$)`, 'y');
  const rows: string[][] = [];
  let row: string[] = [];
  let values = 0;
  while (field.lastIndex < text.length && rows.length < most.rows && values < most.values) {
    const at = field.lastIndex;
    const found = field.exec(text);
    // A quote without an end: the text is not a table from here on.
    if (found === null || field.lastIndex === at) break;
    const [, quoted, bare = '', end] = found;
    row.push((quoted?.replaceAll('""', '"') ?? bare).replace(/\s+/g, ' ').trim());
    values += 1;
    if (end === sign) continue;
    if (row.some((value) => value !== '')) rows.push(row);
    row = [];
  }
  if (row.some((value) => value !== '') && rows.length < most.rows) rows.push(row);
  return { rows, isWhole: field.lastIndex >= text.length };
}
