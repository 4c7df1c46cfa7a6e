import type { Payments } from '../payments.server.ts';
import type { OwnSubscription } from './own-subscription.server.ts';
import { withoutSchedule } from './plan-change.server.ts';

/** Sets or undoes the cancellation at the period's end; in both cases a pending change of plan is dropped. */
export async function setCancellation(
  payments: Payments,
  held: OwnSubscription,
  cancel: boolean,
): Promise<void> {
  const subscription = await withoutSchedule(payments, await payments.stripe.subscriptions.retrieve(held.id));
  if (subscription.cancel_at_period_end === cancel) return;
  await payments.stripe.subscriptions.update(held.id, { cancel_at_period_end: cancel });
}
