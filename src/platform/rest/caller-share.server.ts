import { restError } from '@northline/postgrest/rest-error';
import { Semaphore } from '../../kernel/concurrency/semaphore.ts';
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
  readonly #share: number;
  readonly #shares = new Map<string, { semaphore: Semaphore; users: number }>();

  /** @param poolSize connections for callers' statements */
  constructor(poolSize: number) {
    this.#share = Math.max(1, Math.floor(poolSize / 3));
  }

  /** @throws ServiceError 429 when too many requests of the caller wait already */
  async run<T>(caller: Caller, address: string, work: () => Promise<T>): Promise<T> {
    if (caller.role === 'service_role') return work();
    return this.#within(caller.userId ?? addressKey(address), work);
  }

  async #within<T>(key: string, work: () => Promise<T>): Promise<T> {
    const entry = this.#shares.get(key) ?? { semaphore: new Semaphore(this.#share), users: 0 };
    if (entry.semaphore.waiting >= MAX_WAITING) throw tooMany();
    this.#shares.set(key, entry);
    entry.users += 1;
    try {
      return await entry.semaphore.run(work);
    } finally {
      entry.users -= 1;
      if (entry.users === 0) this.#shares.delete(key);
    }
  }
}

function tooMany(): Error {
  return restError(429, 'over_request_rate_limit', 'Too many requests at a time', {
    hint: 'Wait for the replies to earlier requests.',
    headers: { 'retry-after': '1' },
  });
}
