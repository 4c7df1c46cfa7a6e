import { findPrice, itemOf, monthsAfter, type SubscriptionObject } from '../object-shapes.ts';
import type { ProviderHost } from '../provider-host.ts';
import {
  type Change,
  changeAt,
  listObjects,
  lockObject,
  type ProviderObject,
  replaceObject,
} from '../provider-store.ts';
import { recordEvent } from './event-record.ts';
import type { InvoiceObject, LineDraft } from './invoice-building.ts';
import { periodLine } from './invoice-building.ts';
import { makeInvoice } from './invoice-issue.ts';
import { planAttempt } from './payment-retries.ts';
import { cardOf, collect } from './payment-taking.ts';
import { phaseAt, releaseSchedule } from './schedule-changes.ts';
import { endSubscription, openInvoices, payInvoice, updateSubscription } from './subscription-cycles.ts';

/** Whose work is done: one customer's, one test clock's, or everybody's who uses the provider's clock. */
export interface DueScope {
  readonly customer?: string;
  readonly clock?: string;
}

/**
 * Does everything that is due until `to` (epoch seconds), in the order of time and each at its own moment:
 * renewals, ends of trials and periods, retries of failed payments, notices.
 */
export async function runDueWork(host: ProviderHost, to: number, scope: DueScope = {}): Promise<void> {
  const { database } = host;
  for (;;) {
    const due = await database.maybe(
      `select id, kind, due_at from private.provider_objects
       where due_at <= $1 and ($2::text is null or customer = $2)
         and (case when $3::text is null then $2::text is not null or data ->> 'test_clock' is null
              else data ->> 'test_clock' = $3 end)
       order by due_at, position limit 1`,
      [to, scope.customer ?? null, scope.clock ?? null],
    );
    if (due === undefined) return;
    await database.transaction((queries) =>
      work(changeAt(host, queries, Number(due.due_at)), due.kind, due.id),
    );
  }
}

async function work(change: Change, kind: string, id: string): Promise<void> {
  if (kind === 'subscription') return advanceSubscription(change, id);
  if (kind === 'invoice') return retryInvoice(change, id);
  const timer = await lockObject(change.queries, 'timer', id);
  if (timer === undefined) return;
  const of = await lockObject(change.queries, 'subscription', String(timer.data.subscription));
  if (of?.data.status === 'trialing')
    await recordEvent(change, 'customer.subscription.trial_will_end', of.data);
  await change.queries.run('delete from private.provider_objects where id = $1', [id]);
}

/** Another process may have done it meanwhile; then it is not due any more. */
async function advanceSubscription(change: Change, id: string): Promise<void> {
  const { now } = change;
  const subscription = (await lockObject(change.queries, 'subscription', id))?.data as
    | SubscriptionObject
    | undefined;
  if (subscription === undefined) return;
  if (subscription.status === 'incomplete') {
    if (Number(subscription.created) + 23 * 3600 > now) return;
    for (const invoice of await openInvoices(change, subscription)) await voidInvoice(change, invoice);
    await updateSubscription(change, subscription, { status: 'incomplete_expired', ended_at: now });
    return;
  }
  if (!['active', 'trialing', 'past_due'].includes(subscription.status)) return;
  if (itemOf(subscription).current_period_end > now) return;
  if (subscription.cancel_at_period_end) await endSubscription(change, subscription);
  else await renew(change, subscription);
}

async function renew(change: Change, subscription: SubscriptionObject): Promise<void> {
  const { queries, now } = change;
  const before = await afterSchedule(change, subscription);
  const item = { ...itemOf(before), ...nextPeriod(before) };
  const status = before.status === 'trialing' ? 'active' : before.status;
  const next: SubscriptionObject = { ...before, status, items: { ...before.items, data: [item] } };
  const pending = await takePendingLines(change, subscription);
  const made = await makeInvoice(change, next, 'subscription_cycle', [...pending, periodLine(next)]);
  const { invoice, refusal } = await collect(change, made, await cardOf(change, next));
  const fields = { items: next.items, schedule: next.schedule, latest_invoice: invoice.id };
  if (refusal === undefined) {
    await updateSubscription(change, subscription, { ...fields, status });
    return;
  }
  const attempt = await planAttempt(queries, invoice.attempt_count, now);
  const failed = { ...invoice, next_payment_attempt: attempt.next };
  await replaceObject(queries, failed);
  await updateSubscription(change, subscription, { ...fields, status: 'past_due' });
  await recordEvent(change, 'invoice.payment_failed', failed);
  if (refusal.code === 'authentication_required')
    await recordEvent(change, 'invoice.payment_action_required', failed);
}

