import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { FairQueue } from '../concurrency/fair-queue.ts';
import type { Authenticate, RequireSecondFactor } from './authenticate.ts';
import type { RateLimiter } from './rate-limit.ts';

/** Queues of requests that are much work, one for each kind of caller, so that neither waits behind the other. */
export interface HeavyQueues {
  /** As many pieces of work at a time as there are cores. */
  readonly customers: FairQueue;
  /** Of the agency's people and servers: one at a time. */
  readonly agency: FairQueue;
}

/** What a feature gets to mount its routes on. */
export interface HttpContext {
  readonly server: FastifyInstance;
  readonly authenticate: Authenticate;
  readonly requireSecondFactor: RequireSecondFactor;
  readonly rateLimiter: RateLimiter;
  readonly heavyQueues: HeavyQueues;
  /** The client's address, through trusted proxies only. */
  addressOf(request: FastifyRequest): string;
}
