import type { InvoiceObject } from '../../packages/stripe-emulator/src/ledger/invoice-building.ts';
import { itemOf, type SubscriptionObject } from '../../packages/stripe-emulator/src/object-shapes.ts';
import { listObjects, type ProviderObject } from '../../packages/stripe-emulator/src/provider-store.ts';
import { Catalogue } from '../../src/kernel/contract/plans.ts';
import type { Database } from '../../src/kernel/resources/database/database.ts';
import { uncheckedSql } from '../../src/kernel/resources/database/fixed-sql.ts';

const GRACE = 3 * 24 * 3600;

/** A customer whose history is over for now. */
export interface CheckedCustomer {
  /** Names the history in the faults. */
  readonly name: string;
  readonly user: string;
  /** The provider's id; people who paid before they signed up may have further ones. */
  readonly customer: string;
  readonly world: { readonly database: Database };
  /** The provider's time, epoch seconds. */
  readonly turn: { readonly now: number };
  /** What the agency sells and sold; the plans of the specification where it is left out. */
  readonly plans?: Catalogue;
}

/**
 * What is wrong after a history: compares our state with the provider's own objects, and the books with each
 * other.
 */
export async function faultsOf(life: CheckedCustomer): Promise<string[]> {
  const { database } = life.world;
  // Does what the periodic round would do: expires credits of ended periods.
  await database.many(
    'select private.lapse_credits(id, to_timestamp($2)) from public.customers where user_id = $1',
    [life.user, life.turn.now],
  );
  const faults = [
    ...(await subscriptionFaults(life)),
    ...(await invoiceFaults(life)),
    ...(await bookFaults(life)),
  ];
  return faults.map((fault) => `${life.name}: ${fault}`);
}

/** Objects of one kind of every customer that the user has at the provider. */
async function objectsOf(life: CheckedCustomer, kind: string): Promise<ProviderObject[]> {
  const { database } = life.world;
  const lists = (await customersOf(life)).map((customer) =>
    listObjects(database, kind, { customer, limit: 1000 }),
  );
  return (await Promise.all(lists)).flat();
}

async function customersOf({ world, user, customer }: CheckedCustomer): Promise<string[]> {
  const rows = await world.database.many(
    `select p.customer_id from private.payment_customers p
       join public.customers c on c.id = p.customer_row where c.user_id = $1`,
    [user],
  );
  return [...new Set([customer, ...rows.map((row) => row.customer_id)])];
}

async function subscriptionFaults(life: CheckedCustomer): Promise<string[]> {
  const { database } = life.world;
  const theirs = await objectsOf(life, 'subscription');
  const schedules = await objectsOf(life, 'subscription_schedule');
  const ours = await ownPrices(life);
  const wanted = (theirs as SubscriptionObject[]).map((subscription) => {
    const item = itemOf(subscription);
    return {
      id: subscription.id,
      status: subscription.status,
      price: ours(item.price.id),
      start: item.current_period_start,
      end: item.current_period_end,
      cancel: subscription.cancel_at_period_end,
      pending: pendingOf(subscription, schedules, ours),
    };
  });
  const held = await database.many(
    `select s.subscription_id as id, s.status, s.price_id as price,
       extract(epoch from s.current_period_start)::int as start, extract(epoch from s.current_period_end)::int as end,
       s.cancel_at_period_end as cancel, s.pending_price_id as pending
     from public.subscriptions s join public.customers c on c.customer_id = s.customer_id where c.user_id = $1`,
    [life.user],
  );
  return differences('subscriptions', held, wanted);
}

/** Our price ids by the provider's: a price that was changed has another id there. */
async function ownPrices({ world }: CheckedCustomer): Promise<(price: unknown) => string> {
  const rows = await world.database.many('select provider_price, price_id from private.payment_prices');
  const known = new Map(rows.map((row) => [row.provider_price, row.price_id]));
  return (price) => known.get(String(price)) ?? String(price);
}

function pendingOf(
  subscription: SubscriptionObject,
  schedules: readonly ProviderObject[],
  ours: (price: unknown) => string,
): string | null {
  const schedule = schedules.find(({ id, status }) => id === subscription.schedule && status === 'active');
  const item = itemOf(subscription);
  const phases = (schedule?.phases ?? []) as { start_date: number; items: { price: string }[] }[];
  const price = phases.find(({ start_date }) => start_date >= item.current_period_end)?.items[0]?.price;
  return price === undefined || price === item.price.id ? null : ours(price);
}

async function invoiceFaults(life: CheckedCustomer): Promise<string[]> {
  const { database } = life.world;
  const invoices = (await objectsOf(life, 'invoice')) as InvoiceObject[];
  const known = await database.many(
    'select id, status, total from private.payment_invoices where customer_id = any ($1)',
    [await customersOf(life)],
  );
  const statuses = invoices.map(({ id, status, total }) => ({ id, status, total }));
  const back = await givenBack(life);
  const ours = await ownPrices(life);
  const wanted = invoices
    .filter(({ status }) => status === 'paid')
    .map((invoice) => {
      const credits = creditsOf(invoice, ours, life.plans ?? new Catalogue());
      const given = back.get(paymentOf(invoice)) ?? 0;
      const share = invoice.amount_paid === 0 ? 0 : Math.min(1, given / invoice.amount_paid);
      return { id: invoice.id, credits, back: Math.floor(credits * share) };
    })
    .filter(({ credits }) => credits > 0);
  const granted = await database.many(
    `select t.invoice_id as id, t.amount as credits, g.to_take_back as back
     from public.credit_transactions t join private.credit_grants g on g.id = t.id
     join public.customers c on c.id = t.customer_row where c.user_id = $1 and t.invoice_id is not null`,
    [life.user],
  );
  return [...differences('invoices', known, statuses), ...differences('grants', granted, wanted)];
}

