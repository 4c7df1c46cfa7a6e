import { COUNTRIES } from '@northline/vat/countries';
import { readVatNumber } from '@northline/vat/vat-number';
import type { BilledParty } from '../ledger/customer-vat.ts';
import { type Html, html } from './page-frame.ts';

export type PartyErrors = { -readonly [Name in keyof BilledParty]?: string };

const NAMES = new Intl.DisplayNames('en-GB', { type: 'region' });
const SORTED = COUNTRIES.map((code) => ({ code, name: NAMES.of(code) ?? code })).sort((one, other) =>
  one.name.localeCompare(other.name, 'en-GB'),
);

/**
 * Fields for country and VAT number, which determine the VAT, with what was entered before and why it was
 * refused.
 */
export function partyFields({ country, vatNumber }: BilledParty, errors: PartyErrors): Html {
  const options = SORTED.map(
    ({ code, name }) =>
      html`<option value="${code}"${code === country ? html` selected` : undefined}>${name}</option>`,
  );
  return html`<div class="fields">
<div class="field field-country">
<label for="country">Country</label>
<select id="country" name="country" autocomplete="country" required${marks('country', errors.country)}><option value="">Choose</option>${options}</select>
${sentence('country', errors.country)}
</div>
<div class="field field-vat-number">
<label for="vatNumber">VAT number, if you buy as a business</label>
<input id="vatNumber" name="vatNumber" type="text" autocomplete="off" maxlength="20"${vatNumber === '' ? undefined : html` value="${vatNumber}"`}${marks('vatNumber', errors.vatNumber)}>
${sentence('vatNumber', errors.vatNumber)}
</div>
</div>`;
}

function marks(name: keyof BilledParty, error: string | undefined): Html | undefined {
  return error === undefined ? undefined : html` aria-invalid="true" aria-describedby="${name}-error"`;
}

function sentence(name: keyof BilledParty, error: string | undefined): Html | undefined {
  return error === undefined ? undefined : html`<p class="error" id="${name}-error">${error}</p>`;
}

/** The two fields as they were sent, with their errors. */
export function readParty(form: Map<string, string>): { party: BilledParty; errors: PartyErrors } {
  const party = {
    country: form.get('country')?.trim() ?? '',
    vatNumber: form.get('vatNumber')?.trim() ?? '',
  };
  const errors: PartyErrors = {};
  if (!COUNTRIES.includes(party.country)) errors.country = 'Choose your country.';
  const vat = readVatNumber(party.vatNumber);
  if (party.vatNumber !== '' && vat === undefined)
    errors.vatNumber = 'This is no VAT number: check its letters and digits, or leave it empty.';
  else if (vat !== undefined && errors.country === undefined && vat.country !== party.country)
    errors.vatNumber = 'This VAT number is of another country.';
  return { party, errors };
}
