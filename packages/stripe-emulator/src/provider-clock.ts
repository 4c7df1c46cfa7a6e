import { type Change, findObject, type ProviderObject } from './provider-store.ts';
import type { Queries } from './queries.ts';

const CLOCK_KEY = 'clock';

/**
 * The provider's time, epoch seconds: the machine's time plus the seconds by which `moveClock` moved it.
 * Customers with a test clock use that clock's time instead (`atCustomersTime`).
 */
export async function providerNow(queries: Queries): Promise<number> {
  const row = await queries.maybe(
    "select (value ->> 'ahead')::int as ahead from private.provider_state where key = $1",
    [CLOCK_KEY],
  );
  return Math.floor(Date.now() / 1000) + (row?.ahead ?? 0);
}

/** Moves the provider's clock forward by whole seconds. It never goes back, since bills have been made. */
export async function moveClock(queries: Queries, seconds: number): Promise<void> {
  await queries.run(
    `insert into private.provider_state as s (key, value) values ($1, jsonb_build_object('ahead', $2::int))
     on conflict (key) do update set value = jsonb_build_object('ahead', (s.value ->> 'ahead')::int + $2::int)`,
    [CLOCK_KEY, Math.max(0, Math.floor(seconds))],
  );
}

/** The change at the time of the customer's test clock, if there is one. */
export async function atCustomersTime(change: Change, customer: unknown): Promise<Change> {
  if (typeof customer !== 'string') return change;
  const owner = await findObject(change.queries, 'customer', customer);
  const clock = await clockOf(change.queries, owner);
  return clock === undefined ? change : { ...change, now: Number(clock.frozen_time) };
}

async function clockOf(
  queries: Queries,
  owner: ProviderObject | undefined,
): Promise<ProviderObject | undefined> {
  return typeof owner?.test_clock === 'string'
    ? findObject(queries, 'test_helpers.test_clock', owner.test_clock)
    : undefined;
}
