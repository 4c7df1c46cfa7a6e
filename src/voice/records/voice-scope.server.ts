import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { HttpContext } from '../../kernel/http/http-context.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import type { VoiceRecords } from './voice-records.server.ts';

/** What each part of the voice API stands on. */
export interface VoiceScope {
  /** Encapsulated, under /voice/v1; every request has shown a key. */
  readonly server: FastifyInstance;
  readonly http: HttpContext;
  readonly resources: Resources;
  readonly records: VoiceRecords;
  /** The installation, as every record names it. */
  readonly orgId: string;
  /** The assistant of the site's own Test Now button. */
  readonly defaultAssistantId: string;
}

/** In printed JSON: NUL, and halves of surrogate pairs, which PostgreSQL takes neither as text nor in JSON. */
const UNSTORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f][0-9a-f]{2})/;
const MAX_NAMED_FIELDS = 20;
const identifier = z.uuid();

/** @throws ServiceError 400 `validation_failed`; its message and `fields` name what is wrong */
export function parseVoice<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const outcome = schema.safeParse(input ?? {});
  if (outcome.success && UNSTORABLE.test(JSON.stringify(input ?? {})))
    throw new ServiceError(400, 'validation_failed', 'The text has a character that cannot be stored.');
  if (outcome.success) return outcome.data;
  const named = outcome.error.issues
    .slice(0, MAX_NAMED_FIELDS)
    .map((issue) => [issue.path.join('.'), issue.message] as const);
  const message = named.map(([field, why]) => (field === '' ? why : `${field}: ${why}`)).join('; ');
  throw new ServiceError(400, 'validation_failed', message, {
    details: { fields: Object.fromEntries(named.map(([field, why]) => [field || 'body', why])) },
  });
}

/** The id of the address. @throws ServiceError 400 `validation_failed` when it is no UUID */
export function idOf(request: FastifyRequest): string {
  return parseVoice(z.object({ id: identifier }), request.params).id;
}
