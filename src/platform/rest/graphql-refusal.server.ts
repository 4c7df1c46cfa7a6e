import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HttpContext } from '../../kernel/http/http-context.ts';
import type { RateLimit } from '../../kernel/http/rate-limit.ts';

/** Requests from one address; each is answered from memory. */
const LIMIT: RateLimit = { name: 'graphql', count: 20, seconds: 1, burst: 200 };
/** The reply of a hosted project that has its GraphQL extension switched off. */
const REFUSAL = { errors: [{ message: 'pg_graphql extension is not enabled.' }] };

/**
 * `/graphql/v1`, which clients of the hosted platform know. It replies as a project without the extension
 * does: 200 with `errors` and no data, as GraphQL reports errors; 401 without a key. The body is not read
 * (decision 0453).
 */
export function refuseGraphql({ server, authenticate, rateLimiter, addressOf }: HttpContext): void {
  const refuse = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    rateLimiter.takeHere(LIMIT, addressOf(request));
    await authenticate(request.headers, request.query as Record<string, unknown>);
    return reply.code(200).send(REFUSAL);
  };
  server.route({ method: ['GET', 'POST'], url: '/graphql/v1', onRequest: refuse, handler: refuse });
}
