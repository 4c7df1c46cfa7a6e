import { bodyError } from './rest-error.server.ts';

/**
 * Turns a `text/csv` body (RFC 4180, with a header line) into the JSON text of its rows. A bare `NULL`
 * is null, as in PostgREST; every other value is text, which PostgreSQL reads as the column's type.
 *
 * @throws ServiceError PGRST102 for lines of different lengths, open quotes, or an empty body
 */
export function csvToJson(text: string): string {
  const [header, ...lines] = parseLines(text);
  if (header === undefined) throw bodyError('Empty or invalid csv');
  const names = header.map(({ value }) => value);
  const rows = lines.map((line) => {
    if (line.length !== names.length) throw bodyError('All lines must have same number of fields');
    return Object.fromEntries(
      line.map(({ value, bare }, at) => [names[at], bare && value === 'NULL' ? null : value]),
    );
  });
  return JSON.stringify(rows);
}

interface Field {
  readonly value: string;
  /** Written without quotes. */
  readonly bare: boolean;
}

const FIELD = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y;

function parseLines(text: string): Field[][] {
  const lines: Field[][] = [];
  let line: Field[] = [];
  FIELD.lastIndex = 0;
  while (FIELD.lastIndex < text.length || line.length > 0) {
    const found = FIELD.exec(text);
    if (found === null) throw bodyError('Empty or invalid csv');
    const [, quoted, bare, end] = found;
    line.push({ value: quoted?.replaceAll('""', '"') ?? bare ?? '', bare: quoted === undefined });
    if (end === ',') continue;
    lines.push(line);
    line = [];
  }
  return lines;
}
