const WORDS: Readonly<Record<string, number>> = {
  ...{
    one: 1,
    two: 2,
    three: 3,
    four: 4,
    five: 5,
    six: 6,
    seven: 7,
    twelve: 12,
    thirty: 30,
    sixty: 60,
    ninety: 90,
  },
};
const PERIOD = /^(?<count>\d{1,3}|\p{L}+)(?: \(\d+\))? (?:calendar )?(?<unit>day|week|month|year)s?$/iu;

/**
 * The last day for a notice: the end less the period. Working days depend on a calendar of holidays and give nothing; a
 * month has its last day where the day of the end is missing in it.
 *
 * @param end ISO date
 * @param period as printed: `two months`, `90 days`
 * @returns ISO date; undefined where the period cannot be reckoned
 */
export function noticeDay(end: string, period: string): string | undefined {
  const { count = '', unit = '' } = PERIOD.exec(period.trim())?.groups ?? {};
  const number = WORDS[count.toLowerCase()] ?? Number(count || Number.NaN);
  if (!Number.isInteger(number) || number < 1) return undefined;
  const day = new Date(`${end}T00:00:00Z`);
  if (Number.isNaN(day.getTime())) return undefined;
  if (unit === 'day' || unit === 'week')
    day.setUTCDate(day.getUTCDate() - number * (unit === 'week' ? 7 : 1));
  else back(day, unit === 'year' ? 12 * number : number);
  return day.toISOString().slice(0, 10);
}

/** Goes back whole months; the last day of a month stays the last. */
function back(day: Date, months: number): void {
  const date = day.getUTCDate();
  const isLast = daysOf(day.getUTCFullYear(), day.getUTCMonth()) === date;
  day.setUTCDate(1);
  day.setUTCMonth(day.getUTCMonth() - months);
  const days = daysOf(day.getUTCFullYear(), day.getUTCMonth());
  day.setUTCDate(isLast ? days : Math.min(date, days));
}

function daysOf(year: number, month: number): number {
  return new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
}
