import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { FairQueue } from '../concurrency/fair-queue.ts';
import type { Caller } from '../resources/database/caller.ts';
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

/** A change that a caller is about to make with an API key. */
export interface KeyWrite {
  readonly caller: Caller;
  /** What is done, and the id of what it is done to. */
  readonly action: string;
  readonly subject: string;
  /** The caller's own name for the request: it is done once. */
  readonly idempotencyKey: string | undefined;
}

/**
 * Records a change with an API key before it is made. The returned function records its outcome: `done` or the code of the
 * refusal.
 *
 * @throws ServiceError 409 `already_done` for an idempotency key that has been used
 */
export type RecordKeyWrite = (write: KeyWrite) => Promise<(outcome: string) => Promise<void>>;

/** What a feature gets to mount its routes on. */
export interface HttpContext {
  readonly server: FastifyInstance;
  readonly upgrades: UpgradeDoor;
  readonly authenticate: Authenticate;
  readonly requireSecondFactor: RequireSecondFactor;
  readonly recordKeyWrite: RecordKeyWrite;
  readonly rateLimiter: RateLimiter;
  readonly heavyQueues: HeavyQueues;
  /** The client's address, through trusted proxies only. */
  addressOf(request: FastifyRequest): string;
}
