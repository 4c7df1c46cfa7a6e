import { itemOf, type SubscriptionObject } from '../api/object-shapes.server.ts';
import type { ProviderObject } from '../provider-store.server.ts';
import type { LineDraft } from './invoice-building.server.ts';

/**
 * The two lines of a change of price within a period: what was paid and is not used any more, and
 * what the new price costs until the period ends. By the second, rounded to pence. Nothing is
 * charged for within a trial.
 *
 * @param at epoch seconds of the change
 */
export function prorationLines(
  subscription: SubscriptionObject,
  price: ProviderObject,
  at: number,
): LineDraft[] {
  const item = itemOf(subscription);
  const { current_period_start: start, current_period_end: end } = item;
  if (subscription.status === 'trialing') return [];
  const part = Math.min(1, Math.max(0, (end - at) / (end - start)));
  const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'Europe/London' }).format(
    at * 1000,
  );
  const period = { start: Math.min(Math.max(at, start), end), end };
  return [
    {
      description: `Unused time on ${String(item.price.nickname)} after ${day}`,
      amount: -Math.round(Number(item.price.unit_amount) * part),
      price: item.price,
      period,
      proration: true,
    },
    {
      description: `Remaining time on ${String(price.nickname)} after ${day}`,
      amount: Math.round(Number(price.unit_amount) * part),
      price,
      period,
      proration: true,
    },
  ];
}
