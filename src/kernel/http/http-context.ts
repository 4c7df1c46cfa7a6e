import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Identify } from './identify.ts';
import type { RateLimiter } from './rate-limit.ts';

/** What a feature gets to mount its routes on. */
export interface Door {
  readonly server: FastifyInstance;
  readonly identify: Identify;
  readonly rateLimiter: RateLimiter;
  /** The client's address, through trusted proxies only. */
  addressOf(request: FastifyRequest): string;
}
