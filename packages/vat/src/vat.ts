import { UNION } from './countries.ts';

/** Where the agency accounts for VAT, and at which rates. */
export interface VatTerms {
  /** ISO 3166 code of the agency's country. */
  readonly country: string;
  /** Per cent by country; always includes the agency's own country. */
  readonly rates: ReadonlyMap<string, number>;
}

/** What matters about a buyer for VAT. */
export interface VatBuyer {
  /** ISO 3166 code; undefined when unknown. */
  readonly country: string | undefined;
  /** The country of a VAT number with correct check digits. */
  readonly numberOf: string | undefined;
}

/**
 * The VAT in a price: `standard` at a rate, `reverse_charge` where the buyer accounts for it, `none` where no
 * VAT is due.
 */
export interface Vat {
  readonly kind: 'standard' | 'reverse_charge' | 'none';
  /** The country whose VAT it is. */
  readonly country: string;
  readonly percent: number;
}

/**
 * The VAT that a price includes (decision 0393). A buyer in the agency's country, or of unknown country, pays
 * the agency's rate. Between two countries of the Union, a business with a VAT number of its own country
 * accounts for the VAT itself, and a private customer pays the rate of VAT_RATES for that country, or else
 * the agency's rate. Buyers elsewhere pay no VAT, unless VAT_RATES has a rate for their country.
 */
export function vatFor({ country: home, rates }: VatTerms, { country, numberOf }: VatBuyer): Vat {
  const ownRate = rates.get(home) ?? 0;
  if (country === undefined || country === home) return { kind: 'standard', country: home, percent: ownRate };
  const inUnion = UNION.includes(home) && UNION.includes(country);
  if (inUnion && numberOf === country) return { kind: 'reverse_charge', country, percent: 0 };
  const rate = rates.get(country);
  if (rate !== undefined) return { kind: 'standard', country, percent: rate };
  return inUnion
    ? { kind: 'standard', country: home, percent: ownRate }
    : { kind: 'none', country, percent: 0 };
}

/** The VAT in a price that includes it, in the same smallest unit of its currency; negative for a refund. */
export function includedVat(price: number, { percent }: Pick<Vat, 'percent'>): number {
  const vat = Math.round((Math.abs(price) * percent) / (100 + percent));
  // Avoids `-0`: JSON writes it as 0, but tests treat the two as different.
  return vat === 0 ? 0 : Math.sign(price) * vat;
}
