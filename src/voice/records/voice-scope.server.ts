import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { HttpContext } from '../../kernel/http/http-context.ts';
import { inputIssues } from '../../kernel/http/input-issues.ts';
import { type JsonBytes, sendJson } from '../../kernel/http/json-slices.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import type { VoiceRecords } from './voice-records.server.ts';

/** What each part of the voice API is built on. */
export interface VoiceScope {
  /** A scope of the server under /voice/v1; every request in it has shown a key. */
  readonly server: FastifyInstance;
  readonly http: HttpContext;
  readonly resources: Resources;
  readonly records: VoiceRecords;
  /** The installation's id, as every record states it. */
  readonly orgId: string;
  /** The assistant of the site's own Test Now button. */
  readonly defaultAssistantId: string;
}

const identifier = z.uuid();
/** A list of this many rows or more waits its turn with the agency's other heavy work. */
const LARGE_LIST = 200;

/** Answers with what `find` returns. A request for `LARGE_LIST` rows or more waits in the agency's queue. */
export async function sendRows(
  { http }: VoiceScope,
  reply: FastifyReply,
  limit: number,
  find: () => Promise<JsonBytes>,
): Promise<FastifyReply> {
  return sendJson(reply, await (limit >= LARGE_LIST ? http.heavyQueues.agency.run('voice', find) : find()));
}

/** @throws ServiceError 400 `validation_failed`; its message and `fields` name what is wrong */
export function parseVoice<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const outcome = schema.safeParse(input ?? {});
  if (outcome.success) return outcome.data;
  const { fields } = inputIssues(outcome.error);
  const message = Object.entries(fields)
    .map(([field, why]) => (field === 'body' ? why : `${field}: ${why}`))
    .join('; ');
  throw new ServiceError(400, 'validation_failed', message, { details: { fields } });
}

/** The id in the address. @throws ServiceError 400 `validation_failed` when it is not a UUID */
export function idOf(request: FastifyRequest): string {
  return parseVoice(z.object({ id: identifier }), request.params).id;
}
