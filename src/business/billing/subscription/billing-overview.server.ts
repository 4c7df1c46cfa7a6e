import { type Catalogue, type Plan, uploadsLeft } from '../../../kernel/contract/plans.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import {
  BILLING_FUNCTIONS,
  type BilledInvoice,
  type BilledPlan,
  type BilledSubscription,
  type BilledUsage,
  type BillingActions,
  type BillingOverview,
} from './billing-management.contract.ts';

/** A subscription with the sums that the Billing tab shows. Times are epoch seconds. */
interface Row {
  readonly subscription_id: string;
  readonly price_id: string;
  readonly status: string;
  readonly period_start: number | null;
  readonly period_end: number | null;
  readonly cancel_at_period_end: boolean;
  readonly brand: string | null;
  readonly last4: string | null;
  readonly pending_price_id: string | null;
  readonly pending_at: number | null;
  /** Credits granted for the current period. */
  readonly granted: number | null;
  /** Documents or course uploads of the current period. */
  readonly used: number | null;
  /** The amount due of the oldest unpaid invoice. */
  readonly owed: number | null;
  readonly next_attempt: number | null;
  /** By currency. */
  readonly balances: unknown;
}

const RUNNING = ['active', 'trialing'];
/** A payment of theirs failed, and is tried again or asked for. */
const OWING = ['past_due', 'unpaid', 'paused'];
const ENDED = ['canceled', 'incomplete_expired'];

/**
 * What the Billing tab shows about a user, from our own copy of the provider's state.
 *
 * @param now the provider's time, epoch seconds
 */
export async function readOverview(
  { database, site: { plans } }: Pick<Resources, 'database' | 'site'>,
  userId: string,
  now: number,
): Promise<BillingOverview> {
  const account = await database.maybe(
    'select id, credits, customer_id from public.customers where user_id = $1',
    [userId],
  );
  const rows = account === undefined ? [] : await readRows(database, account.id, account.customer_id);
  const left = account?.credits ?? 0;
  const shown = chosen(plans, rows).flatMap((row) => billed(plans, row, left, now));
  const [first, ...others] = shown;
  const invoices = account === undefined ? [] : await readInvoices(database, account.id);
  if (first === undefined) return { ...NONE, usage: { ...NONE.usage, left }, invoices };
  return { ...first, others, invoices };
}

const NONE: BillingOverview = {
  plan: null,
  subscription: null,
  next_payment: null,
  payment_method: null,
  usage: { used: 0, included: 0, left: 0, resets_at: null, pace_runs_out_at: null },
  can: { upgrade: [], downgrade: [], cancel: false, resume: false, change_card: false },
  pending_change: null,
  others: [],
  invoices: [],
};

async function readRows(queries: Queries, customerRow: string, customerId: string | null): Promise<Row[]> {
  return queries.many(
    `select s.subscription_id, s.price_id, s.status, s.cancel_at_period_end,
       extract(epoch from s.current_period_start)::float8 as period_start,
       extract(epoch from s.current_period_end)::float8 as period_end,
       s.payment_method_brand as brand, s.payment_method_last4 as last4, s.pending_price_id,
       extract(epoch from s.pending_at)::float8 as pending_at,
       period.granted, private.subscription_use(s.subscription_id) as used, due.owed, due.next_attempt,
       (select jsonb_object_agg(b.currency, b.sum) from (
         select p.currency, sum(p.balance) from private.payment_customers p where p.customer_row = $1 group by 1) b) as balances
     from public.subscriptions s
     left join lateral (
       select sum(g.amount)::int as granted
       from private.credit_grants g
       where g.subscription_id = s.subscription_id and g.period_end = s.current_period_end) period on true
     left join lateral (
       select sum(i.amount_remaining)::int as owed, extract(epoch from min(i.next_attempt_at))::float8 as next_attempt
       from private.payment_invoices i
       where i.subscription_id = s.subscription_id and i.status = 'open') due on true
     where s.customer_id = $2
     order by s.created_at desc, s.id`,
    [customerRow, customerId],
  );
}

/**
 * Every subscription that is charged for, running ones first; of a line without one the newest that waits for its first
 * payment. Documents come first. When all have ended, the last one.
 */
function chosen(plans: Catalogue, rows: readonly Row[]): Row[] {
  const alive = rows.filter(({ status }) => !ENDED.includes(status));
  const found = ['documents', 'courses'].flatMap((line) => {
    const of = alive.filter((row) => plans.find(row.price_id)?.line === line);
    const running = of.filter(({ status }) => RUNNING.includes(status));
    const due = of.filter(({ status }) => OWING.includes(status));
    return running.length + due.length > 0 ? [...running, ...due] : of.slice(0, 1);
  });
  return found.length > 0 ? found : rows.slice(0, 1);
}

