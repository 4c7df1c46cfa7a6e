import { sumMoney } from '@northline/vat/amounts';
import { formatMoney } from '@northline/vat/money';
import { formatDate } from '../../../kernel/contract/dates.ts';
import { type Catalogue, givesMore, type Plan } from '../../../kernel/contract/plans.ts';
import type { BilledInvoice, BilledSubscription } from './billing-management.contract.ts';
import { isValidStatus } from './subscription-read.web.ts';

/** `21 December 2026`; an en dash when there is no date. */
export const dateWords = (at: string | null): string => (at === null ? '–' : formatDate(new Date(at)));

/** Money with a true minus sign: `−£12.34`. */
export const moneyWords = (amount: number, currency: string): string =>
  formatMoney(amount, currency).replace('-', '−');

/** `Visa ending in 4242`, or `None`. */
export function cardWords(card: BilledSubscription['payment_method']): string {
  if (card === null) return 'None';
  return `${card.brand.charAt(0).toUpperCase()}${card.brand.slice(1)} ending in ${card.last4}`;
}

/** `61 documents`, `1 upload`: the name of what a credit of the line buys. */
export function unitWords(line: BilledSubscription['plan']['line'], count: number): string {
  const unit = line === 'courses' ? 'upload' : 'document';
  return count === 1 ? unit : `${unit}s`;
}

/** A plan that costs more but gives no more is a change, not an upgrade. */
export function changeVerb(
  plans: Catalogue,
  { plan, can }: BilledSubscription,
  target: Plan,
): 'Upgrade' | 'Change' {
  const held = plans.find(plan.price_id);
  const isMore = held === undefined || givesMore(target, held);
  return can.upgrade.includes(target.priceId) && isMore ? 'Upgrade' : 'Change';
}

/** Whether the account is deleted before a subscription is paid again, so that the plan ends with it. */
export const endsWithAccount = (
  { subscription, next_payment }: Pick<BilledSubscription, 'subscription' | 'next_payment'>,
  deletionDue: string | undefined,
): deletionDue is string =>
  deletionDue !== undefined &&
  Date.parse(deletionDue) <= Date.parse(next_payment?.date ?? subscription.current_period_end ?? '');

/**
 * One sentence on the state of a subscription.
 *
 * @param deletionDue when the account will be deleted, if that is planned, ISO 8601
 */
export function statusSummary(billed: BilledSubscription, deletionDue?: string): string {
  const { plan, subscription, next_payment } = billed;
  const { status, cancel_at_period_end } = subscription;
  const end = dateWords(subscription.current_period_end);
  if (status === 'past_due' || status === 'unpaid')
    return 'The plan can be changed as soon as this payment is made.';
  if (status === 'incomplete')
    return 'The first payment has not been confirmed. Update your card to finish it.';
  if (!isValidStatus(status)) return `Your ${plan.name} has ended. Choose a plan below to go on.`;
  if (endsWithAccount(billed, deletionDue))
    return `Your ${plan.name} ends with your account on ${dateWords(deletionDue)}, and is not charged again.`;
  if (cancel_at_period_end) return `Your ${plan.name} stays active until ${end} and does not renew.`;
  if (status === 'trialing' && next_payment !== null)
    return `You are trying the ${plan.name}. It costs nothing until ${end}.`;
  return `Your ${plan.name} is active and renews by itself. You can change or cancel it at any time.`;
}

/**
 * Which plans a user has, what they cost together and when the next payment is; undefined without a plan. A plan that
 * does not renew has no price here. If the account's deletion is planned, it says what is charged until then.
 */
export function billingAnswer(
  subscriptions: readonly BilledSubscription[],
  deletionDue?: string,
): string | undefined {
  const held = subscriptions.filter(({ subscription }) => isValidStatus(subscription.status));
  if (held.length === 0) return undefined;
  const gone = held.filter((billed) => endsWithAccount(billed, deletionDue));
  const kept = held.filter((billed) => !gone.includes(billed));
  const ends = kept.filter(({ subscription }) => subscription.cancel_at_period_end);
  const renews = kept.filter((billed) => !ends.includes(billed));
  const together = sumMoney(
    renews.map(({ plan }) => ({ amount: plan.amount_pence, currency: plan.currency })),
  );
  const [next] = renews
    .flatMap(({ next_payment: payment, plan }) =>
      payment === null ? [] : { ...payment, currency: plan.currency },
    )
    .sort((one, other) => Date.parse(one.date) - Date.parse(other.date));
  return [
    `You have the ${held.map(({ plan }) => plan.name).join(' and the ')}.`,
    renews.length === 0 ? [] : `${renews.length > 1 ? 'Together ' : ''}${together} a month.`,
    next === undefined
      ? []
      : `Next payment: ${moneyWords(next.amount_pence, next.currency)} on ${dateWords(next.date)}.`,
    ends.map(
      ({ plan, subscription }) => `The ${plan.name} ends on ${dateWords(subscription.current_period_end)}.`,
    ),
    deletionDue === undefined
      ? []
      : `Your account is to be deleted on ${dateWords(deletionDue)}: nothing is charged after that day.`,
  ]
    .flat()
    .join(' ');
}

/** The VAT in an invoice; empty when VAT is not calculated. */
export function vatWords({
  vat_pence: vat,
  currency,
  reverse_charge: reverse,
}: Pick<BilledInvoice, 'vat_pence' | 'currency' | 'reverse_charge'>): string {
  if (vat === null) return '';
  if (reverse) return 'reverse charge';
  return vat === 0 ? 'no VAT' : `with ${moneyWords(vat, currency)} VAT`;
}

/** The label for an invoice's state, and its tone. */
export function invoiceWords(invoice: BilledInvoice): { word: string; tone: 'active' | 'due' | 'none' } {
  if (invoice.refunded_pence > 0) {
    const isAll = invoice.refunded_pence >= invoice.amount_pence;
    return {
      word: isAll ? 'Refunded' : `${moneyWords(invoice.refunded_pence, invoice.currency)} refunded`,
      tone: 'none',
    };
  }
  switch (invoice.status) {
    case 'paid':
      return { word: 'Paid', tone: 'active' };
    case 'open':
      return { word: 'Due', tone: 'due' };
    case 'uncollectible':
      return { word: 'Unpaid', tone: 'due' };
    case 'void':
      return { word: 'Void', tone: 'none' };
    case 'draft':
      return { word: 'Draft', tone: 'none' };
  }
}
