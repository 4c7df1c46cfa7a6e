import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../kernel/resources/database/caller.ts';
import { csvToJson } from './query/csv-parser.server.ts';
import { bodyError, restError } from './rest-error.server.ts';

/** Largest body, bytes, with and without a session. */
const MAX_BYTES = 5 * 1024 * 1024;
const MAX_ANONYMOUS_BYTES = 1024 * 1024;
/** Deepest nesting of a JSON body (docs/security-attacks.md, attack 48). */
const MAX_JSON_DEPTH = 64;
/** Columns of a table that PostgreSQL allows; no row has more keys. */
const MAX_FIELDS = 1600;
/** Characters that are looked at before other requests have their turn. */
const SLICE = 256 * 1024;
const TOO_LARGE = 'The request body is too large.';

/** A body as the statements take it: JSON text, or one argument as a whole. */
export interface RestBody {
  readonly text: string;
  readonly type: 'json' | 'text' | 'xml' | 'bytea';
}

/** Reads the bytes of a body up to what this caller may send. @throws ServiceError 413 PGRST102 */
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
 * Turns a body into what its content type stands for. Without a content type it is JSON, as with
 * PostgREST. Large bodies are converted in slices, so that other requests are not held up.
 *
 * @throws ServiceError 400 or 415 PGRST102
 */
export async function convertBody(bytes: Buffer, contentType: string | undefined): Promise<RestBody> {
  const given = contentType ?? '';
  const type = (given.split(';')[0] ?? '').trim().toLowerCase();
  if (type === 'application/octet-stream') return { text: `\\x${bytes.toString('hex')}`, type: 'bytea' };
  const text = bytes.toString('utf8');
  if (type === 'text/csv') return { text: text === '' ? '' : await csvToJson(text), type: 'json' };
  if (type === 'text/plain') return { text, type: 'text' };
  if (type === 'text/xml') return { text, type: 'xml' };
  if (type === 'application/x-www-form-urlencoded') return { text: formToJson(text), type: 'json' };
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

function formToJson(text: string): string {
  if (text.split('&', MAX_FIELDS + 1).length > MAX_FIELDS) throw tooManyFields();
  return JSON.stringify(Object.fromEntries(new URLSearchParams(text)));
}

function tooManyFields(): Error {
  return bodyError(`The body has more than ${MAX_FIELDS} fields`);
}

/** Refuses JSON that is nested too deeply or has too many keys in one object, before anything parses it. */
async function refuseUnusableJson(text: string): Promise<void> {
  const scan = new JsonScan();
  for (let from = 0; from < text.length; from += SLICE) {
    if (from > 0) await setImmediate();
    scan.read(text, from, Math.min(from + SLICE, text.length));
  }
}

/** The state of a scan between two slices. */
class JsonScan {
  #inString = false;
  #escaped = false;
  /** Commas of each open object or array. */
  readonly #counts: { commas: number; isObject: boolean }[] = [];

  read(text: string, from: number, to: number): void {
    for (let at = from; at < to; at += 1) {
      const character = text[at];
      if (this.#inString) this.#readInString(character);
      else if (character === '"') this.#inString = true;
      else this.#readStructure(character);
    }
  }

  #readInString(character: string | undefined): void {
    if (this.#escaped) this.#escaped = false;
    else if (character === '\\') this.#escaped = true;
    else if (character === '"') this.#inString = false;
  }

  #readStructure(character: string | undefined): void {
    if (character === '{' || character === '[') {
      this.#counts.push({ commas: 0, isObject: character === '{' });
      if (this.#counts.length > MAX_JSON_DEPTH) {
        throw bodyError(`The body is nested deeper than ${MAX_JSON_DEPTH} levels`);
      }
    } else if (character === '}' || character === ']') this.#counts.pop();
    else if (character === ',') this.#countComma();
  }

  /** Rows have at most as many keys as tables have columns; what is inside a column may be larger. */
  #countComma(): void {
    const innermost = this.#counts.at(-1);
    if (innermost === undefined) return;
    innermost.commas += 1;
    const isRow = innermost.isObject && this.#counts.length <= 2;
    if (innermost.commas >= (isRow ? MAX_FIELDS : MAX_NESTED_FIELDS)) throw tooManyFields();
  }
}

/** Entries of one object or array below a row, and rows of one body. */
const MAX_NESTED_FIELDS = 1_000_000;
