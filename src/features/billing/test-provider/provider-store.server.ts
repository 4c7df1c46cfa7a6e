import { randomBytes } from 'node:crypto';
import type { Queries } from '../../../resources/database/database.ts';
import type { Jobs } from '../../../resources/jobs/jobs.ts';

/** An object of the provider's API, as it is shown. */
export type ProviderObject = Record<string, unknown> & { id: string; object: string };

/** The job that delivers one event to the webhook endpoint. */
export const DELIVER_EVENT_JOB = 'deliver-payment-event';

/** The version of the API that the installed SDK speaks; objects have its shapes. */
export const API_VERSION = '2026-10-28.endive';

/** Random id in Stripe's style: `cus_` and 24 characters; `length` more for ids that are also a key to a page. */
export function providerId(prefix: string, bytes = 12): string {
  return `${prefix}_${randomBytes(bytes).toString('hex')}`;
}

/** Whole seconds since 1970. */
export function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

/** Writes a new object. `hidden` is what the API never shows. */
export async function insertObject(
  queries: Queries,
  data: ProviderObject,
  hidden: Record<string, unknown> = {},
): Promise<void> {
  await queries.run(
    'insert into private.provider_objects (id, kind, customer, data, hidden) values ($1, $2, $3, $4, $5)',
    [data.id, data.object, customerOf(data), JSON.stringify(data), JSON.stringify(hidden)],
  );
}

/** Replaces an object that was read with `lockObject`. */
export async function replaceObject(
  queries: Queries,
  data: ProviderObject,
  hidden?: Record<string, unknown>,
): Promise<void> {
  await queries.run(
    `update private.provider_objects set data = $2, customer = $3, hidden = coalesce($4::jsonb, hidden) where id = $1`,
    [data.id, JSON.stringify(data), customerOf(data), hidden === undefined ? null : JSON.stringify(hidden)],
  );
}

/** An object of one kind, or undefined. */
export async function findObject(
  queries: Queries,
  kind: string,
  id: string,
): Promise<ProviderObject | undefined> {
  const row = await queries.maybe<{ data: ProviderObject }>(
    'select data from private.provider_objects where id = $1 and kind = $2',
    [id, kind],
  );
  return row?.data;
}

/** An object and what the API hides of it, locked until the end of the transaction. */
export function lockObject(
  queries: Queries,
  kind: string,
  id: string,
): Promise<{ data: ProviderObject; hidden: Record<string, unknown> } | undefined> {
  return queries.maybe(
    'select data, hidden from private.provider_objects where id = $1 and kind = $2 for update',
    [id, kind],
  );
}

/** Objects of a kind, newest first. `matching` are fields that must be equal. */
export async function listObjects(
  queries: Queries,
  kind: string,
  options: { customer?: string; matching?: object; after?: string; limit: number },
): Promise<ProviderObject[]> {
  const rows = await queries.many<{ data: ProviderObject }>(
    `select data from private.provider_objects
     where kind = $1 and ($2::text is null or customer = $2) and data @> $3::jsonb
       and ($4::text is null or position < (select position from private.provider_objects where id = $4))
     order by position desc limit $5`,
    [
      kind,
      options.customer ?? null,
      JSON.stringify(options.matching ?? {}),
      options.after ?? null,
      options.limit,
    ],
  );
  return rows.map((row) => row.data);
}

/** Tells the webhook endpoint of a change, in the transaction of the change. */
export async function recordEvent(
  queries: Queries,
  jobs: Jobs,
  type: string,
  object: ProviderObject,
): Promise<void> {
  const event: ProviderObject = {
    id: providerId('evt'),
    object: 'event',
    api_version: API_VERSION,
    created: nowSeconds(),
    data: { object },
    livemode: false,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type,
  };
  await queries.run('insert into private.provider_events (id, type, data) values ($1, $2, $3)', [
    event.id,
    type,
    JSON.stringify(event),
  ]);
  await jobs.add(queries, DELIVER_EVENT_JOB, { event: event.id });
}

function customerOf(data: ProviderObject): string | null {
  if (data.object === 'customer') return data.id;
  return typeof data.customer === 'string' ? data.customer : null;
}
