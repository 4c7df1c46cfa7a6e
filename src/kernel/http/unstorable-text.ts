import type { FastifyBodyParser, FastifyInstance } from 'fastify';
import { nextSlice } from '../concurrency/event-loop-slices.ts';
import { SERVICES } from '../contract/routes.ts';
import { ServiceError } from '../contract/service-error.ts';

/** How JSON writes a NUL or half of a surrogate pair; a text without these needs no check. */
const ESCAPED = /\\u(?:0000|d[89a-f][\da-f]{2})/i;
/** Longer bodies are parsed one at a time: many that arrive together would hold up everybody else. */
const LARGE = 64 * 1024;
/** These services report bad names and filters in their own words. */
const OWN_CHECKS = [SERVICES.storage, SERVICES.rest];

/**
 * Refuses text that PostgreSQL cannot store (NUL, halves of surrogate pairs) once for all routes: in JSON
 * bodies, parameters of the path, and the query string.
 */
export function refuseUnstorableText(server: FastifyInstance): void {
  const parse = storableJsonParser(server);
  server.removeContentTypeParser('application/json');
  server.addContentTypeParser('application/json', { parseAs: 'string' }, parse);
  server.addHook('preValidation', async (request) => {
    if (OWN_CHECKS.some((path) => request.url.startsWith(path))) return;
    if (!isStorable(request.params) || !isStorable(request.query)) throw unstorable();
  });
}

/**
 * The framework's JSON parser without prototypes, which also refuses text that PostgreSQL cannot store. Large
 * bodies wait for a slice of their own.
 */
export function storableJsonParser(server: FastifyInstance): FastifyBodyParser<string> {
  const parse = server.getDefaultJsonParser('remove', 'remove');
  const parseStorable: FastifyBodyParser<string> = (request, text, done) => {
    void parse(request, text, (error: Error | null, value?: unknown) => {
      if (error === null && ESCAPED.test(text) && !isStorable(value)) done(unstorable());
      else done(error, value);
    });
  };
  return (request, text, done) => {
    if (text.length < LARGE) void parseStorable(request, text, done);
    else void nextSlice().then(() => parseStorable(request, text, done));
  };
}

/** Whether PostgreSQL can store every string inside a parsed value, names of fields included. */
function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0');
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isStorable);
  return Object.entries(value).every(([name, inner]) => isStorable(name) && isStorable(inner));
}

/**
 * @throws ServiceError 400 `validation_failed` when PostgreSQL cannot store a value that did not come as
 * JSON, e.g. in a form
 */
export function requireStorable(value: unknown): void {
  if (!isStorable(value)) throw unstorable();
}

function unstorable(): ServiceError {
  return new ServiceError(400, 'validation_failed', 'The text has a character that cannot be stored.');
}
