import { UNION } from './countries.ts';

/** Where the agency accounts for VAT, and at which rates. */
export interface VatTerms {
  /** ISO 3166. */
  readonly country: string;
  /** Per cent by country; the agency's own is always there. */
  readonly rates: ReadonlyMap<string, number>;
}

/** Who buys, as far as VAT goes. */
export interface VatBuyer {
  /** ISO 3166; undefined while it is not known. */
  readonly country: string | undefined;
  /** The country of a VAT number whose digits were checked. */
  readonly numberOf: string | undefined;
}

/** The VAT in a price: `standard` at a rate, `reverse_charge` where the buyer accounts for it, `none` where none is due. */
export interface Vat {
  readonly kind: 'standard' | 'reverse_charge' | 'none';
  /** The country whose VAT it is. */
  readonly country: string;
  readonly percent: number;
}

/**
 * Which VAT a price includes (decision 0393). At home, and while nothing is known of the buyer, it is the agency's. From
 * one country of the Union to another a business with a VAT number of its own country accounts for it, and a private
 * customer pays the rate of VAT_RATES for that country, else the agency's. Elsewhere there is none, unless VAT_RATES has
 * a rate for the country.
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

/** Pence of VAT in a price that includes it, rounded to a penny; negative for what is given back. */
export function includedVat(pence: number, { percent }: Pick<Vat, 'percent'>): number {
  const vat = Math.round((Math.abs(pence) * percent) / (100 + percent));
  // Not `-0`, which JSON writes as 0 and tests tell apart.
  return vat === 0 ? 0 : Math.sign(pence) * vat;
}
