import { toCardinal } from 'n2words/en-GB';

const DIGITS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'] as const;
const IRREGULAR: Readonly<Record<string, string>> = {
  one: 'first',
  two: 'second',
  three: 'third',
  five: 'fifth',
  eight: 'eighth',
  nine: 'ninth',
  twelve: 'twelfth',
};
/** Longer numbers are references, not quantities. */
const MOST_DIGITS = 15;

/** A number as it is written in Britain or in a table: `1,250`, `3.14`, `0.5`. */
export const NUMBER: string = String.raw`(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?!\d)`;

/** @param digits a whole number without separators */
export function cardinal(digits: string | number): string {
  return toCardinal(String(digits)).replaceAll('-', ' ').replaceAll(',', '');
}

/** 24 as `twenty fourth`. */
export function ordinal(digits: string | number): string {
  return cardinal(digits).replace(/\w+$/, (word) => {
    const irregular = IRREGULAR[word];
    return irregular ?? (word.endsWith('y') ? `${word.slice(0, -1)}ieth` : `${word}th`);
  });
}

/** Each digit as a word; everything else is left out. */
export function digitWords(text: string): string {
  return [...text.replace(/\D/g, '')].map((digit) => DIGITS[Number(digit)]).join(' ');
}

/** `1,250.5` as a quantity. Numbers with a leading zero and very long ones are read digit by digit. */
export function quantity(written: string): string {
  const [whole = '', fraction] = written.replaceAll(',', '').split('.');
  const isReference = /^0\d/.test(whole) || whole.length > MOST_DIGITS;
  const words = isReference ? groupedDigits(whole) : cardinal(whole || '0');
  return fraction === undefined ? words : `${words} point ${digitWords(fraction)}`;
}

/** Digits in groups of three, with a pause after each. */
export function groupedDigits(digits: string): string {
  return (digits.match(/\d{1,3}(?=(?:\d{3})*$)/g) ?? []).map(digitWords).join(', ');
}

/** A year of four digits as people say it: `nineteen oh five`, `two thousand and nine`, `twenty ten`. */
export function yearWords(year: string): string {
  const [century, rest] = [Number(year.slice(0, 2)), Number(year.slice(2))];
  if (century % 10 === 0 && rest < 10) return cardinal(Number(year));
  if (rest === 0) return `${cardinal(century)} hundred`;
  return `${cardinal(century)} ${rest < 10 ? `oh ${cardinal(rest)}` : cardinal(rest)}`;
}

/** Nineties, twenties, eighteens: the plural of a number. */
export function pluralNumber(words: string): string {
  if (words.endsWith('y')) return `${words.slice(0, -1)}ies`;
  return /(?:six|x)$/.test(words) ? `${words}es` : `${words}s`;
}

/** Two thirds, three quarters, half: undefined for what nobody says as a fraction. */
export function fractionWords(over: number, under: number): string | undefined {
  if (over < 1 || under < 2 || over >= under || under > 20) return undefined;
  if (under === 2) return 'half';
  const part = under === 4 ? 'quarter' : ordinal(under);
  return over === 1 ? `a ${part}` : `${cardinal(over)} ${part}s`;
}
