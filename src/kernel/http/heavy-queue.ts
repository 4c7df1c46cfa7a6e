import { FairQueue } from '../concurrency/fair-queue.ts';
import { ServiceError } from '../contract/service-error.ts';

/** How many requests of one caller may wait; further ones are refused with 429. */
const MOST_WAITING = 100;

/**
 * Creates a queue for expensive requests, so that cheap ones keep most of the machine. `places` requests run at a time, at
 * most one for each caller.
 *
 * Callers take turns, however many requests each of them sends. More than {@link MOST_WAITING} waiting requests of one caller
 * are refused with 429 `over_request_rate_limit`.
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
