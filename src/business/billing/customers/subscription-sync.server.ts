import type { Queries } from '../../../kernel/resources/database/database.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import type { Payments } from '../payments.server.ts';
import {
  type Fetched,
  fetchCustomer,
  type InvoiceState,
  type SubscriptionState,
} from './customer-fetch.server.ts';
import { grantCredits, takeBackCredits } from './invoice-credits.server.ts';
import { ensurePaymentCustomer, lockPaymentCustomer, rowOfPaymentCustomer } from './own-customer.server.ts';

/** What was written to make our state equal to the provider's. */
export interface Written {
  /** Subscriptions that differed. */
  readonly subscriptions: number;
  /** Invoices whose credits had not been granted. */
  readonly grants: number;
  /** Grants whose refunds or disputes had not been taken into account. */
  readonly refunds: number;
}

const NOTHING: Written = { subscriptions: 0, grants: 0, refunds: 0 };

/**
 * Makes our state of one customer equal to the provider's: replaces subscriptions, invoices and refunds, and
 * grants credits once for each paid invoice. Safe to repeat, in any order and by several processes at once:
 * each sync takes a fetch number before it fetches, writes for one customer are serialised, and an older
 * fetch number never overwrites a newer one (docs/security-rules.md, "Payment webhooks").
 *
 * @param handled ids of events that are done once this is written
 */
export async function syncCustomer(
  resources: Pick<Resources, 'database' | 'log'>,
  payments: Payments,
  customerId: string,
  handled: readonly string[] = [],
): Promise<Written> {
  const { database, log } = resources;
  const { number, demo } = await database.one(
    "select nextval('private.payment_fetch_ticket')::text as number, private.is_demo($1) as demo",
    [customerId],
  );
  // The provider has never heard of it.
  if (demo === true) return NOTHING;
  const fetched = await fetchCustomer(payments, customerId, log);
  const now = await payments.now();
  return database.transaction(async (queries) => {
    await lockPaymentCustomer(queries, customerId);
    await queries.run(
      'update private.payment_events set handled_at = now() where id = any($1) and handled_at is null',
      [handled],
    );
    if (fetched === undefined) return NOTHING;
    if (isEmpty(fetched) && (await rowOfPaymentCustomer(queries, customerId)) === undefined) return NOTHING;
    const row = await ensurePaymentCustomer(queries, customerId);
    const grants = await grantCredits(queries, row.id, fetched.invoices);
    const newest = await queries.run(
      'update private.payment_customers set watermark = $2, balance = $3, currency = coalesce($4, currency) where customer_id = $1 and watermark < $2',
      [customerId, number, fetched.balance, fetched.currency],
    );
    let subscriptions = 0;
    let refunds = 0;
    if (newest === 1) {
      for (const state of fetched.subscriptions)
        subscriptions += await writeSubscription(queries, row.customer_id ?? customerId, state);
      await writeInvoices(queries, customerId, fetched.invoices);
      refunds = await takeBackCredits(queries, fetched.invoices);
    }
    await queries.many('select private.lapse_credits($1, to_timestamp($2))', [row.id, now]);
    return { subscriptions, grants, refunds };
  });
}

/**
 * `syncCustomer` for every customer that a user has at the provider: a plan that was bought before signing up may be
 * that of another customer than the one that names the account.
 */
export async function syncCustomersOf(
  resources: Pick<Resources, 'database' | 'log'>,
  payments: Payments,
  userId: string | undefined,
): Promise<void> {
  const rows = await resources.database.many(
    `select p.customer_id from private.payment_customers p
       join public.customers c on c.id = p.customer_row where c.user_id = $1`,
    [userId],
  );
  for (const { customer_id: id } of rows) await syncCustomer(resources, payments, id);
}

/** The account at the provider may have customers of other shops; those get no row here. */
function isEmpty({ subscriptions, invoices }: Fetched): boolean {
  return subscriptions.length === 0 && invoices.length === 0;
}

