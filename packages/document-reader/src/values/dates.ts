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

const DATE_FORMS: readonly [
  RegExp,
  (match: RegExpExecArray, dayFirst: boolean) => [number, number, number],
][] = [
  [/\b(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})\b/, (m) => [Number(m[1]), Number(m[2]), Number(m[3])]],
  [
    new RegExp(
      `\\b(\\d{1,2})(?:st|nd|rd|th|er|\\.)?\\s*(?:day of\\s+|of\\s+|de\\s+|di\\s+|[-/.])?(${MONTH})\\.?,?(?:\\s+del?\\s+|\\s*[-/.,]?\\s*)(\\d{4}|\\d{2})(?![\\d:])`,
      'i',
    ),
    (m) => [year(m[3]), MONTHS[(m[2] ?? '').toLowerCase()] ?? 0, Number(m[1])],
  ],
  [
    new RegExp(`\\b(${MONTH})\\.?\\s+(\\d{1,2})(?:st|nd|rd|th)?\\s?,?\\s*(\\d{4})(?!\\d)`, 'i'),
    (m) => [year(m[3]), MONTHS[(m[1] ?? '').toLowerCase()] ?? 0, Number(m[2])],
  ],
  [
    /(?<![\d./-])(\d{1,2})\s?[./-]\s?(\d{1,2})\s?[./-]\s?(\d{4}(?!\d(?!\d?:\d\d))|\d{2}(?!\d))/,
    (m, dayFirst) => {
      const [first, second] = [Number(m[1]), Number(m[2])];
      const swap = second > 12 || (!dayFirst && first <= 12);
      return [year(m[3]), swap ? first : second, swap ? second : first];
    },
  ],
];

function year(text: string | undefined): number {
  const value = Number(text);
  return (text ?? '').length === 2 ? (value > 70 ? 1900 : 2000) + value : value;
}

/** The first date in a text, as printed and as ISO. `dayFirst` decides on 03/04/2026. Undefined if there is none. */
export function findDate(text: string, dayFirst = true): { printed: string; iso: string } | undefined {
  let best: { printed: string; iso: string; index: number } | undefined;
  for (const [pattern, order] of DATE_FORMS) {
    const match = pattern.exec(text);
    if (match === null || (best !== undefined && best.index <= match.index)) continue;
    const [y, m, d] = order(match, dayFirst);
    const date = new Date(Date.UTC(y, m - 1, d));
    if (y < 1900 || y > 2199 || date.getUTCMonth() !== m - 1 || date.getUTCDate() !== d) continue;
    best = { printed: match[0].trim(), iso: date.toISOString().slice(0, 10), index: match.index };
  }
  return best;
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
