import { checkVAT, countries } from 'jsvat';
import { UNION } from './countries.ts';

/** A VAT number with correct check digits. */
export interface VatNumber {
  /** The number without spaces and punctuation: `GB980780684`. */
  readonly value: string;
  /** ISO 3166 code of the country that issued it. */
  readonly country: string;
  /** The payment provider's name for this type of number. */
  readonly type: 'eu_vat' | 'gb_vat' | 'ch_vat' | 'no_vat';
}

const OWN_TYPES: Readonly<Record<string, VatNumber['type']>> = { GB: 'gb_vat', CH: 'ch_vat', NO: 'no_vat' };

/**
 * Reads a VAT number of Britain, Northern Ireland, the European Union, Switzerland or Norway. Undefined when
 * its form or its check digits are wrong. Only the tax office knows whether the number was issued to anybody.
 */
export function readVatNumber(words: string): VatNumber | undefined {
  const written = words.toUpperCase().replace(/[\s.-]/g, '');
  // Northern Ireland trades within the Union, under British numbers.
  const isNorthern = written.startsWith('XI');
  const { isValid, country } = checkVAT(isNorthern ? `GB${written.slice(2)}` : written, countries);
  const code = country?.isoCode.short;
  if (!isValid || code === undefined) return undefined;
  const type = isNorthern || UNION.includes(code) ? 'eu_vat' : OWN_TYPES[code];
  return type === undefined ? undefined : { value: written, country: code, type };
}
