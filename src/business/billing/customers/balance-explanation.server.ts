import { ServiceError } from '../../../kernel/contract/service-error.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';

/** One entry of a customer's ledger, with the balance after it. */
export interface LedgerEntry {
  readonly at: Date;
  readonly kind: string;
  readonly amount: number;
  readonly balance: number;
  readonly description: string | null;
  readonly source: string | null;
  readonly state: string;
  readonly lapses_at: Date | null;
  readonly remaining: number | null;
}

/** A customer's balance and the entries that make it up. */
export interface ExplainedBalance {
  readonly customer: string;
  readonly credits: number;
  /** True when both the ledger and the remaining credits of the grants add up to the balance. */
  readonly explained: boolean;
  readonly entries: readonly LedgerEntry[];
}

/**
 * The row of `public.customers` that an operator names by an address, a user's id or the provider's customer
 * id.
 *
 * @throws ServiceError 404 `no_customer`
 */
export async function customerRowOf(queries: Queries, name: string): Promise<string> {
  const row = await queries.maybe(
    `select c.id from public.customers c left join auth.users u on u.id = c.user_id
     where lower(u.email) = lower($1) or c.user_id::text = $1 or c.customer_id = $1
       or c.id in (select customer_row from private.payment_customers where customer_id = $1)
     limit 1`,
    [name],
  );
  if (row === undefined) throw new ServiceError(404, 'no_customer', `There is no customer ${name}.`);
  return row.id;
}

/** Explains a balance entry by entry, oldest first. */
export async function explainBalance(queries: Queries, customerRow: string): Promise<ExplainedBalance> {
  const { credits, customer_id, user_id, unexplained } = await queries.one(
    `select c.credits, c.customer_id, c.user_id,
       exists (select 1 from private.unexplained_balances b where b.customer_row = c.id) as unexplained
     from public.customers c where c.id = $1`,
    [customerRow],
  );
  const entries = await queries.many(
    `select at /* not null */, kind /* not null */, amount /* not null */, balance /* not null */, description, source,
       state /* not null */, lapses_at, remaining from private.explain_credits($1)`,
    [customerRow],
  );
  return { customer: customer_id ?? user_id ?? customerRow, credits, explained: !unexplained, entries };
}
