import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { SERVICES } from '../../kernel/contract/routes.ts';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { HttpContext } from '../../kernel/http/http-context.ts';
import type { RateLimit } from '../../kernel/http/rate-limit.ts';
import type { Caller } from '../../kernel/resources/database/caller.ts';
import { NOT_STORED } from './channel.server.ts';
import type { RealtimeService } from './channel-join.server.ts';
import type { Broadcast } from './frames.server.ts';
import { mayUseTopic } from './private-topic.server.ts';
import { REALTIME_LIMITS } from './realtime-limits.server.ts';

const LIMIT: RateLimit = { name: 'realtime-broadcast', count: 100, seconds: 1, burst: 300 };

const word = z.string().min(1).max(REALTIME_LIMITS.topicBytes);
const batch = z.object({
  messages: z
    .array(z.object({ topic: word, event: word, payload: z.unknown(), private: z.boolean().nullish() }))
    .min(1)
    .max(REALTIME_LIMITS.httpMessages),
});

/**
 * Broadcasts by HTTP: `POST /api/broadcast` and `POST /api/broadcast/{topic}/events/{event}` → 202
 * (docs/contracts/platform.md §5).
 */
export function mountBroadcast(http: HttpContext, service: RealtimeService): void {
  http.server.register(
    async (scope) => {
      scope.addContentTypeParser(
        'application/octet-stream',
        { parseAs: 'buffer', bodyLimit: REALTIME_LIMITS.frameBytes },
        (_request, body, done) => done(null, body),
      );
      const authenticate = async (request: FastifyRequest): Promise<Caller> => {
        http.rateLimiter.takeHere(LIMIT, http.addressOf(request));
        return http.authenticate(request.headers);
      };
      scope.post('/broadcast', { bodyLimit: REALTIME_LIMITS.frameBytes }, async (request, reply) => {
        const caller = await authenticate(request);
        const outcome = batch.safeParse(request.body);
        if (!outcome.success) throw unusable(z.prettifyError(outcome.error));
        for (const message of outcome.data.messages) {
          const name = { topic: message.topic, isPrivate: message.private ?? false };
          if (name.isPrivate && !(await mayUseTopic(service.database, caller, name.topic, 'write'))) continue;
          const payload = Buffer.from(JSON.stringify(message.payload ?? {}));
          service.pubSub.broadcast(name, { event: message.event, encoding: 'json', payload });
        }
        return reply.code(202).send();
      });
      scope.post<{ Params: { topic: string; event: string }; Querystring: Record<string, string> }>(
        '/broadcast/:topic/events/:event',
        { bodyLimit: REALTIME_LIMITS.frameBytes },
        async (request, reply) => {
          const caller = await authenticate(request);
          const { topic, event } = request.params;
          requireSendable(request.params, request.query);
          const name = { topic, isPrivate: request.query.private === 'true' };
          if (name.isPrivate && !(await mayUseTopic(service.database, caller, topic, 'write'))) {
            throw new ServiceError(403, 'unauthorized', 'You may not send to this channel.');
          }
          service.pubSub.broadcast(name, broadcastOf(event, request.body));
          return reply.code(202).send();
        },
      );
    },
    { prefix: `${SERVICES.realtime}/api` },
  );
}

/** @throws ServiceError 422 for names that are too long, and for a broadcast that is to be stored */
function requireSendable(params: Record<'topic' | 'event', string>, query: Record<string, string>): void {
  if (!word.safeParse(params.topic).success || !word.safeParse(params.event).success)
    throw unusable('topic or event');
  if (query.persist === 'true' || query['persist[ttl]'] !== undefined) throw unusable(NOT_STORED);
}

function broadcastOf(event: string, body: unknown): Broadcast {
  return Buffer.isBuffer(body)
    ? { event, encoding: 'binary', payload: body }
    : { event, encoding: 'json', payload: Buffer.from(JSON.stringify(body ?? {})) };
}

function unusable(what: string): ServiceError {
  return new ServiceError(422, 'validation_failed', `The message cannot be used: ${what}`);
}
