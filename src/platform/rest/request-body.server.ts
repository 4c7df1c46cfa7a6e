import type { Readable } from 'node:stream';
import { bodyError, restError } from '@northline/postgrest/rest-error';
import type { FastifyRequest } from 'fastify';
import { nextSlice } from '../../kernel/concurrency/event-loop-slices.ts';
import type { Caller } from '../../kernel/resources/database/caller.ts';
import { csvToJson } from './csv-parser.server.ts';

/** Largest body, bytes, with and without a session. */
const MAX_BYTES = 5 * 1024 * 1024;
const MAX_ANONYMOUS_BYTES = 1024 * 1024;
/** Deepest nesting of a JSON body (docs/security-attacks.md, attack 48). */
const MAX_JSON_DEPTH = 64;
/** Most columns that PostgreSQL allows in a table, so no row has more keys. */
const MAX_FIELDS = 1600;
/** Characters that are checked before other requests get their turn. */
const SLICE = 256 * 1024;
/** A body of this many characters or more waits for its turn. */
const LARGE = 64 * 1024;
const TOO_LARGE = 'The request body is too large.';

/** A body in the form for statements: JSON text, or a single argument. */
export interface RestBody {
  readonly text: string;
  readonly type: 'json' | 'text' | 'xml' | 'bytea';
  /** The fields of a form, from which the text was made; a name may occur several times. */
  readonly fields?: URLSearchParams;
  /** True for rows that were made from CSV. */
  readonly isCsv?: true;
}

/** Reads the bytes of a body, up to this caller's limit. @throws ServiceError 413 PGRST102 */
export async function readBody(
  payload: Readable,
  declared: string | undefined,
  caller: Caller | undefined,
): Promise<Buffer> {
  const isAnonymous = caller === undefined || caller.role === 'anon';
  const limit = isAnonymous ? MAX_ANONYMOUS_BYTES : MAX_BYTES;
  if (Number(declared ?? 0) > limit) throw restError(413, 'PGRST102', TOO_LARGE);
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of payload) {
    pieces.push(piece as Buffer);
    length += (piece as Buffer).length;
    if (length > limit) throw restError(413, 'PGRST102', TOO_LARGE);
  }
  return Buffer.concat(pieces, length);
}

/**
 * Converts a body according to its content type. Without a content type it is JSON, as in PostgREST. Large
 * bodies are converted in slices, so that other requests are not held up.
 *
 * @throws ServiceError 400 or 415 PGRST102
 */
export async function convertBody(bytes: Buffer, contentType: string | undefined): Promise<RestBody> {
  const given = contentType ?? '';
  const type = (given.split(';')[0] ?? '').trim().toLowerCase();
  if (type === 'application/octet-stream') return { text: `\\x${bytes.toString('hex')}`, type: 'bytea' };
  const text = bytes.toString('utf8');
  if (type === 'text/csv')
    return { text: text === '' ? '' : await csvToJson(text), type: 'json', isCsv: true };
  if (type === 'text/plain') return { text, type: 'text' };
  if (type === 'text/xml') return { text, type: 'xml' };
  if (type === 'application/x-www-form-urlencoded') {
    const fields = readForm(text);
    return { text: JSON.stringify(Object.fromEntries(fields)), type: 'json', fields };
  }
  if (text !== '' && type !== '' && !/^application\/(json|vnd\.pgrst\.[\w.+]+)$/.test(type)) {
    throw restError(415, 'PGRST102', `Content-Type not acceptable: ${given}`);
  }
  await refuseUnusableJson(text);
  return { text, type: 'json' };
}

/** Whether a request has a body at all. */
export function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function readForm(text: string): URLSearchParams {
  if (text.split('&', MAX_FIELDS + 1).length > MAX_FIELDS) throw tooManyFields();
  return new URLSearchParams(text);
}

function tooManyFields(): Error {
  return bodyError(`The body has more than ${MAX_FIELDS} fields`);
}

/** Refuses JSON that is nested too deeply or has too many keys in one object, before anything parses it. */
async function refuseUnusableJson(text: string): Promise<void> {
  const scan = new JsonScan();
  for (let from = 0; from < text.length; ) {
    if (text.length >= LARGE) await nextSlice();
    from = scan.read(text, from, Math.min(from + SLICE, text.length));
  }
  // The next step parses the text, which needs a slice of its own.
  if (text.length >= LARGE) await nextSlice();
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const BRACKETS_FROM = 0x5a;
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** The state of a scan between two slices. */
class JsonScan {
  /** Commas of each open object or array. */
  readonly #counts: { commas: number; isObject: boolean }[] = [];

  /** Reads on to `to`, or to the end of the string that contains it. @returns where it stopped */
  read(text: string, from: number, to: number): number {
    let at = from;
    while (at < to) {
      const code = text.charCodeAt(at);
      at += 1;
      if (code === QUOTE) at = endOfString(text, at);
      else if (code === COMMA) this.#countComma();
      // Only brackets matter among the other characters, and all of them have codes above the digits.
      else if (code > BRACKETS_FROM) this.#readBracket(code);
    }
    return at;
  }

  #readBracket(code: number): void {
    if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      this.#counts.push({ commas: 0, isObject: code === OPEN_OBJECT });
      if (this.#counts.length > MAX_JSON_DEPTH) {
        throw bodyError(`The body is nested deeper than ${MAX_JSON_DEPTH} levels`);
      }
    } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) this.#counts.pop();
  }

  /** A row has at most as many keys as a table has columns; objects inside it may be larger. */
  #countComma(): void {
    const innermost = this.#counts.at(-1);
    if (innermost === undefined) return;
    innermost.commas += 1;
    const isRow = innermost.isObject && this.#counts.length <= 2;
    if (innermost.commas >= (isRow ? MAX_FIELDS : MAX_NESTED_FIELDS)) throw tooManyFields();
  }
}

/**
 * The index after the quote that ends the string whose content begins at `start`; the end of the text if no
 * quote does.
 */
function endOfString(text: string, start: number): number {
  for (let from = start; ; ) {
    const quote = text.indexOf('"', from);
    if (quote === -1) return text.length;
    let before = quote;
    while (before > from && text.charCodeAt(before - 1) === BACKSLASH) before -= 1;
    // After an even number of backslashes the quote ends the string; an odd one escapes it.
    if ((quote - before) % 2 === 0) return quote + 1;
    from = quote + 1;
  }
}

/** Most entries of one object or array inside a row, and most rows of one body. */
const MAX_NESTED_FIELDS = 1_000_000;
