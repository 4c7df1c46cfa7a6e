import { formatMoney } from '@northline/vat/money';
import { site } from '../../../ui/brand.ts';
import type { CustomerPlan } from '../console.contract.ts';
import { shortTime } from '../parts/time-words.web.ts';
import type { CustomerEvent, CustomerInvoice } from './customer-record.contract.ts';

/** The name of a customer's plan, also of one that is no longer sold. */
export const planName = ({ price_id: price, tier }: Pick<CustomerPlan, 'price_id' | 'tier'>): string =>
  site.plans.find(price)?.name ?? tier ?? 'A former plan';

/** `active, renews 3 Dec, 12:00` */
export function planState({
  status,
  current_period_end: end,
  cancel_at_period_end: ends,
}: CustomerPlan): string {
  const day = end === null ? '' : `, ${ends ? 'ends' : 'renews'} ${shortTime(end)}`;
  return `${status.replaceAll('_', ' ')}${day}`;
}

/** `1 credit`, `5 credits` */
export const creditWords = (count: number): string => `${count} ${count === 1 ? 'credit' : 'credits'}`;

/** `+5`, `−1` */
export const signed = (amount: number): string =>
  amount > 0 ? `+${amount}` : String(amount).replace('-', '−');

const FILE_STATES: Readonly<Record<string, string>> = {
  uploaded: 'Not analysed',
  queued: 'Waits for analysis',
  analyzing: 'Being analysed',
  analyzed: 'Analysed',
  failed: 'Analysis failed',
  needs_password: 'Locked by a password',
};

/** The state of a document in words. */
export const fileState = (status: string): string => FILE_STATES[status] ?? status;

/** What became of an invoice: `Paid`, `Refunded`, `£10.00 refunded`, `Open`. */
export function invoiceState({ status, refunded, refundable, currency }: CustomerInvoice): string {
  if (refunded > 0) return refundable === 0 ? 'Refunded' : `${formatMoney(refunded, currency)} refunded`;
  return status.charAt(0).toUpperCase() + status.slice(1);
}

/** The kinds of events in a customer's history, as their badges say. */
export const EVENT_WORDS: Readonly<Record<CustomerEvent['kind'], string>> = {
  call: 'Call',
  booking: 'Booking',
  enquiry: 'Enquiry',
  message: 'Message',
  lesson: 'Lesson',
};

const MAIL_STATES: Readonly<Record<string, string>> = {
  kept: 'Kept here',
  waiting: 'On its way',
  sent: 'Sent',
  failed: 'Failed',
  bounced: 'Came back',
  suppressed: 'Not sent: address blocked',
};

/** The state of a mail in words. */
export const mailState = (state: string): string => MAIL_STATES[state] ?? state;
