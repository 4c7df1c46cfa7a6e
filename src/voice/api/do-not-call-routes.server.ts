import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { DoNotCallList } from '../calls/record/do-not-call.server.ts';
import { doNotCallListSchema, doNotCallSchema } from '../records/voice-resources.contract.ts';
import { parseVoice, type VoiceScope } from '../records/voice-scope.server.ts';

const placeSchema = z.object({ whom: z.string().max(500) });

/** Mounts the do-not-call list: add, look up, remove, list. */
export function mountDoNotCall({ server }: Pick<VoiceScope, 'server'>, list: DoNotCallList): void {
  const named = (request: FastifyRequest): z.output<typeof doNotCallSchema> => {
    const { whom } = parseVoice(placeSchema, request.params);
    return parseVoice(doNotCallSchema, /^sips?:/.test(whom) ? { sipUri: whom } : { number: whom });
  };
  server.post('/do-not-call', async (request, reply) =>
    reply.code(201).send(await list.add(parseVoice(doNotCallSchema, request.body))),
  );
  server.get('/do-not-call', async (request) =>
    list.list(parseVoice(doNotCallListSchema, request.query).limit),
  );
  server.get('/do-not-call/:whom', async (request) => {
    const entry = await list.find(named(request));
    if (entry === undefined) throw notThere();
    return entry;
  });
  server.delete('/do-not-call/:whom', async (request, reply) => {
    if (!(await list.remove(named(request)))) throw notThere();
    return reply.code(204).send();
  });
}

const notThere = (): ServiceError =>
  new ServiceError(404, 'not_found', 'This number or address is not on the do-not-call list.');
