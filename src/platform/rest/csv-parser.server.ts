import { bodyError } from '@northline/postgrest/rest-error';
import { nextSlice } from '../../kernel/concurrency/event-loop-slices.ts';

/** Fields that are read before other requests get their turn. */
const SLICE = 20_000;

/**
 * Turns a `text/csv` body (RFC 4180, with a header line) into the JSON text of its rows. A bare `NULL`
 * is null, as in PostgREST; every other value is text, which PostgreSQL reads as the column's type.
 *
 * @throws ServiceError PGRST102 for lines of different lengths, open quotes, or an empty body
 */
export async function csvToJson(text: string): Promise<string> {
  let names: readonly string[] | undefined;
  const rows: string[] = [];
  let fields = 0;
  for (const line of readLines(text)) {
    fields += line.length;
    if (fields > SLICE) {
      fields = 0;
      await nextSlice();
    }
    if (names === undefined) names = line.map(({ value }) => value);
    else rows.push(rowText(names, line));
  }
  if (names === undefined) throw bodyError('Empty or invalid csv');
  return `[${rows.join(',')}]`;
}

function rowText(names: readonly string[], line: readonly Field[]): string {
  if (line.length !== names.length) throw bodyError('All lines must have same number of fields');
  return JSON.stringify(
    Object.fromEntries(
      line.map(({ value, bare }, at) => [names[at], bare && value === 'NULL' ? null : value]),
    ),
  );
}

interface Field {
  readonly value: string;
  /** True when the field was written without quotes. */
  readonly bare: boolean;
}

const FIELD = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y;

function* readLines(text: string): Generator<Field[]> {
  let line: Field[] = [];
  let position = 0;
  while (position < text.length || line.length > 0) {
    FIELD.lastIndex = position;
    const found = FIELD.exec(text);
    if (found === null) throw bodyError('Empty or invalid csv');
    position = FIELD.lastIndex;
    const [, quoted, bare, end] = found;
    line.push({ value: quoted?.replaceAll('""', '"') ?? bare ?? '', bare: quoted === undefined });
    if (end === ',') continue;
    yield line;
    line = [];
  }
}
