import type { Queries } from '../../../kernel/resources/database/database.ts';
import { GRACE_SECONDS } from './credit-expiry.server.ts';
import type { InvoiceState } from './customer-fetch.server.ts';

/**
 * Grants the credits of paid invoices, once for each invoice however often it is called, and returns how many
 * grants were new.
 *
 * @param customerRow `private.payment_customers.id` of the credits' owner
 * @trigger public.credit_transactions open_credit_grant
 */
export async function grantCredits(
  queries: Queries,
  customerRow: string,
  invoices: readonly InvoiceState[],
): Promise<number> {
  const paid = invoices.flatMap(({ id, subscriptionId, grant }) =>
    grant === undefined ? [] : [{ id, subscriptionId, grant }],
  );
  const known = await queries.many(
    'select invoice_id from public.credit_transactions where invoice_id = any($1)',
    [paid.map(({ id }) => id)],
  );
  const granted = new Set(known.map(({ invoice_id: id }) => id));
  let grants = 0;
  // Oldest first, because the ledger is read in this order.
  for (const { id, subscriptionId, grant } of paid.filter((invoice) => !granted.has(invoice.id)).reverse()) {
    const { done } = await queries.one(
      `select private.grant_credits($1, $2, $3, $4, $5, to_timestamp($6), to_timestamp($7), to_timestamp($8)) as done`,
      [
        customerRow,
        grant.credits,
        id,
        grant.name,
        subscriptionId,
        grant.start,
        grant.end,
        grant.end === null ? null : grant.end + GRACE_SECONDS,
      ],
    );
    if (done) grants += 1;
  }
  return grants;
}

/** Takes back credits of refunded and disputed invoices; returns for how many invoices that was new. */
export async function takeBackCredits(queries: Queries, invoices: readonly InvoiceState[]): Promise<number> {
  const { count } = await queries.one(
    `select count(*) filter (where private.take_back_credits(w.invoice, w.wanted))::int as count
     from unnest($1::text[], $2::int[]) as w (invoice, wanted)`,
    [invoices.map(({ id }) => id), invoices.map(({ takenBack }) => takenBack)],
  );
  return count;
}
