import { itemOf, type SubscriptionObject } from '../object-shapes.ts';
import type { ProviderObject } from '../provider-store.ts';
import type { LineDraft } from './invoice-building.ts';

/**
 * The two lines for a change of price within a period: a credit for the unused paid time, and the new price
 * until the end of the period. Calculated by the second and rounded to the currency's smallest unit. A trial costs nothing.
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
