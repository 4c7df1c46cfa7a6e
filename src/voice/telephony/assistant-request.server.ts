import { ServiceError } from '../../contract/service-error.ts';
import type { Resources } from '../../resources/resources.ts';
import { askServer, ownServer } from './conversation/server-line.server.ts';
import { bareCallSchema, type WebCallRequest, webCallSchema } from './voice-resources.contract.ts';
import { parseVoice } from './voice-scope.server.ts';

const SUBJECTS = ['assistant', 'assistantId', 'assistantOverrides', 'squad', 'squadId'] as const;

/**
 * A web call whose subject is known. Where it names none and the installation has a server, that is
 * asked for one (contract voice §3: `assistant-request`).
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
  const call = { ...bare.data, type: 'webCall' };
  const message = { timestamp: Date.now(), type: 'assistant-request', call };
  const reply = (await askServer(resources, server, message).catch((error: Error) => {
    throw failed(error.message);
  })) as Record<string, unknown> | null;
  if (typeof reply?.error === 'string')
    throw new ServiceError(422, 'no_assistant', reply.error.toWellFormed().slice(0, 500));
  const subject = Object.fromEntries(
    SUBJECTS.flatMap((name) => (reply?.[name] == null ? [] : [[name, reply[name]]])),
  );
  try {
    return parseVoice(webCallSchema, { ...bare.data, ...subject });
  } catch (error) {
    throw failed((error as Error).message);
  }
}

const failed = (why: string): ServiceError =>
  new ServiceError(
    502,
    'assistant_request_failed',
    `The server that was asked for an assistant gave none: ${why}`,
  );
