import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { FairQueue } from '../concurrency/fair-queue.ts';
import type { Authenticate, RequireSecondFactor } from './authenticate.ts';
import type { RateLimiter } from './rate-limit.ts';
import type { UpgradeDoor } from './upgrade-door.ts';

/**
 * Queues for expensive requests, one for each kind of caller, so that neither kind waits behind the other.
 */
export interface HeavyQueues {
  /** Runs as many requests at a time as the machine has cores. */
  readonly customers: FairQueue;
  /** For the agency's people and servers: one request at a time. */
  readonly agency: FairQueue;
}

/** What a feature gets to mount its routes on. */
export interface HttpContext {
  readonly server: FastifyInstance;
  readonly upgrades: UpgradeDoor;
  readonly authenticate: Authenticate;
  readonly requireSecondFactor: RequireSecondFactor;
  readonly rateLimiter: RateLimiter;
  readonly heavyQueues: HeavyQueues;
  /** The client's address, through trusted proxies only. */
  addressOf(request: FastifyRequest): string;
}