/** Calculated differently than the product does: whole months, and each change as its share of a month. */
function creditsOf(invoice: InvoiceObject, ours: (price: unknown) => string, plans: Catalogue): number {
  let months = 0;
  let parts = 0;
  for (const line of invoice.lines.data) {
    const { price_details: details } = line.pricing as { price_details: { price: string } };
    const parent = line.parent as { subscription_item_details: { proration: boolean } };
    const plan = plans.find(ours(details.price));
    if (plan === undefined) throw new Error(`the line ${line.id} is for nothing of ours`);
    const credits = plan.limits.creditsPerMonth;
    if (parent.subscription_item_details.proration)
      parts += (Number(line.amount) / plan.pricePence) * credits;
    else months += credits;
  }
  return months + Math.max(0, Math.ceil(Number(parts.toFixed(9))));
}

function paymentOf(invoice: InvoiceObject): string {
  const { data } = invoice.payments as { data: { payment: { payment_intent: string } }[] };
  return data[0]?.payment.payment_intent ?? '';
}

async function givenBack(life: CheckedCustomer): Promise<Map<string, number>> {
  const rows = await life.world.database.many(
    `select c.data ->> 'payment_intent' as payment /* not null */, (c.data ->> 'amount_refunded')::int + coalesce((
         select sum((d.data ->> 'amount')::int) from private.provider_objects d
         where d.kind = 'dispute' and d.data @> jsonb_build_object('charge', c.id) and d.data ->> 'status' <> 'won'), 0)::int as back /* not null */
     from private.provider_objects c where c.kind = 'charge' and c.customer = any ($1)`,
    [await customersOf(life)],
  );
  return new Map(rows.map(({ payment, back }) => [payment, back]));
}

/**
 * Every credit is counted once; no expired credit is left; no credit that should be taken back could still be
 * taken.
 */
async function bookFaults(life: CheckedCustomer): Promise<string[]> {
  const { database } = life.world;
  const one = <Row extends object>(text: string) =>
    database.many(uncheckedSql<Row>(text, 'composed'), [life.user]);
  const faults: string[] = [];
  const unexplained = await one(
    `select b.* from private.unexplained_balances b join public.customers c on c.id = b.customer_row where c.user_id = $1`,
  );
  if (unexplained.length > 0) faults.push(`the balance is not explained: ${JSON.stringify(unexplained)}`);
  const balances = await one<{ credits: number; explained: number }>(
    `select c.credits, coalesce((select balance from private.explain_credits(c.id) e order by e.at desc limit 1), 0) as explained,
       (select coalesce(sum(amount), 0)::int from private.explain_credits(c.id)) as total
     from public.customers c where c.user_id = $1`,
  );
  if (balances.length !== 1) faults.push(`the user has ${balances.length} customers`);
  for (const row of balances as { credits: number; total?: number }[])
    if (row.credits !== row.total)
      faults.push(`the explanation ends at another balance: ${JSON.stringify(row)}`);
  const leaks = await one(
    `select g.* from private.credit_grants g join public.customers c on c.id = g.customer_row where c.user_id = $1
       and g.amount <> g.remaining + g.taken_back
         + (select coalesce(sum(a.amount), 0) from private.credit_allocations a where a.grant_id = g.id)
         - (select coalesce(sum(t.amount), 0) from public.credit_transactions t where t.reverses = g.id and t.kind = 'expiry')`,
  );
  if (leaks.length > 0) faults.push(`credits were lost or doubled: ${JSON.stringify(leaks)}`);
  const late = await database.many(
    `select g.id from private.credit_grants g join public.customers c on c.id = g.customer_row where c.user_id = $1
       and g.remaining > 0 and (extract(epoch from g.period_end) + $2 <= $3 or g.taken_back < g.to_take_back
         or exists (select 1 from private.credit_grants n where n.subscription_id = g.subscription_id
              and n.period_start >= g.period_end))`,
    [life.user, GRACE, life.turn.now],
  );
  if (late.length > 0) faults.push('credits are left that are over or were given back');
  const spends = await one(
    `select t.id from public.credit_transactions t where t.user_id = $1 and t.kind = 'spend'
       and (case when t.state = 'returned' then 0 else -t.amount end)
         <> (select coalesce(sum(a.amount), 0) from private.credit_allocations a where a.spend = t.id)`,
  );
  if (spends.length > 0) faults.push('a spend is of no grant');
  const open = await database.many(
    `select e.id from private.payment_events e where e.handled_at is null
       and (e.customer_id = any ($1)
         or e.session_id in (select session_id from private.checkouts where customer_id = any ($1)))`,
    [await customersOf(life)],
  );
  if (open.length > 0) faults.push(`${open.length} events were never worked`);
  return faults;
}

function differences(
  what: string,
  ours: readonly { id: string }[],
  theirs: readonly { id: string }[],
): string[] {
  const show = (rows: readonly { id: string }[]) =>
    rows.map((row) => JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)))).sort();
  const [left, right] = [show(ours), show(theirs)];
  if (left.join() === right.join()) return [];
  return [
    `${what} differ: ours ${left.filter((row) => !right.includes(row))} theirs ${right.filter((row) => !left.includes(row))}`,
  ];
}
