/** A format that is made when it is first used: each takes a slow telephone some 20 ms. */
export function formatOf(options: Intl.DateTimeFormatOptions): { format(at: Date): string } {
  let made: Intl.DateTimeFormat | undefined;
  return {
    format(at) {
      made ??= new Intl.DateTimeFormat('en-GB', options);
      return made.format(at);
    },
  };
}

const time = formatOf({ hour: '2-digit', minute: '2-digit' });
const preciseTime = formatOf({ timeStyle: 'medium' });
const day = formatOf({ day: 'numeric', month: 'long' });
const shortDay = formatOf({ day: 'numeric', month: 'short' });
const dayOfYear = formatOf({ day: 'numeric', month: 'long', year: 'numeric' });

/** `09:41`. */
export const formatTime = (at: Date): string => time.format(at);

/** `09:41:27`. */
export const formatPreciseTime = (at: Date): string => preciseTime.format(at);

/** `1 December 2026`. */
export const formatDate = (at: Date): string => dayOfYear.format(at);

/** Whether a text is a calendar day in the form `2026-12-01`; `2026-02-31` is not one. */
export function isIsoDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const at = new Date(`${text}T00:00:00Z`);
  // JavaScript reads a day that the month does not have as a day of the next month.
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
}

/** `2026-12-01` as `1 December 2026`; any other text unchanged. */
export const formatIsoDay = (text: string): string =>
  isIsoDay(text) ? formatDate(new Date(`${text}T12:00:00`)) : text;

/** `1 Dec`. */
export const formatShortDay = (at: Date): string => shortDay.format(at);

/** A moment as people say it: `today 09:36`, `yesterday`, `18 November`, `18 November 2025`. */
export function formatDay(at: Date, now: Date = new Date()): string {
  const name = formatDayName(at, now);
  return name === 'today' ? `today ${time.format(at)}` : name;
}

/** The same without a time: `today`, `yesterday`, `18 November`, `18 November 2025`. */
export function formatDayName(at: Date, now: Date = new Date()): string {
  if (at.toDateString() === now.toDateString()) return 'today';
  const yesterday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1);
  if (at.toDateString() === yesterday.toDateString()) return 'yesterday';
  return (at.getFullYear() === now.getFullYear() ? day : dayOfYear).format(at);
}
