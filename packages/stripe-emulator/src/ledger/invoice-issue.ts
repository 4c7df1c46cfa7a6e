import type { SubscriptionObject } from '../object-shapes.ts';
import {
  type Change,
  insertObject,
  listObjects,
  lockObject,
  providerId,
  replaceObject,
} from '../provider-store.ts';
import { vatOfCustomer } from './customer-vat.ts';
import { recordEvent } from './event-record.ts';
import {
  type BillingReason,
  type InvoiceObject,
  type InvoiceSubject,
  invoiceObject,
  type LineDraft,
  subscriptionSubject,
} from './invoice-building.ts';

/**
 * Creates an invoice for a subscription, with its number and the customer's balance. It is not collected yet.
 */
export function makeInvoice(
  change: Change,
  subscription: SubscriptionObject,
  reason: BillingReason,
  lines: readonly LineDraft[],
): Promise<InvoiceObject> {
  return issueInvoice(change, subscriptionSubject(subscription), reason, lines);
}

/** Creates a numbered invoice; only a subscription's uses the customer's balance. It is not collected yet. */
export async function issueInvoice(
  change: Change,
  subject: InvoiceSubject,
  reason: BillingReason,
  lines: readonly LineDraft[],
): Promise<InvoiceObject> {
  const { queries, now } = change;
  const customer = (await lockObject(queries, 'customer', subject.customer))?.data;
  const usesBalance = subject.subscription !== undefined;
  const made = await queries.one(
    "select count(*)::int as count from private.provider_objects where kind = 'invoice' and customer = $1",
    [subject.customer],
  );
  const token = providerId('invst', 32);
  const prefix = subject.customer.slice(-8).toUpperCase();
  const taxIds = await listObjects(queries, 'tax_id', { customer: subject.customer, limit: 10 });
  const invoice: InvoiceObject = Object.assign(
    // The customer's present name and address are copied: later changes apply to later invoices.
    {
      customer_address: customer?.address ?? null,
      customer_email: customer?.email ?? null,
      customer_name: customer?.name ?? null,
      customer_tax_ids: taxIds.map(({ type, value }) => ({ type, value })),
    },
    invoiceObject(subject, reason, lines, {
      at: now,
      number: `${prefix}-${String(made.count + 1).padStart(4, '0')}`,
      balance: usesBalance ? Number(customer?.balance ?? 0) : 0,
      pages: change.pages,
      token,
      vat: subject.taxed ? await vatOfCustomer(change, customer) : undefined,
    }),
  );
  if (usesBalance && customer !== undefined && customer.balance !== invoice.ending_balance) {
    const next = { ...customer, balance: invoice.ending_balance };
    await replaceObject(queries, next);
    await recordEvent(change, 'customer.updated', next, { balance: customer.balance });
  }
  await insertObject(queries, invoice, { token });
  await recordEvent(change, 'invoice.created', invoice);
  await recordEvent(change, 'invoice.finalized', invoice);
  return invoice;
}
