import { expect, test } from 'vitest';
import { guessLanguage } from './language-guess.ts';

test.each([
  ['eng', 'Thank you for your order. The total amount is due by the end of this month.'],
  ['deu', 'Sehr geehrte Damen und Herren, bitte überweisen Sie den Betrag auf das Konto.'],
  ['fra', 'Nous vous prions de régler le montant de cette facture avant la fin du mois.'],
] as const)('print in one language is recognised: %s', (language, text) => {
  expect(guessLanguage(text)).toBe(language);
});

test('names and figures say nothing, and two languages in one text are not decided', () => {
  expect(guessLanguage('Harlow 12.00 4711 Berlin')).toBeUndefined();
  expect(guessLanguage('the total of your invoice, das ist die Summe der Rechnung')).toBeUndefined();
});
