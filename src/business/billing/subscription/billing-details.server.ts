import { COUNTRIES } from '@northline/vat/countries';
import { readVatNumber, type VatNumber } from '@northline/vat/vat-number';
import type Stripe from 'stripe';
import { z } from 'zod';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { declareFunction } from '../../../kernel/functions/function-declaration.server.ts';
import type { HttpContext } from '../../../kernel/http/http-context.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import { providerCustomerOf } from '../checkout/checkout-start.server.ts';
import { unlessMissing } from '../customers/customer-fetch.server.ts';
import type { Payments } from '../payments.server.ts';
import { type BillingDetails, DETAIL_LENGTHS } from './billing-details.contract.ts';

const NONE: BillingDetails = {
  name: '',
  line1: '',
  line2: '',
  city: '',
  postal_code: '',
  country: '',
  vat_number: '',
};
const field = (name: keyof BillingDetails) => z.string().trim().max(DETAIL_LENGTHS[name]);

/**
 * Mounts `billing-details` and `save-billing-details`: company, address and VAT number of a customer. They
 * are stored only at the payment provider, which prints them on later invoices (decision 0361).
 */
export function mountBillingDetails(http: HttpContext, resources: Resources, payments: Payments): void {
  declareFunction(http, {
    name: 'billing-details',
    callers: 'users',
    body: z.object({}).nullish(),
    limit: { count: 120, seconds: 300 },
    async handle({ caller }): Promise<BillingDetails> {
      const row = await resources.database.maybe(
        'select customer_id from public.customers where user_id = $1',
        [caller.userId],
      );
      const customer = row?.customer_id ?? undefined;
      return customer === undefined ? NONE : atProvider(() => readDetails(payments, customer));
    },
  });
  declareFunction(http, {
    name: 'save-billing-details',
    callers: 'users',
    body: z.object({
      name: field('name'),
      line1: field('line1'),
      line2: field('line2'),
      city: field('city'),
      postal_code: field('postal_code'),
      country: field('country'),
      vat_number: field('vat_number'),
    }),
    limit: { count: 30, seconds: 300 },
    async handle({ caller, body }): Promise<BillingDetails> {
      const vat = checked(body);
      return atProvider(async () => {
        const customer = await providerCustomerOf(resources, payments, caller.userId ?? '');
        const { name, vat_number: _vat, ...address } = body;
        await payments.stripe.customers.update(customer, { name, address });
        await keepVatNumber(payments, customer, vat);
        return readDetails(payments, customer);
      });
    },
  });
}

/**
 * The VAT number of details that can be stored; undefined when there is none. @throws ServiceError 400 with
 * the field
 */
function checked({ country, vat_number: given }: BillingDetails): VatNumber | undefined {
  if (country !== '' && !COUNTRIES.includes(country))
    throw refused('unknown_country', 'country', 'Choose the country from the list.');
  if (given === '') return undefined;
  const vat = readVatNumber(given);
  if (vat === undefined) {
    const sentence =
      'This is no VAT number of Britain, the EU, Switzerland or Norway: check its letters and digits.';
    throw refused('vat_number_wrong', 'vat_number', sentence);
  }
  if (vat.country !== country)
    throw refused(
      'vat_country',
      'vat_number',
      'This VAT number belongs to another country than the address.',
    );
  return vat;
}

function refused(code: string, name: keyof BillingDetails, message: string): ServiceError {
  return new ServiceError(400, code, message, { details: { fields: { [name]: message } } });
}

async function atProvider<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    const message = 'Your billing details cannot be reached just now. Please try again later.';
    throw new ServiceError(502, 'details_failed', message, { cause: error });
  }
}

async function readDetails({ stripe }: Payments, id: string): Promise<BillingDetails> {
  const customer = await stripe.customers.retrieve(id).catch(unlessMissing);
  if (customer === undefined || 'deleted' in customer) return NONE;
  const [vat] = await vatNumbersOf(stripe, id);
  const { address } = customer;
  return {
    name: customer.name ?? '',
    line1: address?.line1 ?? '',
    line2: address?.line2 ?? '',
    city: address?.city ?? '',
    postal_code: address?.postal_code ?? '',
    country: address?.country ?? '',
    vat_number: vat?.value ?? '',
  };
}

async function vatNumbersOf(stripe: Stripe, customer: string): Promise<Stripe.TaxId[]> {
  const { data } = await stripe.taxIds.list({ owner: { type: 'customer', customer }, limit: 100 });
  return data;
}

/**
 * The new number is added before the old ones are removed, so that a failure in between leaves no customer
 * without one.
 */
async function keepVatNumber(
  { stripe }: Payments,
  customer: string,
  vat: VatNumber | undefined,
): Promise<void> {
  const kept = await vatNumbersOf(stripe, customer);
  const same = kept.find(({ value, type }) => value === vat?.value && type === vat?.type);
  if (vat !== undefined && same === undefined)
    await stripe.taxIds.create({
      type: vat.type,
      value: vat.value,
      owner: { type: 'customer', customer },
    });
  for (const { id } of kept.filter((one) => one !== same)) await stripe.taxIds.del(id);
}
