import { itemOf, monthsAfter, type SubscriptionObject } from '../object-shapes.server.ts';
import {
  type Change,
  insertObject,
  lockObject,
  type ProviderObject,
  providerId,
  replaceObject,
} from '../provider-store.server.ts';
import { recordEvent } from './event-record.server.ts';
import { updateSubscription } from './subscription-cycles.server.ts';

/** A phase in a request; times are epoch seconds. */
export interface PhaseGiven {
  readonly start_date?: number | undefined;
  readonly end_date?: number | undefined;
  readonly items: readonly { price: string }[];
}

interface Phase {
  readonly start_date: number;
  readonly end_date: number;
  readonly items: readonly { price: string; quantity: number }[];
}

/** Creates a schedule for a running subscription; its first phase is the current period. */
export async function scheduleOf(change: Change, subscription: SubscriptionObject): Promise<ProviderObject> {
  const item = itemOf(subscription);
  const current = { start_date: item.current_period_start, end_date: item.current_period_end };
  const schedule: ProviderObject = {
    id: providerId('sub_sched'),
    object: 'subscription_schedule',
    canceled_at: null,
    completed_at: null,
    created: change.now,
    current_phase: current,
    customer: subscription.customer,
    end_behavior: 'release',
    livemode: false,
    metadata: {},
    phases: [phaseObject({ ...current, items: [{ price: String(item.price.id), quantity: 1 }] })],
    released_at: null,
    released_subscription: null,
    status: 'active',
    subscription: subscription.id,
    test_clock: subscription.test_clock,
  };
  await insertObject(change.queries, schedule);
  await updateSubscription(change, subscription, { schedule: schedule.id });
  await recordEvent(change, 'subscription_schedule.created', schedule);
  return schedule;
}

/** Replaces the phases; a phase without dates follows the one before and lasts a month. */
export async function setPhases(
  change: Change,
  schedule: ProviderObject,
  given: readonly PhaseGiven[],
): Promise<ProviderObject> {
  let at = given[0]?.start_date ?? change.now;
  const phases = given.map((phase) => {
    const start = phase.start_date ?? at;
    at = phase.end_date ?? monthsAfter(start, 1);
    const items = phase.items.map(({ price }) => ({ price, quantity: 1 }));
    return phaseObject({ start_date: start, end_date: at, items });
  });
  const next = { ...schedule, phases };
  await replaceObject(change.queries, next);
  await recordEvent(change, 'subscription_schedule.updated', next);
  // The subscription itself does not change, but programs that show the next plan have to fetch it again.
  return next;
}

/** Releases the schedule, so that the subscription goes on as it is. */
export async function releaseSchedule(change: Change, schedule: ProviderObject): Promise<ProviderObject> {
  const next = {
    ...schedule,
    status: 'released',
    released_at: change.now,
    released_subscription: schedule.subscription,
    subscription: null,
    current_phase: null,
  };
  await replaceObject(change.queries, next);
  const locked = await lockObject(change.queries, 'subscription', String(schedule.subscription));
  if (locked?.data.schedule === schedule.id)
    await updateSubscription(change, locked.data as SubscriptionObject, { schedule: null });
  await recordEvent(change, 'subscription_schedule.released', next);
  return next;
}

/** The phase at a moment; undefined where the schedule has no further phase. */
export function phaseAt(
  schedule: ProviderObject,
  at: number,
): { price: string; start: number; end: number } | undefined {
  const phase = (schedule.phases as Phase[]).find(
    ({ start_date, end_date }) => start_date <= at && at < end_date,
  );
  const price = phase?.items[0]?.price;
  return phase === undefined || price === undefined
    ? undefined
    : { price, start: phase.start_date, end: phase.end_date };
}

function phaseObject(phase: Phase): Record<string, unknown> {
  return {
    ...phase,
    add_invoice_items: [],
    discounts: [],
    metadata: {},
    proration_behavior: 'none',
    trial_end: null,
  };
}
