import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Authenticate } from './authenticate.ts';
import type { RateLimiter } from './rate-limit.ts';

/** What a feature gets to mount its routes on. */
export interface HttpContext {
  readonly server: FastifyInstance;
  readonly authenticate: Authenticate;
  readonly rateLimiter: RateLimiter;
  /** The client's address, through trusted proxies only. */
  addressOf(request: FastifyRequest): string;
}
