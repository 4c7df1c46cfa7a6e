import { z } from 'zod';
import { MISCHIEF, MISCHIEF_KEY } from '../ledger/event-record.ts';
import { RETRIES, RETRIES_KEY } from '../ledger/payment-retries.ts';
import { moveClock } from '../provider-clock.ts';
import {
  insertObject,
  lockObject,
  type ProviderObject,
  providerId,
  replaceObject,
} from '../provider-store.ts';
import {
  type ApiRoute,
  expand,
  found,
  invalid,
  readable,
  route,
  text,
  whole,
} from '../route-descriptions.ts';

const CLOCK = 'test_helpers.test_clock';
const CLOCK_DAYS = 30;
const MOST_YEARS = 2;
const YEAR_SECONDS = 366 * 24 * 3600;

/**
 * Test clocks as Stripe has them, and additions of the embedded provider: its own clock (`/clock`), faults in
 * the delivery of webhooks, and the treatment of failed payments.
 */
export const TEST_HELPER_ROUTES: readonly ApiRoute[] = [
  ...readable('/v1/test_helpers/test_clocks', CLOCK),
  route(
    'POST',
    '/v1/test_helpers/test_clocks',
    z.strictObject({ frozen_time: whole, name: text.optional(), expand }),
    async ({ change, given }) => {
      const clock: ProviderObject = {
        id: providerId('clock'),
        object: CLOCK,
        created: change.now,
        deletes_after: change.now + CLOCK_DAYS * 24 * 3600,
        frozen_time: given.frozen_time,
        livemode: false,
        name: given.name ?? null,
        status: 'ready',
        status_details: {},
      };
      await insertObject(change.queries, clock);
      return clock;
    },
  ),
  {
    ...route(
      'POST',
      '/v1/test_helpers/test_clocks/:id/advance',
      z.strictObject({ frozen_time: whole, expand }),
      async ({ change, id, given }) => {
        const { data } = found(await lockObject(change.queries, CLOCK, id), CLOCK, id);
        const from = Number(data.frozen_time);
        if (given.frozen_time <= from || given.frozen_time > from + MOST_YEARS * YEAR_SECONDS) {
          throw invalid('A clock is advanced to a later time, by two years at most.', 'frozen_time');
        }
        const next = { ...data, frozen_time: given.frozen_time };
        await replaceObject(change.queries, next);
        return next;
      },
    ),
    dueAfter: (answer) => ({ to: Number(answer.frozen_time), scope: { clock: String(answer.id) } }),
  },
  route('DELETE', '/v1/test_helpers/test_clocks/:id', z.strictObject({}), async ({ change, id }) => {
    found(await lockObject(change.queries, CLOCK, id), CLOCK, id);
    // As at Stripe, everything that uses a clock is deleted with it.
    await change.queries.run(
      `delete from private.provider_objects where id = $1 or data ->> 'test_clock' = $1
         or customer in (select id from private.provider_objects where kind = 'customer' and data ->> 'test_clock' = $1)`,
      [id],
    );
    return { id, object: CLOCK, deleted: true };
  }),
  {
    ...route(
      'POST',
      '/v1/test_helpers/clock',
      z.strictObject({ advance_seconds: whole }),
      async ({ change, given }) => {
        if (given.advance_seconds > MOST_YEARS * YEAR_SECONDS) {
          throw invalid('The clock is moved by two years at most.', 'advance_seconds');
        }
        await moveClock(change.queries, given.advance_seconds);
        return { object: 'test_helpers.clock', now: change.now + given.advance_seconds };
      },
    ),
    dueAfter: (answer) => ({ to: Number(answer.now), scope: {} }),
  },
  route('GET', '/v1/test_helpers/clock', z.strictObject({}), async ({ change }) => ({
    object: 'test_helpers.clock',
    now: change.now,
  })),
  route('POST', '/v1/test_helpers/webhook_mischief', z.record(z.string(), text), ({ change, given }) =>
    writeState(change.queries, MISCHIEF_KEY, parse(MISCHIEF, given)),
  ),
  route('DELETE', '/v1/test_helpers/webhook_mischief', z.strictObject({}), async ({ change }) => {
    await change.queries.run('delete from private.provider_state where key = $1', [MISCHIEF_KEY]);
    return { object: 'test_helpers.webhook_mischief', deleted: true };
  }),
  route(
    'POST',
    '/v1/test_helpers/retries',
    z.strictObject({ retry_days: z.array(text).optional(), finally: text.optional() }),
    ({ change, given }) => writeState(change.queries, RETRIES_KEY, parse(RETRIES, given)),
  ),
];

async function writeState(
  queries: Parameters<typeof moveClock>[0],
  key: string,
  value: object,
): Promise<Record<string, unknown>> {
  await queries.run(
    `insert into private.provider_state (key, value) values ($1, $2)
     on conflict (key) do update set value = excluded.value`,
    [key, JSON.stringify(value)],
  );
  return { object: `test_helpers.${key}`, ...value };
}

function parse<Schema extends z.ZodType>(schema: Schema, given: unknown): z.output<Schema> & object {
  const outcome = schema.safeParse(given);
  if (outcome.success) return outcome.data as z.output<Schema> & object;
  const issue = outcome.error.issues[0];
  throw invalid(`Invalid ${issue?.path.join('.')}: ${issue?.message}`, String(issue?.path[0] ?? ''));
}
