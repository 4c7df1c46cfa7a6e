import { paymentMethodObject } from '../object-shapes.ts';
import { type Change, insertObject, type ProviderObject, providerId } from '../provider-store.ts';
import type { PendingPayment } from './checkout-completion.ts';
import { type InvoiceObject, saleSubject } from './invoice-building.ts';
import { issueInvoice } from './invoice-issue.ts';
import { collect } from './payment-taking.ts';

/** The single sale of a checkout in mode `payment`. */
export interface Sale {
  readonly name: string;
  readonly amount: number;
  /** Missing in sessions from before there were others than pounds. */
  readonly currency?: string;
  /** Fields for the sale's invoice. */
  readonly metadata: Record<string, string>;
  /** Whether VAT is calculated for it; missing in sessions from before that. */
  readonly taxed?: boolean;
}

/**
 * Takes the payment of a single sale and creates its invoice. As at Stripe the customer's balance is not
 * used, and the card is not stored.
 */
export async function completeSale(
  change: Change,
  customer: ProviderObject,
  sale: Sale,
  { card, email }: PendingPayment,
): Promise<InvoiceObject> {
  const { queries, now } = change;
  const method = { ...paymentMethodObject(card, customer.id, email, now), customer: null };
  await insertObject(queries, method, { behaviour: card.behaviour });
  const { metadata, currency = 'gbp' } = sale;
  const subject = saleSubject(customer, { metadata, currency, taxed: sale.taxed === true }, now);
  const price = {
    id: providerId('price'),
    object: 'price',
    currency,
    product: providerId('prod'),
    unit_amount: sale.amount,
  };
  const made = await issueInvoice(change, subject, 'manual', [
    {
      description: `1 × ${sale.name}`,
      amount: sale.amount,
      price,
      period: { start: now, end: now },
      proration: false,
    },
  ]);
  const { invoice } = await collect(
    change,
    made,
    { data: method, hidden: { behaviour: card.behaviour } },
    true,
  );
  return invoice;
}
