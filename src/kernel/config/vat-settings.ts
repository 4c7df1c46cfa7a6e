import { COUNTRIES } from '@northline/vat/countries';
import type { VatTerms } from '@northline/vat/vat';
import { readVatNumber } from '@northline/vat/vat-number';
import { z } from 'zod';

const RATE = /^([A-Z]{2})=(\d{1,2}(?:\.\d{1,2})?)$/;

/** Per cent of VAT by country; undefined when the words cannot be read. */
export function readVatRates(words: string): ReadonlyMap<string, number> | undefined {
  const rates = new Map<string, number>();
  for (const word of words.split(',').map((part) => part.trim())) {
    if (word === '') continue;
    const [, country = '', rate = ''] = RATE.exec(word) ?? [];
    if (!COUNTRIES.includes(country) || rates.has(country)) return undefined;
    rates.set(country, Number(rate));
  }
  return rates;
}

/** Settings of VAT (decision 0393). */
export const VAT_SETTINGS = {
  VAT_COUNTRY: {
    rule: z
      .string()
      .trim()
      .default('')
      .refine((word) => word === '' || COUNTRIES.includes(word), {
        error: 'must be a country such as GB or DE, or empty',
      }),
    about:
      'Country in which you account for VAT, such as GB or DE. Prices then include VAT and invoices show it; empty = no VAT. Invoices state the VAT in the currency of the sale; a tax office may ask for its own currency besides. Stripe uses its own tax calculation.',
  },
  VAT_NUMBER: {
    rule: z
      .string()
      .trim()
      .default('')
      .refine((word) => word === '' || readVatNumber(word) !== undefined, {
        error: 'is no VAT number of Britain, the EU, Switzerland or Norway: check its letters and digits',
      }),
    about: 'Your VAT number, shown on invoices of the built-in provider.',
  },
  VAT_RATES: {
    rule: z
      .string()
      .trim()
      .default('')
      .refine((words) => readVatRates(words) !== undefined, {
        error: 'must be country=percent pairs such as GB=20,DE=19',
      }),
    about:
      'VAT rates in per cent by country, e.g. DE=19,FR=20: your own country, and those in which you account for the VAT of private customers. Stripe uses its own rates.',
  },
} as const;

/**
 * What is wrong with the combination of the three settings, as a sentence for the operator; undefined when
 * they fit.
 */
export function vatFault(settings: {
  readonly VAT_COUNTRY: string;
  readonly VAT_NUMBER: string;
  readonly VAT_RATES: string;
}): string | undefined {
  const { VAT_COUNTRY: country, VAT_NUMBER: number, VAT_RATES: rates } = settings;
  if (country === '')
    return number === '' && rates === ''
      ? undefined
      : 'VAT_NUMBER or VAT_RATES is set but VAT_COUNTRY is empty: set it too.';
  if (readVatRates(rates)?.has(country) !== true)
    return `VAT_RATES has no rate for VAT_COUNTRY ${country}: add ${country}=… to it.`;
  if (number !== '' && readVatNumber(number)?.country !== country)
    return `VAT_NUMBER belongs to another country than VAT_COUNTRY ${country}.`;
  return undefined;
}

/** Where the agency accounts for VAT, and at which rates; undefined when it does not account for VAT. */
export function vatTerms(settings: {
  readonly VAT_COUNTRY: string;
  readonly VAT_RATES: string;
}): VatTerms | undefined {
  const { VAT_COUNTRY: country, VAT_RATES: rates } = settings;
  return country === '' ? undefined : { country, rates: readVatRates(rates) ?? new Map() };
}