async function writeInvoices(
  queries: Queries,
  customerId: string,
  invoices: readonly InvoiceState[],
): Promise<void> {
  const rows = invoices.map(({ grant: _grant, takenBack: _back, ...invoice }) => invoice);
  await queries.run(
    `insert into private.payment_invoices as i (id, customer_id, subscription_id, number, status, currency, total,
       amount_due, amount_remaining, refunded, vat, reverse_charge, next_attempt_at, created_at)
     select r.id, $1, r."subscriptionId", r.number, r.status, r.currency, r.total, r."amountDue", r."amountRemaining", r.refunded,
       r.vat, r."reverseCharge",
       to_timestamp(r."nextAttempt"), to_timestamp(r.created)
     from jsonb_to_recordset($2::jsonb) as r (id text, "subscriptionId" text, number text, status text, currency text, total int,
       "amountDue" int, "amountRemaining" int, refunded int, vat int, "reverseCharge" boolean, "nextAttempt" bigint, created bigint)
     on conflict (id) do update set number = excluded.number, status = excluded.status, total = excluded.total,
       amount_due = excluded.amount_due, amount_remaining = excluded.amount_remaining,
       refunded = excluded.refunded, vat = excluded.vat, reverse_charge = excluded.reverse_charge,
       next_attempt_at = excluded.next_attempt_at
     where (i.number, i.status, i.total, i.amount_due, i.amount_remaining, i.refunded, i.vat,
         i.reverse_charge, i.next_attempt_at)
       is distinct from (excluded.number, excluded.status, excluded.total, excluded.amount_due,
         excluded.amount_remaining, excluded.refunded, excluded.vat, excluded.reverse_charge,
         excluded.next_attempt_at)`,
    [customerId, JSON.stringify(rows)],
  );
}

/**
 * @trigger public.subscriptions announce_new
 * @trigger public.subscriptions announce_change
 */
async function writeSubscription(
  queries: Queries,
  customerId: string,
  state: SubscriptionState,
): Promise<number> {
  return queries.run(
    `insert into public.subscriptions as s (customer_id, subscription_id, price_id, tier, status,
       current_period_start, current_period_end, cancel_at_period_end, payment_method_brand,
       payment_method_last4, created_at, pending_price_id, pending_at)
     values ($1, $2, $3, $4, $5, to_timestamp($6), to_timestamp($7), $8, $9, $10, to_timestamp($11), $12,
       to_timestamp($13))
     on conflict (subscription_id) do update set customer_id = excluded.customer_id,
       price_id = excluded.price_id, tier = excluded.tier, status = excluded.status,
       current_period_start = excluded.current_period_start,
       current_period_end = excluded.current_period_end,
       cancel_at_period_end = excluded.cancel_at_period_end,
       payment_method_brand = excluded.payment_method_brand,
       payment_method_last4 = excluded.payment_method_last4,
       pending_price_id = excluded.pending_price_id, pending_at = excluded.pending_at, updated_at = now()
     where (s.customer_id, s.price_id, s.tier, s.status, s.current_period_start, s.current_period_end,
         s.cancel_at_period_end, s.payment_method_brand, s.payment_method_last4, s.pending_price_id, s.pending_at)
       is distinct from (excluded.customer_id, excluded.price_id, excluded.tier, excluded.status,
         excluded.current_period_start, excluded.current_period_end, excluded.cancel_at_period_end,
         excluded.payment_method_brand, excluded.payment_method_last4, excluded.pending_price_id,
         excluded.pending_at)`,
    [
      customerId,
      state.id,
      state.plan.priceId,
      state.plan.tier,
      state.status,
      state.periodStart ?? null,
      state.periodEnd ?? null,
      state.cancelAtPeriodEnd,
      state.brand,
      state.last4,
      state.created,
      state.pending?.plan.priceId ?? null,
      state.pending?.at ?? null,
    ],
  );
}
