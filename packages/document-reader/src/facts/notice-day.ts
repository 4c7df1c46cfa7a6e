import { isIsoDay } from '../values/dates.ts';
import { findDuration } from '../values/durations.ts';

/**
 * The last day for a notice: the end minus the period. Periods in working days give undefined, as they depend on public
 * holidays. If a month is too short for the day, its last day counts.
 *
 * @param end ISO date
 * @param period as printed: `two months`, `90 days`, `drei Monaten`
 * @returns ISO date; undefined if the day cannot be calculated
 */
export function noticeDay(end: string, period: string): string | undefined {
  const found = findDuration(period);
  if (found === undefined || found.working || !isIsoDay(end)) return undefined;
  const { count, unit } = found;
  const day = new Date(`${end}T00:00:00Z`);
  if (unit === 'day' || unit === 'week') day.setUTCDate(day.getUTCDate() - count * (unit === 'week' ? 7 : 1));
  else back(day, unit === 'year' ? 12 * count : count);
  const notice = day.toISOString().slice(0, 10);
  // A very long period leads to a year before year 1.
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
