import { cardinal, ordinal, pluralNumber, yearWords } from './number-words.ts';
import { type ReadingRule, rule } from './reading-rule.ts';

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;
const DAYS: Readonly<Record<string, string>> = {
  mon: 'Monday',
  tue: 'Tuesday',
  tues: 'Tuesday',
  wed: 'Wednesday',
  weds: 'Wednesday',
  thu: 'Thursday',
  thur: 'Thursday',
  thurs: 'Thursday',
  fri: 'Friday',
  sat: 'Saturday',
  sun: 'Sunday',
};
const MONTH = `(?:${MONTHS.map((name) => (name.length > 3 ? `${name.slice(0, 3)}(?:${name.slice(3)})?` : name)).join('|')}|Sept)`;
const DAY = 'Mon|Tues?|Weds?|Thu(?:rs?)?|Fri|Sat|Sun';
const NTH = String.raw`(\d{1,2})(?:st|nd|rd|th)?`;
const DASH = String.raw`\s?[-–—]\s?`;
const YEAR = String.raw`(1\d{3}|20\d{2})`;
const NO_MORE = String.raw`(?![\d/]|[.,:-]\d)`;
const CALENDAR =
  /\b(?:on|by|from|until|till|since|before|after|between|dated|due|and|to|of|date|born|expires?|deadline|the)[:]? $/i;
const IN_A_YEAR =
  /\b(?:in|since|by|from|until|till|of|year|during|before|after|around|circa|copyright|©|late|early|mid|and|to|between|than|spring|summer|autumn|winter|back in)[ -]$/i;
const COUNTED =
  /^[ -](?:people|pounds|euros|dollars|pence|percent|per cent|miles|metres|homes|times|words|points|units|of\b|or more|more\b|square|customers|calls|minutes|hours|days|seats|members|pages|items)/;

const monthNamed = (text: string): string => MONTHS.find((name) => name.startsWith(text.slice(0, 3))) ?? text;

/** Dates, years, decades and short names of days, in the order of Britain: day, month, year. */
export const DATE_RULES: readonly ReadingRule[] = [
  rule(String.raw`(\d{4})-(\d{2})-(\d{2})(?!\d)(?:T(?=\d))?`, ([, year = '', month, day]) =>
    sayDate(Number(day), Number(month), year),
  ),
  rule(
    String.raw`(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})${NO_MORE}`,
    ([found, first, , second, year = '']) => {
      if (/^\d\d-\d\d-\d\d$/.test(found)) return undefined; // a sort code
      const [one, two] = [Number(first), Number(second)];
      return two > 12 ? sayDate(two, one, year) : sayDate(one, two, year);
    },
  ),
  rule(String.raw`(\d{1,2})\/(\d{1,2})${NO_MORE}`, ([, day, month], { before }) =>
    CALENDAR.test(before) ? sayDate(Number(day), Number(month)) : undefined,
  ),
  rule(
    String.raw`${NTH}(?:${DASH}${NTH})?(?: of)? (${MONTH})\b\.?(?:,? ${YEAR}(?!\d))?`,
    ([found, day = '', last, month = '', year], { before, after }) => {
      if (Number(day) < 1 || Number(day) > 31) return undefined;
      const the = /\bthe $/i.test(before) ? '' : 'the ';
      const until = last === undefined ? '' : ` to the ${ordinal(last)}`;
      const end = found.endsWith('.') && /^(?:$| [A-Z])/.test(after) ? '.' : '';
      return `${the}${ordinal(day)}${until} of ${monthNamed(month)}${yearAfter(year)}${end}`;
    },
  ),
  rule(
    String.raw`(${MONTH})\.? ${NTH}(?:${DASH}${NTH})?${NO_MORE}(?![\w%£€$])(?:,? ${YEAR}(?!\d))?`,
    ([, month = '', day = '', last, year]) => {
      if (Number(day) < 1 || Number(day) > 31) return undefined;
      const until = last === undefined ? '' : ` to the ${ordinal(last)}`;
      return `${monthNamed(month)} the ${ordinal(day)}${until}${yearAfter(year)}`;
    },
  ),
  rule(
    String.raw`(${MONTH})\.?,? ${YEAR}(?!\d)`,
    ([, month = '', year = '']) => `${monthNamed(month)} ${yearWords(year)}`,
  ),
  rule(
    String.raw`(${MONTH})${DASH}(${MONTH})\b`,
    ([, from = '', to = '']) => `${monthNamed(from)} to ${monthNamed(to)}`,
  ),
  rule(String.raw`(?!May|Mar\b|Sun\b|Sat\b)(${MONTH})\b\.(?! [A-Z])`, ([, month = '']) => monthNamed(month)),
  rule(
    String.raw`(${DAY})\b\.?${DASH}(${DAY})\b\.?`,
    ([, from = '', to = '']) => `${dayNamed(from)} to ${dayNamed(to)}`,
  ),
  rule(String.raw`(Mon|Tues?|Thu(?:rs?)?|Fri)\b\.?(?! ?')`, ([, day = '']) => dayNamed(day)),
  rule(
    String.raw`(Weds?|Sat|Sun)\b\.?(?=,? \d|,? (?:${DAY})\b|\s?[-–/:]|,? and (?:${DAY})\b)`,
    ([, day = '']) => dayNamed(day),
  ),
  rule(String.raw`(Weds?|Sat|Sun)\b(?![ ]?[a-z])`, ([, day = ''], { before }) =>
    /(?:\b(?:closed|open|on|and|or|every|until|till)|&) $|\b(?:Tues?|Fri|Sat)\.?, $/i.test(before)
      ? dayNamed(day)
      : undefined,
  ),
  rule(String.raw`(1\d{3}|20\d{2})0?s\b`, ([found]) => {
    const year = found.slice(0, 4);
    return year.endsWith('00') ? `${yearWords(year)}s` : pluralNumber(yearWords(year));
  }),
  rule(String.raw`'?([2-9]0)s\b`, ([, decade = '']) => pluralNumber(cardinal(decade))),
  rule(
    String.raw`${YEAR}${DASH}(1\d{3}|20\d{2}|\d{2})(?![\d,.:]\d|\d)`,
    ([, from = '', to = '']) => `${yearWords(from)} to ${to.length === 4 ? yearWords(to) : cardinal(to)}`,
  ),
  rule(
    String.raw`${YEAR}\/(\d{2})(?![\d/])`,
    ([, from = '', to = '']) => `${yearWords(from)} ${cardinal(to)}`,
  ),
  rule(String.raw`${YEAR}(?!\d|[,.:]\d|[-–]\d|[%\w]|\s?(?:£|€|%))`, ([, year = ''], { before, after }) =>
    (IN_A_YEAR.test(before) || Number(year) >= 1900) && !COUNTED.test(after) && !/[£$€#] ?$/.test(before)
      ? yearWords(year)
      : undefined,
  ),
];

const dayNamed = (short: string): string => DAYS[short.toLowerCase()] ?? short;

const yearAfter = (year: string | undefined): string => (year === undefined ? '' : `, ${yearWords(year)}`);

/** @param year two or four digits */
function sayDate(day: number, month: number, year?: string): string | undefined {
  const name = MONTHS[month - 1];
  if (name === undefined || day < 1 || day > 31) return undefined;
  const whole = year?.length === 2 ? `20${year}` : year;
  return `the ${ordinal(day)} of ${name}${yearAfter(whole)}`;
}
