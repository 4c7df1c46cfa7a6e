import { type Vat, vatFor } from '@northline/vat/vat';
import { readVatNumber } from '@northline/vat/vat-number';
import {
  type Change,
  insertObject,
  insertOnce,
  listObjects,
  type ProviderObject,
  providerId,
  replaceObject,
} from '../provider-store.ts';
import { recordEvent } from './event-record.ts';
import { rateId } from './invoice-building.ts';

/** The billed person or company; the payment page asks for it where VAT is calculated. */
export interface BilledParty {
  /** ISO 3166 code. */
  readonly country: string;
  /** As it was entered, with valid digits. Empty for none. */
  readonly vatNumber: string;
}

/**
 * The VAT on what a customer buys now; undefined where the seller does not account for VAT. Stores the rate.
 */
export async function vatOfCustomer(
  change: Change,
  customer: ProviderObject | undefined,
): Promise<Vat | undefined> {
  if (change.vat === undefined) return undefined;
  const { country } = (customer?.address ?? {}) as { country?: string };
  const numbers =
    customer === undefined
      ? []
      : await listObjects(change.queries, 'tax_id', { customer: customer.id, limit: 10 });
  // Northern Ireland's numbers belong to the Union's VAT area only for goods.
  const checked = numbers
    .map(({ value }) => String(value))
    .filter((value) => !value.startsWith('XI'))
    .map((value) => readVatNumber(value)?.country)
    .find((found) => found === country);
  const vat = vatFor(change.vat, { country: country === '' ? undefined : country, numberOf: checked });
  await keepRate(change, vat);
  return vat;
}

async function keepRate(change: Change, vat: Vat): Promise<void> {
  await insertOnce(change.queries, {
    id: rateId(vat),
    object: 'tax_rate',
    active: true,
    country: vat.country,
    created: change.now,
    display_name: 'VAT',
    inclusive: true,
    jurisdiction: vat.country,
    livemode: false,
    percentage: vat.percent,
    tax_type: 'vat',
  });
}

/** Stores the billed party, as a checkout with `customer_update` does; later invoices use it. */
export async function keepParty(
  change: Change,
  customer: ProviderObject,
  { country, vatNumber }: BilledParty,
): Promise<ProviderObject> {
  const { queries } = change;
  const next = { ...customer, address: { ...(customer.address as object | null), country } };
  await replaceObject(queries, next);
  await recordEvent(change, 'customer.updated', next, { address: customer.address });
  const vat = readVatNumber(vatNumber);
  const known = await listObjects(queries, 'tax_id', { customer: customer.id, limit: 10 });
  if (vat !== undefined && known.every(({ value }) => value !== vat.value))
    await insertObject(queries, taxIdObject(customer.id, vat, change.now));
  return next;
}

/** A customer's tax number. */
export function taxIdObject(
  customer: string,
  { type, value }: { readonly type: string; readonly value: string },
  created: number,
): ProviderObject {
  return {
    id: providerId('txi'),
    object: 'tax_id',
    country: value.slice(0, 2),
    created,
    customer,
    livemode: false,
    owner: { type: 'customer', customer },
    type,
    value,
    verification: { status: 'unavailable', verified_address: null, verified_name: null },
  };
}
