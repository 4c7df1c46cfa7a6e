import { z } from 'zod';

const MONTHS: Record<string, number> = {};
const MONTH_WORDS = [
  'january jan januar janvier janv januari jänner enero ene gennaio gen',
  'february feb februar février févr fevrier fév februari febrero febbraio',
  'march mar märz mars maart mrz mrt marzo',
  'april apr avril avr abril abr aprile',
  'may mai mei mayo maggio mag',
  'june jun juni juin junio giugno giu',
  'july jul juli juillet juil julio luglio lug',
  'august aug août aout augustus agosto ago',
  'september sep sept septembre septiembre settembre set',
  'october oct oktober okt octobre octubre ottobre ott',
  'november nov novembre noviembre',
  'december dec dezember dez décembre decembre déc diciembre dic dicembre',
];
for (const [index, words] of MONTH_WORDS.entries())
  for (const word of words.split(' ')) MONTHS[word] = index + 1;
const MONTH = Object.keys(MONTHS)
  .sort((a, b) => b.length - a.length)
  .join('|');

/** Behind these, figures in parts are not a day: the number of a till, a version, a bank. */
const NO_DAY = '#\\s?|\\b(?:version|ver|v|release|rev|build|firmware|sort code)\\b[.:]?\\s?';
/** Two digits of a year, without the real year behind them, as in "REG 19-10/03/2018". */
const SHORT_YEAR = '\\d{2}(?!\\d|\\s?[./-]\\s?(?:19|20)\\d\\d(?!\\d))';
/** A time may stand behind the year without a space. */
const LONG_YEAR = '\\d{4}(?!\\d(?!\\d?:\\d\\d))';

type Order = (match: RegExpExecArray, dayFirst: boolean) => [number, number, number];

const DATE_FORMS: readonly (readonly [RegExp, Order])[] = [
  [
    new RegExp(
      `(?<![\\p{L}\\d]|\\d[-/.]|${NO_DAY})(\\d{4})([-/.])(\\d{1,2})\\2(\\d{1,2})(?!\\d|\\2\\d)`,
      'giu',
    ),
    (m) => [Number(m[1]), Number(m[3]), Number(m[4])],
  ],
  [
    new RegExp(
      `(?<!${NO_DAY})\\b(\\d{1,2})(?:st|nd|rd|th|er|\\.)?\\s*(?:day of\\s+|of\\s+|de\\s+|di\\s+|[-/.])?(${MONTH})\\.?,?(?:\\s+del?\\s+|\\s*[-/.,]?\\s*)(\\d{4}|\\d{2})(?![\\d:])`,
      'gi',
    ),
    (m) => [yearOf(m[3]), MONTHS[(m[2] ?? '').toLowerCase()] ?? 0, Number(m[1])],
  ],
  [
    new RegExp(`\\b(${MONTH})\\.?\\s+(\\d{1,2})(?:st|nd|rd|th)?\\s?,?\\s*(\\d{4})(?!\\d)`, 'gi'),
    (m) => [yearOf(m[3]), MONTHS[(m[1] ?? '').toLowerCase()] ?? 0, Number(m[2])],
  ],
  [
    // Both signs are the same and no part follows: "12/20-12/31" is a range, "02.04.12.34" part of a telephone number.
    new RegExp(
      `(?<![\\d.-]|(?<!\\d{5})/|${NO_DAY})(\\d{1,2})\\s?([./-])\\s?(\\d{1,2})\\s?\\2\\s?(${LONG_YEAR}|${SHORT_YEAR})(?!\\2\\d)`,
      'gi',
    ),
    (m, dayFirst) => {
      const [first, second] = [Number(m[1]), Number(m[3])];
      const swap = second > 12 || (!dayFirst && first <= 12);
      return [yearOf(m[4]), swap ? first : second, swap ? second : first];
    },
  ],
];

function yearOf(text: string | undefined): number {
  const value = Number(text);
  return (text ?? '').length === 2 ? (value > 70 ? 1900 : 2000) + value : value;
}

/** The first date in a text, as printed and as ISO. `dayFirst` decides on 03/04/2026. Undefined if there is none. */
export function findDate(text: string, dayFirst = true): { printed: string; iso: string } | undefined {
  let best: { printed: string; iso: string; index: number } | undefined;
  for (const [pattern, order] of DATE_FORMS) {
    for (const match of text.matchAll(pattern)) {
      if (best !== undefined && best.index <= match.index) break;
      const iso = isoOf(order(match, dayFirst));
      if (iso === undefined) continue;
      best = { printed: match[0].trim(), iso, index: match.index };
      break;
    }
  }
  return best;
}

/** A day of the calendar between 1900 and 2199 as ISO; undefined for others. */
function isoOf([year, month, day]: [number, number, number]): string | undefined {
  const date = new Date(Date.UTC(year, month - 1, day));
  const isDay = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return year < 1900 || year > 2199 || !isDay ? undefined : date.toISOString().slice(0, 10);
}

const ISO_DAY = z.iso.date();

/** Whether a text is a day of the calendar in the form `2026-12-01`. */
export function isIsoDay(text: string): boolean {
  return ISO_DAY.safeParse(text).success;
}

/** 2026-04-02 → 2 April 2026; other texts stay as they are, since an automation may call anything a date. */
export function readableDay(iso: string | undefined): string {
  if (iso === undefined || !isIsoDay(iso)) return iso ?? '';
  return LONG_DAY.format(new Date(`${iso}T00:00:00Z`));
}

const LONG_DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
