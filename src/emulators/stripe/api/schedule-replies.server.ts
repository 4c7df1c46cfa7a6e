import { z } from 'zod';
import { livingSubscription } from '../ledger/active-subscription.server.ts';
import { releaseSchedule, scheduleOf, setPhases } from '../ledger/schedule-changes.server.ts';
import { findPrice } from '../object-shapes.server.ts';
import { type Change, lockObject, type ProviderObject } from '../provider-store.server.ts';
import {
  type ApiRoute,
  expand,
  found,
  invalid,
  metadata,
  missing,
  readable,
  route,
  text,
  whole,
} from '../route-descriptions.server.ts';

const phase = z.strictObject({
  start_date: whole.optional(),
  end_date: whole.optional(),
  duration: z
    .strictObject({ interval: z.literal('month'), interval_count: z.literal('1').optional() })
    .optional(),
  items: z.array(z.strictObject({ price: text, quantity: z.literal('1').optional() })).length(1),
  proration_behavior: z.literal('none').optional(),
});

/** Schedules: the changes to a subscription when its period ends. */
export const SCHEDULE_ROUTES: readonly ApiRoute[] = [
  ...readable('/v1/subscription_schedules', 'subscription_schedule', { customer: text.optional() }),
  route(
    'POST',
    '/v1/subscription_schedules',
    z.strictObject({ from_subscription: text, expand }),
    async (call) => {
      const { subscription, change } = await livingSubscription({
        ...call,
        id: call.given.from_subscription,
      });
      if (subscription.schedule != null)
        throw invalid('The subscription already has a schedule.', 'from_subscription');
      return scheduleOf(change, subscription);
    },
  ),
  route(
    'POST',
    '/v1/subscription_schedules/:id',
    z.strictObject({
      phases: z.array(phase).min(1).max(10),
      end_behavior: z.literal('release').optional(),
      metadata,
      expand,
    }),
    async ({ change, id, given }) => {
      const schedule = await activeSchedule(change, id);
      for (const { items } of given.phases) {
        const price = items[0]?.price ?? '';
        if ((await findPrice(change.queries, price)) === undefined) throw missing('price', price);
      }
      return setPhases(change, schedule, given.phases);
    },
  ),
  route(
    'POST',
    '/v1/subscription_schedules/:id/release',
    z.strictObject({ expand }),
    async ({ change, id }) => releaseSchedule(change, await activeSchedule(change, id)),
  ),
];

async function activeSchedule(change: Change, id: string): Promise<ProviderObject> {
  const { data } = found(
    await lockObject(change.queries, 'subscription_schedule', id),
    'subscription_schedule',
    id,
  );
  if (data.status !== 'active') throw invalid('The schedule is not active any more.', 'id');
  return data;
}
