import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { type EventServer, ownServer, queryServer } from '../records/event-server.server.ts';
import {
  bareCallSchema,
  destinationSchema,
  type WebCallRequest,
  webCallSchema,
} from '../records/voice-resources.contract.ts';
import { parseVoice } from '../records/voice-scope.server.ts';

const SUBJECTS = [
  'assistant',
  'assistantId',
  'assistantOverrides',
  'squad',
  'squadId',
  'squadOverrides',
] as const;

/**
 * A web call that names its assistant or squad. If the request names neither and the installation has a
 * server, the server is asked for one (docs/contracts/voice.md §3: `assistant-request`).
 *
 * @throws ServiceError 400 `validation_failed`, 422 `no_assistant` with the server's own words, 502
 * `assistant_request_failed`
 */
export async function completedCall(
  resources: Pick<Resources, 'outbound' | 'keys' | 'settings'>,
  body: unknown,
): Promise<WebCallRequest> {
  const server = ownServer(resources);
  const bare = bareCallSchema.safeParse(body ?? {});
  if (server === undefined || !bare.success) return parseVoice(webCallSchema, body);
  parseVoice(bareCallSchema, body);
  const reply = await ask(resources, server, { ...bare.data, type: 'webCall' });
  try {
    return parseVoice(webCallSchema, { ...bare.data, ...subjectOf(reply) });
  } catch (error) {
    throw failed((error as Error).message);
  }
}

/** What a number's server says about a call: which assistant takes it, or where the caller is put through. */
export interface RequestedAnswerer {
  readonly subject?: Readonly<Record<string, unknown>>;
  readonly destination?: object;
}

/**
 * Asks a number's server which assistant takes a telephone call (docs/contracts/voice.md §3:
 * `assistant-request`).
 *
 * @throws ServiceError 422 `no_assistant` with the server's own words, 502 `assistant_request_failed`
 */
export async function requestAnswerer(
  resources: Pick<Resources, 'outbound' | 'keys' | 'settings'>,
  server: EventServer,
  call: object,
): Promise<RequestedAnswerer> {
  const reply = await ask(resources, server, call);
  try {
    if (reply.destination != null) return { destination: parseVoice(destinationSchema, reply.destination) };
    return { subject: parseVoice(webCallSchema, subjectOf(reply)) };
  } catch (error) {
    throw failed((error as Error).message);
  }
}

async function ask(
  resources: Pick<Resources, 'outbound' | 'keys' | 'settings'>,
  server: EventServer,
  call: object,
): Promise<Record<string, unknown>> {
  const { customer, phoneNumber } = call as { readonly customer?: unknown; readonly phoneNumber?: unknown };
  const message = { timestamp: Date.now(), type: 'assistant-request', call, customer, phoneNumber };
  const reply = (await queryServer(resources, server, message).catch((error: Error) => {
    throw failed(error.message);
  })) as Record<string, unknown> | null;
  if (typeof reply?.error === 'string')
    throw new ServiceError(422, 'no_assistant', reply.error.toWellFormed().slice(0, 500));
  return reply ?? {};
}

const subjectOf = (reply: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(SUBJECTS.flatMap((name) => (reply[name] == null ? [] : [[name, reply[name]]])));

const failed = (why: string): ServiceError =>
  new ServiceError(
    502,
    'assistant_request_failed',
    `The server that was asked for an assistant gave none: ${why}`,
  );
