import { randomBytes } from 'node:crypto';
import type { VatTerms } from '@northline/vat/vat';
import type { Catalogue } from './catalogue.ts';
import type { Jobs, ProviderHost } from './provider-host.ts';
import type { Queries } from './queries.ts';

/** One change of the provider's state. All of it happens in one transaction, the events included. */
export interface Change {
  readonly queries: Queries;
  readonly jobs: Jobs;
  /** The provider's time, epoch seconds. */
  readonly now: number;
  /** Public address of the provider's pages. */
  readonly pages: string;
  /** The seller's VAT terms; undefined while the seller does not account for VAT. */
  readonly vat: VatTerms | undefined;
  readonly catalogue: Catalogue;
}

/** The path at which the embedded provider is mounted. */
export const EMULATOR_PATH = '/test-provider';

/** Makes a change in the transaction of `queries`, at the provider's time `now`, epoch seconds. */
export function changeAt(host: ProviderHost, queries: Queries, now: number): Change {
  const { jobs, siteUrl, vat, catalogue } = host;
  return { queries, jobs, now, pages: `${siteUrl}${EMULATOR_PATH}`, vat, catalogue };
}

/** An object in the form of the provider's API. */
export type ProviderObject = Record<string, unknown> & { id: string; object: string };

/** The version of the API that the installed SDK uses; objects have its shapes. */
export const API_VERSION = '2026-10-28.endive';

/**
 * A random id in Stripe's style, such as `cus_` and 24 characters; longer with more `bytes`, for ids that are
 * also the key to a page.
 */
export function providerId(prefix: string, bytes = 12): string {
  return `${prefix}_${randomBytes(bytes).toString('hex')}`;
}

/** Stores a new object. `hidden` holds what the API never shows. */
export async function insertObject(
  queries: Queries,
  data: ProviderObject,
  hidden: Record<string, unknown> = {},
): Promise<void> {
  await queries.run(
    'insert into private.provider_objects (id, kind, customer, data, hidden, due_at) values ($1, $2, $3, $4, $5, $6)',
    [data.id, data.object, customerOf(data), JSON.stringify(data), JSON.stringify(hidden), dueAt(data)],
  );
}

/**
 * Stores an object with a fixed id, unless it exists already; two changes that do so at once share one
 * object.
 */
export async function insertOnce(queries: Queries, data: ProviderObject): Promise<void> {
  await queries.run(
    `insert into private.provider_objects (id, kind, customer, data, hidden) values ($1, $2, $3, $4, '{}')
     on conflict (id) do nothing`,
    [data.id, data.object, customerOf(data), JSON.stringify(data)],
  );
}

/** Replaces an object that was read with `lockObject`. */
export async function replaceObject(
  queries: Queries,
  data: ProviderObject,
  hidden?: Record<string, unknown>,
): Promise<void> {
  await queries.run(
    `update private.provider_objects set data = $2, customer = $3, hidden = coalesce($4::jsonb, hidden), due_at = $5
     where id = $1`,
    [
      data.id,
      JSON.stringify(data),
      customerOf(data),
      hidden === undefined ? null : JSON.stringify(hidden),
      dueAt(data),
    ],
  );
}

/** An object of one kind, or undefined. */
export async function findObject(
  queries: Queries,
  kind: string,
  id: string,
): Promise<ProviderObject | undefined> {
  const row = await queries.maybe('select data from private.provider_objects where id = $1 and kind = $2', [
    id,
    kind,
  ]);
  return row?.data;
}

/** An object with its hidden part, locked until the end of the transaction. */
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

/** Objects of a kind, newest first. `matching` lists fields and the values that they must have. */
export async function listObjects(
  queries: Queries,
  kind: string,
  options: { customer?: string; matching?: object; after?: string; limit: number },
): Promise<ProviderObject[]> {
  const rows = await queries.many(
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

function customerOf(data: ProviderObject): string | null {
  if (data.object === 'customer') return data.id;
  return typeof data.customer === 'string' ? data.customer : null;
}

const INCOMPLETE_SECONDS = 23 * 3600;

/** When the clock next has to do something for an object, epoch seconds; null for never. */
function dueAt(data: ProviderObject): number | null {
  const seconds = (value: unknown): number | null => (typeof value === 'number' ? value : null);
  if (data.object === 'timer') return seconds(data.due);
  if (data.object === 'invoice') return data.status === 'open' ? seconds(data.next_payment_attempt) : null;
  if (data.object !== 'subscription') return null;
  if (data.status === 'incomplete') return Number(data.created) + INCOMPLETE_SECONDS;
  if (data.status === 'trialing') return seconds(data.trial_end);
  if (data.status !== 'active' && data.status !== 'past_due') return null;
  const { items } = data as unknown as { items: { data: { current_period_end: number }[] } };
  return seconds(items.data[0]?.current_period_end);
}
