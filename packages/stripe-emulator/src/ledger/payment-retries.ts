import { z } from 'zod';
import type { Queries } from '../queries.ts';

const DAY = 24 * 3600;

/** The treatment of a failed payment, which at Stripe is one of an account's settings. */
export const RETRIES = z.object({
  /** Days between one attempt and the next. */
  retry_days: z.array(z.coerce.number().int().min(0).max(60)).max(8).default([3, 5, 7]),
  /** What happens to the subscription after the last attempt. */
  finally: z.enum(['cancel', 'unpaid', 'past_due']).default('cancel'),
});

/** Key of the settings in `private.provider_state`. */
export const RETRIES_KEY = 'retries';

/** When an invoice is retried after `attempts` attempts; null where it is not, and `finally` applies. */
export async function planAttempt(
  queries: Queries,
  attempts: number,
  now: number,
): Promise<{ next: number | null; finally: 'cancel' | 'unpaid' | 'past_due' }> {
  const row = await queries.maybe('select value from private.provider_state where key = $1', [RETRIES_KEY]);
  const settings = RETRIES.parse(row?.value ?? {});
  const days = settings.retry_days[attempts - 1];
  return { next: days === undefined ? null : now + days * DAY, finally: settings.finally };
}