/** Retries a failed payment; after the last attempt the subscription ends as the settings say. */
async function retryInvoice(change: Change, id: string): Promise<void> {
  const { queries, now } = change;
  const invoice = (await lockObject(queries, 'invoice', id))?.data as InvoiceObject | undefined;
  if (
    invoice?.status !== 'open' ||
    invoice.next_payment_attempt === null ||
    invoice.next_payment_attempt > now
  )
    return;
  if ((await payInvoice(change, id)) === undefined) return;
  const tried = (await lockObject(queries, 'invoice', id))?.data as InvoiceObject;
  const attempt = await planAttempt(queries, tried.attempt_count, now);
  await replaceObject(queries, { ...tried, next_payment_attempt: attempt.next });
  if (attempt.next !== null) return;
  if (tried.parent === null) return;
  const locked = await lockObject(queries, 'subscription', tried.parent.subscription_details.subscription);
  const subscription = locked?.data as SubscriptionObject | undefined;
  if (subscription?.status !== 'past_due') return;
  if (attempt.finally === 'cancel') await endSubscription(change, subscription, 'payment_failed');
  else if (attempt.finally === 'unpaid') await updateSubscription(change, subscription, { status: 'unpaid' });
}

/** Marks an invoice as void. */
export async function voidInvoice(change: Change, invoice: InvoiceObject): Promise<InvoiceObject> {
  const next = {
    ...invoice,
    next_payment_attempt: null,
    status: 'void',
    status_transitions: { ...(invoice.status_transitions as object), voided_at: change.now },
  };
  await replaceObject(change.queries, next);
  await recordEvent(change, 'invoice.voided', next);
  return next;
}

/** Applies the schedule's present phase; a schedule without further phases is released. */
async function afterSchedule(change: Change, subscription: SubscriptionObject): Promise<SubscriptionObject> {
  if (subscription.schedule === null || subscription.schedule === undefined) return subscription;
  const locked = await lockObject(change.queries, 'subscription_schedule', subscription.schedule);
  const phase = locked === undefined ? undefined : phaseAt(locked.data, change.now);
  if (locked === undefined || phase === undefined) {
    if (locked !== undefined) await releaseSchedule(change, locked.data);
    return { ...subscription, schedule: null };
  }
  const price = await findPrice(change, phase.price);
  const next = { ...locked.data, current_phase: { start_date: phase.start, end_date: phase.end } };
  await replaceObject(change.queries, next);
  await recordEvent(change, 'subscription_schedule.updated', next);
  if (price === undefined) return subscription;
  return { ...subscription, items: { ...subscription.items, data: [{ ...itemOf(subscription), price }] } };
}

/** Takes the prorations that wait for the next invoice. */
async function takePendingLines(change: Change, subscription: SubscriptionObject): Promise<LineDraft[]> {
  const waiting = await listObjects(change.queries, 'invoiceitem', {
    customer: subscription.customer,
    matching: { subscription: subscription.id, invoice: null },
    limit: 100,
  });
  for (const item of waiting) await replaceObject(change.queries, { ...item, invoice: 'taken' });
  return waiting.reverse().flatMap((item: ProviderObject) => item.lines as LineDraft[]);
}

function nextPeriod(subscription: SubscriptionObject): {
  current_period_start: number;
  current_period_end: number;
} {
  const { current_period_end: start } = itemOf(subscription);
  const anchor = subscription.billing_cycle_anchor;
  let months = 1;
  // Periods count from the anchor, so that a subscription of the 31st returns to the 31st after February.
  while (monthsAfter(anchor, months) <= start) months += 1;
  return { current_period_start: start, current_period_end: monthsAfter(anchor, months) };
}
