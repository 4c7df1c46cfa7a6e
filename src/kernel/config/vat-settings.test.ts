import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readSettings } from './settings.ts';
import { readVatRates, vatTerms } from './vat-settings.ts';

function settingsOf(values: Record<string, string>) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'northline-vat-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return readSettings(values, folder);
}

test('without a country there is no VAT, and with one its rate is needed', () => {
  expect(vatTerms(settingsOf({}))).toBeUndefined();
  expect(
    vatTerms(
      settingsOf({ VAT_COUNTRY: 'DE', VAT_NUMBER: 'DE 136695976', VAT_RATES: 'DE=19, FR=20,HU=27.5' }),
    ),
  ).toEqual({
    country: 'DE',
    rates: new Map([
      ['DE', 19],
      ['FR', 20],
      ['HU', 27.5],
    ]),
  });
  for (const [values, sentence] of [
    [{ VAT_RATES: 'DE=19' }, /VAT_COUNTRY is empty/],
    [{ VAT_NUMBER: 'DE136695976' }, /VAT_COUNTRY is empty/],
    [{ VAT_COUNTRY: 'DE' }, /no rate for VAT_COUNTRY DE/],
    [{ VAT_COUNTRY: 'DE', VAT_RATES: 'FR=20' }, /add DE=…/],
    [{ VAT_COUNTRY: 'FR', VAT_RATES: 'FR=20', VAT_NUMBER: 'DE136695976' }, /another country/],
    [{ VAT_COUNTRY: 'XX' }, /must be a country such as GB or DE/],
    [{ VAT_COUNTRY: 'DE', VAT_RATES: 'DE=19,DE=7' }, /country=percent pairs/],
    [{ VAT_COUNTRY: 'DE', VAT_RATES: 'DE=19', VAT_NUMBER: 'DE136695977' }, /check its letters and digits/],
  ] as const)
    expect(() => settingsOf(values), JSON.stringify(values)).toThrow(sentence);
  for (const wrong of ['DE', 'DE=x', 'DE=100', 'ZZ=10', 'DE=19;FR=20', 'DE=-1'])
    expect(readVatRates(wrong), wrong).toBeUndefined();
});
