import { isIsoDay } from '../values/dates.ts';
import { findDuration } from '../values/durations.ts';

/**
 * The last day for a notice: the end less the period. Working days depend on a calendar of holidays and give nothing; a
 * month has its last day where the day of the end is missing in it.
 *
 * @param end ISO date
 * @param period as printed: `two months`, `90 days`, `drei Monaten`
 * @returns ISO date; undefined where the period cannot be reckoned
 */
export function noticeDay(end: string, period: string): string | undefined {
  const found = findDuration(period);
  if (found === undefined || found.working || !isIsoDay(end)) return undefined;
  const { count, unit } = found;
  const day = new Date(`${end}T00:00:00Z`);
  if (unit === 'day' || unit === 'week') day.setUTCDate(day.getUTCDate() - count * (unit === 'week' ? 7 : 1));
  else back(day, unit === 'year' ? 12 * count : count);
  const notice = day.toISOString().slice(0, 10);
  // A period that is longer than the calendar has years.
  return isIsoDay(notice) ? notice : undefined;
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
