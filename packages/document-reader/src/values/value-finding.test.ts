import { expect, test } from 'vitest';
import { currencyOf, findAmounts, mainCurrency } from './amounts.ts';
import { findEmails, findPhones } from './contacts.ts';
import { findDate, isIsoDay, readableDay } from './dates.ts';
import { foldText } from './folded-text.ts';
import { findIbans } from './ibans.ts';

test.each([
  ['due 2026-05-03', '2026-05-03'],
  ['3 May 2026', '2026-05-03'],
  ['May 3rd, 2026', '2026-05-03'],
  ['3. Mai 2026', '2026-05-03'],
  ['le 3 août 2026', '2026-08-03'],
  ['3 de marzo de 2026', '2026-03-03'],
  ['03/04/2026', '2026-04-03'],
  ['25/04/26', '2026-04-25'],
  ['04/25/2026', '2026-04-25'],
  ['2026-05-03T10:30:00Z', '2026-05-03'],
  ['80101911/26.06.2025', '2025-06-26'],
  ['03.05.2026-31.05.2026', '2026-05-03'],
  ['03/05/2026-31/05/2026', '2026-05-03'],
  ['03.05.26 - 31.05.26', '2026-05-03'],
  ['03/05/202610:15', '2026-05-03'],
])('the day in “%s” is %s', (text, iso) => {
  expect(findDate(text)?.iso).toBe(iso);
});

test.each([
  ['ORD #07 -REG #19- 10/03/2018', '2018-03-10'],
  ['TILL # 19 10/03/2018 14:02', '2018-03-10'],
  ['45/67/89 of 10/03/2018', '2018-03-10'],
  ['Tél. 02.04.12.34.56, le 10.03.2018', '2018-03-10'],
  ['Version 2.5.18 of 10 March 2018', '2018-03-10'],
  ['Sort code 20-12-18, 10 March 2018', '2018-03-10'],
])('the pieces of longer figures are not a day: “%s”', (text, iso) => {
  expect(findDate(text)?.iso).toBe(iso);
});

test.each([
  ...['billing period 12/20-12/31', '02.04.12.34.56', 'REG #19-10/03', '19.10.03/2018', 'v. 2.5.18'],
  ...['#10/03/18', '1-10-03-2018', '10.12.14.5', 'INV-10-03-2018', '2018-10-03-77', '5/12-2018'],
])('“%s” holds no day', (text) => {
  expect(findDate(text)).toBeUndefined();
});

test('a day that the calendar does not have is not a date, and the first of several dates counts', () => {
  expect(findDate('31 February 2026')).toBeUndefined();
  expect(findDate('from 1 April 2026 to 31 March 2027')).toMatchObject({
    printed: '1 April 2026',
    iso: '2026-04-01',
  });
  expect(findDate('03/04/2026', false)?.iso).toBe('2026-03-04');
  expect([isIsoDay('2024-02-29'), isIsoDay('2026-02-29'), isIsoDay('2026-2-1')]).toEqual([
    true,
    false,
    false,
  ]);
  expect([readableDay('2026-04-02'), readableDay('soon'), readableDay(undefined)]).toEqual([
    '2 April 2026',
    'soon',
    '',
  ]);
});

test.each([
  ['£1,234.50', '1234.50', 'GBP'],
  ['1.234,50 €', '1234.50', 'EUR'],
  ["CHF 1'234.50", '1234.50', 'CHF'],
  ['₹12,34,567.00', '1234567.00', 'INR'],
  ['-£5.00', '-5.00', 'GBP'],
  ['(12.00)', '-12.00', undefined],
  ['12.00-', '-12.00', undefined],
  ['£900', '900.00', 'GBP'],
])('the amount in “%s” is %s', (text, value, currency) => {
  expect(findAmounts(text).map((amount) => [amount.value, amount.currency])).toEqual([[value, currency]]);
});

test('a bare number, a part of a date and a percentage are not amounts', () => {
  expect(findAmounts('12 oaks on 3.05.2026 at 19.5 % in 2026')).toEqual([]);
  expect(currencyOf('XYZ')).toBeUndefined();
  expect(mainCurrency('£1.00 £2.00 and €3.00')?.code).toBe('GBP');
  expect(mainCurrency('no money')).toBeUndefined();
});

test('accounts are found with and without groups, and only with valid check digits', () => {
  const found = findIbans(
    'Pay to DE89 3704 0044 0532 0130 00 or GB82WEST12345698765432, not DE88 3704 0044 0532 0130 00.',
  );
  expect(found.map(({ compact }) => compact)).toEqual(['DE89370400440532013000', 'GB82WEST12345698765432']);
  expect(found[0]?.printed).toBe('DE89 3704 0044 0532 0130 00');
});

test('an address ends before the full stop of its sentence', () => {
  expect(findEmails('Write to anna.müller@example.co.uk. Or to <b@example.com>')).toEqual([
    ...['anna.müller@example.co.uk', 'b@example.com'],
  ]);
});

test('a folded text has no case, accents or spaces, and the place of each letter', () => {
  expect(foldText('Größe: É1')).toEqual({ text: 'grossee1', at: [0, 1, 2, 3, 3, 4, 7, 8] });
});

test('a telephone number is whole; an empty form, a postal code and a tax number are none', () => {
  const text =
    'Tel. +49 9831 505-0, Fax +49 (9831) 505 - 19, mobile +447911123456, office 01423 550123. ' +
    'Boston, MA 02110-1301, account 00000-0000, St.-Nr. 012/345/67890';
  expect(findPhones(text)).toEqual([
    ...['+49 9831 505-0', '+49 (9831) 505 - 19', '+447911123456', '01423 550123'],
  ]);
});
