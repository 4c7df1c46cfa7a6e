import { restError } from '@northline/postgrest/rest-error';
import { FairQueue } from '../../kernel/concurrency/fair-queue.ts';
import { addressKey } from '../../kernel/http/client-address.ts';
import type { Caller } from '../../kernel/resources/database/caller.ts';

/** Requests of one caller that may wait for their turn; further ones are refused. */
const MAX_WAITING = 100;

/**
 * Gives each caller a fair share of the database's connections. A user, or an address without a session, uses
 * at most a third of the pool; all callers without a session together use at most half, which the database
 * enforces. The server's own key is not limited.
 */
export class CallerShares {
  readonly #queue: FairQueue;

  /** @param poolSize connections for callers' statements */
  constructor(poolSize: number) {
    const share = Math.max(1, Math.floor(poolSize / 3));
    this.#queue = new FairQueue({
      places: Number.POSITIVE_INFINITY,
      each: () => share,
      waiting: { most: MAX_WAITING, refusal: tooMany },
    });
  }

  /** @throws ServiceError 429 when too many requests of the caller wait already */
  async run<T>(caller: Caller, address: string, work: () => Promise<T>): Promise<T> {
    if (caller.role === 'service_role') return work();
    return this.#queue.run(caller.userId ?? addressKey(address), work);
  }
}

function tooMany(): Error {
  return restError(429, 'over_request_rate_limit', 'Too many requests at a time', {
    hint: 'Wait for the replies to earlier requests.',
    headers: { 'retry-after': '1' },
  });
}
