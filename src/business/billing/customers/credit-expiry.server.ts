import type { Resources } from '../../../kernel/resources/resources.ts';
import type { Payments } from '../payments.server.ts';

/** How long credits outlive their period while the next one is not paid, because a renewal may take time. */
export const GRACE_SECONDS = 3 * 24 * 3600;

const ROUND_SECONDS = 600;

/** Expires credits whose period has ended without a paid one after it (`private.lapse_credits`). */
export function expireCredits(resources: Resources, payments: Payments): void {
  resources.jobs.every('lapsed credits', ROUND_SECONDS, () => lapseDueCredits(resources, payments));
}

/** One round. */
export async function lapseDueCredits(
  { database }: Pick<Resources, 'database'>,
  payments: Pick<Payments, 'now'>,
): Promise<void> {
  const now = await payments.now();
  const due = await database.many(
    `select distinct customer_row from private.credit_grants
     where lapsed_at is null and valid_until <= to_timestamp($1) limit 1000`,
    [now],
  );
  for (const { customer_row: row } of due)
    await database.many('select private.lapse_credits($1, to_timestamp($2))', [row, now]);
}
