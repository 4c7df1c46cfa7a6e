import { ServiceError } from '../contract/service-error.ts';
import type { Queries } from '../resources/database/database.ts';
import { addressKey } from './client-address.ts';
import type { SharedLimits } from './shared-limits.ts';

/** A token bucket: `burst` at once, refilled evenly to `count` per `seconds`. */
export interface RateLimit {
  readonly name: string;
  readonly count: number;
  readonly seconds: number;
  readonly burst?: number;
}

/** Options of `take`. */
export interface TakeOptions {
  /** Code of the 429; default `over_request_rate_limit`. */
  readonly code?: string | undefined;
  /**
   * The transaction in which the token is taken; needed inside one, because a second connection might never
   * become free.
   */
  readonly within?: Queries | undefined;
}

/** Limits per address and per account (decision 0380). */
export interface RateLimiter {
  /**
   * Takes one token of `limit` for `key` (an address, counted by `addressKey`, or an account id). All
   * processes on the database share these tokens, and the tokens outlive the processes.
   *
   * @throws ServiceError 429 with Retry-After in seconds when no token is left; 503 `database_unavailable`
   */
  take(limit: RateLimit, key: string, options?: TakeOptions): Promise<void>;
  /**
   * Takes a token of this process alone, without the database, for events that come hundreds of times a
   * second.
   *
   * @throws ServiceError 429 `over_request_rate_limit` with Retry-After in seconds
   */
  takeHere(limit: RateLimit, key: string): void;
}

/**
 * `enabled` is the setting RATE_LIMITS. `now` returns milliseconds, for tests with their own clock. When this
 * process has more than `most` buckets, the least recently used one is forgotten.
 */
export function createRateLimiter(
  enabled: boolean,
  shared: SharedLimits,
  now: () => number = Date.now,
  most = MAX_BUCKETS,
): RateLimiter {
  const own = new OwnLimits(now, most);
  const refuseFor = (wait: number, code: string | undefined): void => {
    if (wait > 0) throw refusal(wait, code);
  };
  return {
    async take(limit, key, { code, within } = {}) {
      if (!enabled) return;
      const subject = addressKey(key);
      // First the limit of this process alone: a flood then costs the database no more than the limit allows.
      refuseFor(own.take(limit, subject), code);
      const wait = await shared.take(limit, subject, within);
      if (wait > 0) own.drain(limit, subject, wait);
      refuseFor(wait, code);
    },
    takeHere(limit, key) {
      if (enabled) refuseFor(own.take(limit, addressKey(key)), undefined);
    },
  };
}

interface Bucket {
  tokens: number;
  at: number;
}

const MAX_BUCKETS = 100_000;

/** The buckets of this process. */
class OwnLimits {
  readonly #buckets = new Map<string, Bucket>();
  readonly #now: () => number;

  readonly #most: number;

  constructor(now: () => number, most: number) {
    this.#now = now;
    this.#most = most;
  }

  /** Takes a token. Returns 0 when one was left, else the seconds until the next. */
  take(limit: RateLimit, subject: string): number {
    const size = limit.burst ?? limit.count;
    const perSecond = limit.count / limit.seconds;
    const id = `${limit.name}\n${subject}`;
    const time = this.#now();
    const bucket = this.#buckets.get(id) ?? { tokens: size, at: time };
    bucket.tokens = Math.min(size, bucket.tokens + ((time - bucket.at) / 1000) * perSecond);
    bucket.at = time;
    // Moved to the end, so that the first key of the map is the least recently used one.
    this.#buckets.delete(id);
    this.#buckets.set(id, bucket);
    if (this.#buckets.size > this.#most) this.#buckets.delete(this.#buckets.keys().next().value ?? '');
    if (bucket.tokens < 1) return (1 - bucket.tokens) / perSecond;
    bucket.tokens -= 1;
    return 0;
  }

  /** Empties the bucket, so that the next token comes in `wait` seconds: other processes took the rest. */
  drain(limit: RateLimit, subject: string, wait: number): void {
    const tokens = 1 - wait * (limit.count / limit.seconds);
    this.#buckets.set(`${limit.name}\n${subject}`, { tokens, at: this.#now() });
  }
}

function refusal(wait: number, code = 'over_request_rate_limit'): ServiceError {
  const seconds = Math.max(1, Math.ceil(wait));
  return new ServiceError(429, code, `Too many requests. Please try again in ${seconds} seconds.`, {
    details: { remaining: 0, retry_after: seconds },
    headers: { 'retry-after': String(seconds) },
  });
}
