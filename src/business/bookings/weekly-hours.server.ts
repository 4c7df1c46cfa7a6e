import { addDays, momentOf, type WallTime, wallTimeOf, weekdayOf } from './zoned-time.server.ts';

/** When colleagues take calls in a week: minutes of the day for each weekday, 0 is Sunday. */
export type WeeklyHours = ReadonlyMap<number, { readonly opens: number; readonly closes: number }>;

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const NAMES = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const SPAN = /^(\w{3})(?:-(\w{3}))? (\d{1,2}):(\d{2})-(\d{1,2}):(\d{2})$/;
const WEEK = 7;

/** Length of one call with a colleague, minutes. */
export const SLOT_MINUTES = 30;
/** Shortest time between booking and call, ms. */
const NOTICE_MS = 2 * 60 * 60 * 1000;

/**
 * Reads opening hours: `mon-fri 9:00-17:00, sat 10:00-12:00`.
 *
 * @returns null when the text has another form
 */
export function readWeeklyHours(text: string): WeeklyHours | null {
  const hours = new Map<number, { opens: number; closes: number }>();
  for (const part of text
    .toLowerCase()
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean)) {
    const found = SPAN.exec(part);
    const first = DAYS.indexOf(found?.[1] ?? '');
    const last = found?.[2] ? DAYS.indexOf(found[2]) : first;
    if (!found || first < 0 || last < 0) return null;
    const opens = Number(found[3]) * 60 + Number(found[4]);
    const closes = Number(found[5]) * 60 + Number(found[6]);
    if (opens >= closes || closes > 24 * 60) return null;
    for (let day = first; ; day = (day + 1) % WEEK) {
      hours.set(day, { opens, closes });
      if (day === last) break;
    }
  }
  return hours;
}

/** Whether colleagues take calls at a moment. @param zone IANA name of a time zone */
export function isOpenAt(hours: WeeklyHours, at: Date, zone: string): boolean {
  const wall = wallTimeOf(at, zone);
  const open = hours.get(weekdayOf(wall));
  const minute = wall.hour * 60 + wall.minute;
  return open !== undefined && minute >= open.opens && minute < open.closes;
}

/** Opening hours as an assistant says them: `Monday to Friday from 9:00 to 17:00`. */
export function sayWeeklyHours(hours: WeeklyHours): string {
  const groups: { first: number; last: number; span: string }[] = [];
  for (const day of [1, 2, 3, 4, 5, 6, 0]) {
    const open = hours.get(day);
    if (!open) continue;
    const span = `from ${clock(open.opens)} to ${clock(open.closes)}`;
    const before = groups.at(-1);
    if (before?.span === span && (before.last + 1) % WEEK === day) before.last = day;
    else groups.push({ first: day, last: day, span });
  }
  if (groups.length === 0) return 'by appointment';
  return groups
    .map(({ first, last, span }) => `${NAMES[first]}${first === last ? '' : ` to ${NAMES[last]}`} ${span}`)
    .join(' and ');
}

function clock(minutes: number): string {
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`;
}

/**
 * The times at which a call can be booked, including taken ones: every half hour, or one after another where
 * calls are shorter. An hour that the clocks skip gives no time twice.
 *
 * @param zone IANA name of the agency's time zone
 * @param span `minutes` is how long the call takes; half an hour when left out
 */
export function* slotsBetween(
  hours: WeeklyHours,
  zone: string,
  {
    from,
    until,
    minutes = SLOT_MINUTES,
  }: { readonly from: Date; readonly until: Date; readonly minutes?: number },
  now: Date,
): Generator<Date> {
  const step = Math.min(minutes, SLOT_MINUTES);
  let last = 0;
  const earliest = Math.max(from.getTime(), now.getTime() + NOTICE_MS);
  for (let day: WallTime = addDays(wallTimeOf(from, zone), 0); ; day = addDays(day, 1)) {
    if (momentOf(day, zone) > until) return;
    const open = hours.get(weekdayOf(day));
    if (!open) continue;
    for (let minute = open.opens; minute + minutes <= open.closes; minute += step) {
      const start = momentOf({ ...day, hour: Math.floor(minute / 60), minute: minute % 60 }, zone);
      if (start.getTime() < earliest || start > until || start.getTime() <= last) continue;
      last = start.getTime();
      yield start;
    }
  }
}
