import { currencyOf, findAmounts } from '@northline/document-reader/amounts';
import type { Fact } from './fact-correction.contract.ts';

/**
 * The currency (ISO 4217) of an amount: the one in its value, else the one in the value before the correction, else the
 * document's. Undefined for a fact that is not an amount, and if nothing names a currency.
 */
export function currencyOfFact(fact: Fact, facts: readonly Fact[]): string | undefined {
  if (fact.type !== 'money') return undefined;
  return printedIn(fact.value) ?? printedIn(fact.correction?.original) ?? currencyOfDocument(facts);
}

/** The currency (ISO 4217) of a document's amounts; undefined if nothing names one. */
export function currencyOfDocument(facts: readonly Fact[]): string | undefined {
  const named = facts.find(({ key }) => key === 'currency');
  const total = facts.find(({ key }) => key === 'total');
  return named?.normalized ?? codeIn(named?.value) ?? printedIn(total?.value);
}

function codeIn(value = ''): string | undefined {
  return currencyOf(value) ?? (/^[A-Z]{3}$/.test(value) ? value : undefined);
}

/** The value of a fact; an amount without a currency gets its currency after it. */
export function moneyText(fact: Fact, facts: readonly Fact[]): string {
  const currency = currencyOfFact(fact, facts);
  return currency === undefined || printedIn(fact.value) !== undefined
    ? fact.value
    : `${fact.value} ${currency}`;
}

function printedIn(value = ''): string | undefined {
  return findAmounts(value)[0]?.currency;
}