function billed(plans: Catalogue, row: Row, left: number, now: number): BilledSubscription[] {
  const plan = plans.find(row.price_id);
  if (plan === undefined) return [];
  const pending = plans.find(row.pending_price_id ?? '');
  return [
    {
      plan: planOf(plan),
      subscription: {
        id: row.subscription_id,
        status: row.status as BilledInvoice['status'],
        current_period_start: iso(row.period_start),
        current_period_end: iso(row.period_end),
        cancel_at_period_end: row.cancel_at_period_end,
      },
      next_payment: nextPayment(row, pending ?? plan),
      payment_method:
        row.brand === null || row.last4 === null ? null : { brand: row.brand, last4: row.last4 },
      usage: usageOf(row, plan, left, now),
      can: actionsOf(plans, row, plan),
      pending_change:
        pending === undefined || row.pending_at === null
          ? null
          : { plan: planOf(pending), date: new Date(row.pending_at * 1000).toISOString() },
    },
  ];
}

function nextPayment(row: Row, plan: Plan): BilledSubscription['next_payment'] {
  if (row.status === 'past_due') {
    const date = iso(row.next_attempt);
    return date === null ? null : { date, amount_pence: row.owed ?? 0 };
  }
  const date = iso(row.period_end);
  if (!RUNNING.includes(row.status) || row.cancel_at_period_end || date === null) return null;
  const balances = (row.balances ?? {}) as Readonly<Record<string, number>>;
  const balance = balances[plan.currency.toLowerCase()] ?? 0;
  return { date, amount_pence: Math.max(0, plan.pricePence + balance) };
}

/** @param credits of the account, which every upload takes from */
function usageOf(row: Row, plan: Plan, credits: number, now: number): BilledUsage {
  const used = row.used ?? 0;
  const monthly = plan.limits.creditsPerMonth;
  const isCourse = plan.line === 'courses';
  const left = isCourse ? uploadsLeft(plan, used, credits) : credits;
  const goesOn = RUNNING.includes(row.status) && !row.cancel_at_period_end;
  const pace = { used, left, start: row.period_start, end: row.period_end, now };
  return {
    used,
    included: isCourse ? monthly : (row.granted ?? monthly),
    left,
    resets_at: goesOn ? iso(row.period_end) : null,
    pace_runs_out_at: RUNNING.includes(row.status) ? iso(runsOutAt(pace)) : null,
  };
}

/** Usage on the first day says nothing about the month. */
const PACE_FROM_SECONDS = 24 * 3600;

/**
 * When the credits will be used up at the pace of the period so far; null when they last until its end, or on
 * the first day.
 */
export function runsOutAt(pace: {
  used: number;
  left: number;
  start: number | null;
  end: number | null;
  now: number;
}): number | null {
  const { used, left, start, end, now } = pace;
  if (start === null || end === null || used <= 0 || now < start + PACE_FROM_SECONDS || now >= end)
    return null;
  if (left <= 0) return null;
  const at = Math.round(now + (left * (now - start)) / used);
  return at < end ? at : null;
}

function actionsOf(plans: Catalogue, row: Row, plan: Plan): BillingActions {
  const running = RUNNING.includes(row.status);
  const owes = row.status === 'past_due' || row.status === 'unpaid' || row.status === 'incomplete';
  const others = running ? plans.sold.filter((other) => other !== plan && isWithin(plan, other)) : [];
  const cheaper = others.filter(
    (other) => other.pricePence < plan.pricePence && other.priceId !== row.pending_price_id,
  );
  return {
    upgrade: others.filter((other) => other.pricePence > plan.pricePence).map(({ priceId }) => priceId),
    downgrade: cheaper.map(({ priceId }) => priceId),
    cancel: (running || row.status === 'past_due') && !row.cancel_at_period_end,
    resume: !ENDED.includes(row.status) && (row.cancel_at_period_end || row.pending_price_id !== null),
    change_card: running || owes,
  };
}

/** A subscription changes within its product line and, as the provider has it, its currency. */
const isWithin = (held: Plan, other: Plan): boolean =>
  other.line === held.line && other.currency === held.currency;

async function readInvoices(queries: Queries, customerRow: string): Promise<BilledInvoice[]> {
  const rows = await queries.many(
    `select i.id, i.number, i.created_at, i.currency, i.total, i.refunded, i.vat, i.reverse_charge, i.status from private.payment_invoices i
     join private.payment_customers p on p.customer_id = i.customer_id
     where p.customer_row = $1 order by i.created_at desc, i.number desc limit 100`,
    [customerRow],
  );
  return rows.map((row) => ({
    id: row.id,
    number: row.number,
    date: row.created_at.toISOString(),
    currency: row.currency,
    amount_pence: row.total,
    refunded_pence: row.refunded,
    vat_pence: row.vat,
    reverse_charge: row.reverse_charge,
    status: row.status as BilledInvoice['status'],
    pdf_url:
      row.status === 'draft' ? null : `${BILLING_FUNCTIONS.invoice}?invoice_id=${encodeURIComponent(row.id)}`,
  }));
}

function planOf(plan: Plan): BilledPlan {
  return {
    price_id: plan.priceId,
    name: plan.name,
    line: plan.line,
    currency: plan.currency,
    amount_pence: plan.pricePence,
  };
}

const iso = (seconds: number | null): string | null =>
  seconds === null ? null : new Date(seconds * 1000).toISOString();
