import { z } from 'zod';
import type { Queries } from '../../../kernel/resources/database/database.ts';

const DAY = 24 * 3600;

/** What happens to a payment that fails, as an account at Stripe has it among its settings. */
export const RETRIES = z.object({
  /** Days between one attempt and the next. */
  retry_days: z.array(z.coerce.number().int().min(0).max(60)).max(8).default([3, 5, 7]),
  /** What becomes of the subscription after the last one. */
  finally: z.enum(['cancel', 'unpaid', 'past_due']).default('cancel'),
});

/** Key of the settings in `private.provider_state`. */
export const RETRIES_KEY = 'retries';

/** When an invoice is tried again after `attempts` attempts; null: never, and `finally` happens. */
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
