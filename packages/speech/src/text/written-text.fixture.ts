import fc from 'fast-check';

const NAMES = [
  'Siobhan',
  'Łukasz',
  "O'Brien",
  'Nguyen',
  'Schröder',
  'Zoë',
  'McLeod',
  'Anne-Marie',
  'Jean',
  'Wu',
];
const WORDS = [
  'the',
  'a',
  'read',
  'live',
  'please',
  'call',
  'order',
  'of',
  'and',
  'price',
  'VAT',
  'I',
  'code',
  'Reading',
  'is',
  "don't",
];
/** Words of scripts that are not Latin. */
export const FOREIGN = ['Привет', '你好', 'مرحبا', 'Γειά', 'שלום', 'नमस्ते', 'こんにちは', 'สวัสดี'];
const PICTURES = ['👍', '🎉', '👩‍👩‍👧', '🇬🇧', '☎️', '❤'];
const MARKS = [
  '.',
  ',',
  '!',
  '?',
  ';',
  ':',
  '…',
  '-',
  '–',
  '(',
  ')',
  '"',
  "'",
  '/',
  '*',
  '_',
  '#',
  '&',
  '@',
  '%',
  '+',
  '=',
  '\n',
  '\n- ',
  '\n1. ',
  '|',
  '>',
  '€',
  '£',
];

const digits = (least: number, most: number) =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: least, maxLength: most }).map((all) => all.join(''));
const amounts = fc
  .tuple(
    fc.constantFrom('£', '€', '$', ''),
    fc.nat(9_999_999),
    fc.constantFrom('', '.5', '.05', '%', 'kg', '°C', 'k', 'th', '/month', 'p'),
  )
  .map(([sign, amount, unit]) => `${sign}${amount.toLocaleString('en-GB')}${unit}`);
const dates = fc
  .tuple(
    fc.nat(39),
    fc.constantFrom('/', '.', '-', ' May ', ' of Sept '),
    fc.nat(14),
    fc.constantFrom('', '/2026', '/26'),
  )
  .map(([day, sign, month, year]) => `${day}${sign}${month}${year}`);
const times = fc
  .tuple(fc.nat(26), fc.nat(70), fc.constantFrom('', 'am', ' p.m.', '-17:30'))
  .map(([h, m, half]) => `${h}:${String(m).padStart(2, '0')}${half}`);
const addresses = fc
  .tuple(
    fc.constantFrom('tom.baker_2', 'x', 'info', 'a-b'),
    fc.constantFrom('@', '.'),
    fc.constantFrom('example.co.uk', 'bbc.com/x?y=1#z', 'a.io'),
  )
  .map((parts) => parts.join(''));
const codes = fc
  .tuple(fc.constantFrom('AB', 'x', 'SW', 'INV-'), digits(1, 12), fc.constantFrom('', 'A', '-9', 'AA'))
  .map((parts) => parts.join(''));
const telephones = digits(5, 16).map(
  (number) => `+${number.slice(0, 2)} ${number.slice(2, 6)} ${number.slice(6)}`,
);

/** A text with everything that assistants write: names, numbers, money, dates, addresses, scripts, pictures and marks. */
export function writtenText(most = 12): fc.Arbitrary<string> {
  const piece = fc.oneof(
    fc.constantFrom(...NAMES),
    fc.constantFrom(...WORDS),
    fc.constantFrom(...FOREIGN),
    fc.constantFrom(...PICTURES),
    fc.constantFrom(...MARKS),
    amounts,
    dates,
    times,
    addresses,
    codes,
    telephones,
    digits(1, 20),
    fc.string({ maxLength: 8 }),
    fc.string({ unit: 'grapheme', maxLength: 5 }),
  );
  return fc
    .array(fc.tuple(piece, fc.constantFrom(' ', ' ', ' ', '')), { minLength: 1, maxLength: most })
    .map((parts) => parts.flat().join(''));
}
