import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Authenticate, RequireSecondFactor } from './authenticate.ts';
import type { RateLimiter } from './rate-limit.ts';

/** What a feature gets to mount its routes on. */
export interface HttpContext {
  readonly server: FastifyInstance;
  readonly authenticate: Authenticate;
  readonly requireSecondFactor: RequireSecondFactor;
  readonly rateLimiter: RateLimiter;
  /** The client's address, through trusted proxies only. */
  addressOf(request: FastifyRequest): string;
}
