import { checkVAT, countries } from 'jsvat';
import { UNION } from './countries.ts';

/** A VAT number whose digits are right. */
export interface VatNumber {
  /** As it is written without blanks and signs: `GB980780684`. */
  readonly value: string;
  /** ISO 3166 of the country that gave it. */
  readonly country: string;
  /** The payment provider's word for its kind. */
  readonly type: 'eu_vat' | 'gb_vat' | 'ch_vat' | 'no_vat';
}

const OWN_TYPES: Readonly<Record<string, VatNumber['type']>> = { GB: 'gb_vat', CH: 'ch_vat', NO: 'no_vat' };

/**
 * Reads a VAT number of Britain, Northern Ireland, the European Union, Switzerland or Norway; undefined where its form
 * or its check digits are wrong. It says nothing on whether the number was given to anybody: that only the tax office
 * knows.
 */
export function readVatNumber(words: string): VatNumber | undefined {
  const written = words.toUpperCase().replace(/[\s.-]/g, '');
  // Northern Ireland trades within the Union under numbers of Britain.
  const isNorthern = written.startsWith('XI');
  const { isValid, country } = checkVAT(isNorthern ? `GB${written.slice(2)}` : written, countries);
  const code = country?.isoCode.short;
  if (!isValid || code === undefined) return undefined;
  const type = isNorthern || UNION.includes(code) ? 'eu_vat' : OWN_TYPES[code];
  return type === undefined ? undefined : { value: written, country: code, type };
}
