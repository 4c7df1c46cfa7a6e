import { FairQueue } from '../concurrency/fair-queue.ts';
import { ServiceError } from '../contract/service-error.ts';

/** Requests of one caller that may wait; more are refused with 429. */
const MOST_WAITING = 100;

/**
 * Where requests that are much work wait, so that all other requests have most of the machine: `places` at a time, and one
 * of each caller.
 */
export function createHeavyQueue(places: number): FairQueue {
  return new FairQueue({ places, each: () => 1, waiting: { most: MOST_WAITING, refusal: tooMany } });
}

function tooMany(): ServiceError {
  return new ServiceError(
    429,
    'over_request_rate_limit',
    'Too many requests at a time: wait for the replies to earlier ones.',
    { headers: { 'retry-after': '1' } },
  );
}
