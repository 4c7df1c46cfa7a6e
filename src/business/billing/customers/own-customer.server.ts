import type { Queries } from '../../../kernel/resources/database/database.ts';

/** The columns of `public.customers` that billing uses. */
export interface CustomerRow {
  readonly id: string;
  readonly user_id: string | null;
  readonly customer_id: string | null;
}

/** Serialises all writes for one customer of the provider, until the end of the transaction. */
export async function lockPaymentCustomer(queries: Queries, customerId: string): Promise<void> {
  await queries.many("select pg_advisory_xact_lock(hashtextextended('payment customer ' || $1, 0))", [
    customerId,
  ]);
}

/**
 * The user's row, locked; created if missing.
 * @trigger public.customers announce
 */
export async function customerOfUser(queries: Queries, userId: string): Promise<CustomerRow> {
  await queries.run('insert into public.customers (user_id) values ($1) on conflict (user_id) do nothing', [
    userId,
  ]);
  return queries.one('select id, user_id, customer_id from public.customers where user_id = $1 for update', [
    userId,
  ]);
}

/** The row of a provider's customer, or undefined when we do not know that customer. */
export function rowOfPaymentCustomer(queries: Queries, customerId: string): Promise<CustomerRow | undefined> {
  return queries.maybe(
    `select c.id, c.user_id, c.customer_id from private.payment_customers p
     join public.customers c on c.id = p.customer_row where p.customer_id = $1`,
    [customerId],
  );
}

/**
 * The row of a provider's customer. For an unknown customer it creates a row without a user, which waits to
 * be linked. Call it under `lockPaymentCustomer`.
 */
export async function ensurePaymentCustomer(queries: Queries, customerId: string): Promise<CustomerRow> {
  const known = await rowOfPaymentCustomer(queries, customerId);
  if (known !== undefined) return known;
  const row = await queries.one(
    `insert into public.customers (customer_id) values ($1)
     on conflict (customer_id) do update set updated_at = now() returning id, user_id, customer_id`,
    [customerId],
  );
  await queries.run('insert into private.payment_customers (customer_id, customer_row) values ($1, $2)', [
    customerId,
    row.id,
  ]);
  return row;
}

/**
 * Gives an unclaimed customer of the provider to a user, with its credits, its ledger and its subscriptions.
 * Returns true when the user owns it afterwards, false when it belongs to another user. Call it under
 * `lockPaymentCustomer`.
 * @trigger public.credit_transactions move_credit_grant
 */
export async function adoptPaymentCustomer(
  queries: Queries,
  customerId: string,
  userId: string,
): Promise<boolean> {
  const from = await ensurePaymentCustomer(queries, customerId);
  if (from.user_id !== null) return from.user_id === userId;
  const to = await customerOfUser(queries, userId);
  const { credits } = await queries.one('select credits from public.customers where id = $1 for update', [
    from.id,
  ]);
  await queries.run('update private.payment_customers set customer_row = $2 where customer_row = $1', [
    from.id,
    to.id,
  ]);
  await queries.run(
    'update public.credit_transactions set customer_row = $2, user_id = $3, updated_at = now() where customer_row = $1',
    [from.id, to.id, userId],
  );
  await queries.run('delete from public.customers where id = $1', [from.id]);
  // The first purchase names the customer; subscriptions of later ones are moved under that name.
  const { customer_id: name } = await queries.one(
    `update public.customers set credits = credits + $2, customer_id = coalesce(customer_id, $3), updated_at = now()
     where id = $1 returning customer_id`,
    [to.id, credits, customerId],
  );
  await queries.run(
    'update public.subscriptions set customer_id = $2, updated_at = now() where customer_id = $1 and $1 <> $2',
    [customerId, name],
  );
  return true;
}
