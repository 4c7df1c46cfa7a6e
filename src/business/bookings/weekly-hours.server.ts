import { wallTimeOf, weekdayOf } from './zoned-time.server.ts';

/** A span of a day in minutes. */
export interface DaySpan {
  readonly opens: number;
  readonly closes: number;
}

/** When colleagues take calls in a week, for each weekday, 0 is Sunday; `pauses` between opening and closing. */
export type WeeklyHours = ReadonlyMap<number, DaySpan & { readonly pauses?: readonly DaySpan[] }>;

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const NAMES = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const SPAN = /^(\w{3})(?:-(\w{3}))? (\d{1,2}):(\d{2})-(\d{1,2}):(\d{2})$/;
const WEEK = 7;

/**
 * Reads opening hours: `mon-fri 9:00-17:00, sat 10:00-12:00`. A day that is named again has a pause between its spans.
 *
 * @returns null when the text has another form
 */
export function readWeeklyHours(text: string): WeeklyHours | null {
  const spans = new Map<number, DaySpan[]>();
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
    for (const day of daysBetween(first, last))
      spans.set(day, [...(spans.get(day) ?? []), { opens, closes }]);
  }
  return new Map([...spans].map(([day, one]) => [day, withPauses(one)]));
}

/** The weekdays from one to another, over the end of the week where it comes first. */
const daysBetween = (first: number, last: number): number[] =>
  Array.from({ length: ((last - first + WEEK) % WEEK) + 1 }, (_, at) => (first + at) % WEEK);

/** One span from the first opening to the last closing, with the pauses between. */
function withPauses(spans: readonly DaySpan[]): DaySpan & { pauses?: readonly DaySpan[] } {
  const [first = { opens: 0, closes: 0 }, ...more] = spans.toSorted((one, other) => one.opens - other.opens);
  let { closes } = first;
  const pauses: DaySpan[] = [];
  for (const span of more) {
    if (span.opens > closes) pauses.push({ opens: closes, closes: span.opens });
    closes = Math.max(closes, span.closes);
  }
  return { opens: first.opens, closes, ...(pauses.length === 0 ? {} : { pauses }) };
}

/** The spans of a day between its pauses. */
export function piecesOf({
  opens,
  closes,
  pauses = [],
}: DaySpan & { pauses?: readonly DaySpan[] }): DaySpan[] {
  const begins = [opens, ...pauses.map((pause) => pause.closes)];
  const ends = [...pauses.map((pause) => pause.opens), closes];
  return begins.map((begin, at) => ({ opens: begin, closes: ends[at] ?? closes }));
}

/** Whether colleagues take calls at a moment. @param zone IANA name of a time zone */
export function isOpenAt(hours: WeeklyHours, at: Date, zone: string): boolean {
  const wall = wallTimeOf(at, zone);
  const open = hours.get(weekdayOf(wall));
  const minute = wall.hour * 60 + wall.minute;
  return open !== undefined && piecesOf(open).some(({ opens, closes }) => minute >= opens && minute < closes);
}

/** Opening hours as an assistant says them: `Monday to Friday from 9:00 to 17:00`. */
export function sayWeeklyHours(hours: WeeklyHours): string {
  const groups: { first: number; last: number; span: string }[] = [];
  for (const day of [1, 2, 3, 4, 5, 6, 0]) {
    const open = hours.get(day);
    if (!open) continue;
    const pieces = piecesOf(open).map(({ opens, closes }) => `from ${clock(opens)} to ${clock(closes)}`);
    const span = pieces.join(' and ');
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
