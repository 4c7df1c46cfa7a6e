import { ServiceError } from '../contract/service-error.ts';
import { addressKey } from './client-address.ts';

/** A token bucket: `burst` at once, refilled evenly to `count` per `seconds`. */
export interface RateLimit {
  readonly name: string;
  readonly count: number;
  readonly seconds: number;
  readonly burst?: number;
}

interface Bucket {
  tokens: number;
  at: number;
}

const MAX_BUCKETS = 100_000;

/** Limits per address and per account, in memory: each process has its own. */
export interface RateLimiter {
  /**
   * Takes one token of `limit` for `key` (an address, counted by `addressKey`, or an account id).
   *
   * @throws ServiceError 429 `over_request_rate_limit` with Retry-After in seconds when there is none
   */
  take(limit: RateLimit, key: string, code?: string): void;
}

/** `enabled` is the setting RATE_LIMITS; `now` is milliseconds, for tests with their own clock. */
export function createRateLimiter(enabled: boolean, now: () => number = Date.now): RateLimiter {
  const buckets = new Map<string, Bucket>();
  return {
    take(limit, key, code = 'over_request_rate_limit') {
      if (!enabled) return;
      const size = limit.burst ?? limit.count;
      const perMs = limit.count / (limit.seconds * 1000);
      const id = `${limit.name}\n${addressKey(key)}`;
      const time = now();
      const bucket = buckets.get(id) ?? { tokens: size, at: time };
      bucket.tokens = Math.min(size, bucket.tokens + (time - bucket.at) * perMs);
      bucket.at = time;
      // Moved to the end, so that the first key of the map is the one unused the longest.
      buckets.delete(id);
      buckets.set(id, bucket);
      if (buckets.size > MAX_BUCKETS) buckets.delete(buckets.keys().next().value ?? '');
      if (bucket.tokens < 1) {
        const seconds = Math.max(1, Math.ceil((1 - bucket.tokens) / perMs / 1000));
        throw new ServiceError(429, code, `Too many requests. Please try again in ${seconds} seconds.`, {
          details: { remaining: 0, retry_after: seconds },
          headers: { 'retry-after': String(seconds) },
        });
      }
      bucket.tokens -= 1;
    },
  };
}
