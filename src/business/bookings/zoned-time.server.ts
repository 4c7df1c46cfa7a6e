import type { Language } from '../../kernel/contract/languages.ts';

/** A local time, as clocks at a place show it: months 1 to 12, weekdays 0 (Sunday) to 6. */
export interface WallTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
}

const MINUTE_MS = 60_000;

/**
 * Creating a formatter costs a hundred times as much as using it, and a month of free times needs some
 * thousand uses.
 */
const clocks = new Map<string, Intl.DateTimeFormat>();

function clockOf(zone: string): Intl.DateTimeFormat {
  const clock =
    clocks.get(zone) ??
    new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      hourCycle: 'h23',
    });
  clocks.set(zone, clock);
  return clock;
}

/**
 * The local time in a time zone.
 *
 * @param zone IANA name, e.g. `Europe/London`
 */
export function wallTimeOf(at: Date, zone: string): WallTime {
  const parts = clockOf(zone).formatToParts(at);
  const of = (type: string) => Number(parts.find((part) => part.type === type)?.value);
  return { year: of('year'), month: of('month'), day: of('day'), hour: of('hour'), minute: of('minute') };
}

/** The moment at which clocks in the zone show this time; in a skipped hour, the moment after it. */
export function momentOf(wall: WallTime, zone: string): Date {
  const asUtc = Date.UTC(wall.year, wall.month - 1, wall.day, wall.hour, wall.minute);
  let guess = asUtc;
  // Twice, because the first correction may cross a change of the clocks.
  for (let pass = 0; pass < 2; pass++) {
    const shown = wallTimeOf(new Date(guess), zone);
    const off = Date.UTC(shown.year, shown.month - 1, shown.day, shown.hour, shown.minute) - asUtc;
    guess -= off;
  }
  return new Date(Math.round(guess / MINUTE_MS) * MINUTE_MS);
}

/** The same day some days later, at midnight. */
export function addDays(wall: WallTime, days: number): WallTime {
  const moved = new Date(Date.UTC(wall.year, wall.month - 1, wall.day + days));
  return {
    year: moved.getUTCFullYear(),
    month: moved.getUTCMonth() + 1,
    day: moved.getUTCDate(),
    hour: 0,
    minute: 0,
  };
}

/** 0 (Sunday) to 6. */
export function weekdayOf(wall: WallTime): number {
  return new Date(Date.UTC(wall.year, wall.month - 1, wall.day)).getUTCDay();
}

/** A time as an assistant says it: `Tuesday the 3rd of March at 15:30`. */
export function sayTime(at: Date, zone: string): string {
  const wall = wallTimeOf(at, zone);
  const name = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-GB', { timeZone: zone, ...options }).format(at);
  const hour = wall.hour % 12 === 0 ? 12 : wall.hour % 12;
  const minute = wall.minute === 0 ? '' : `:${String(wall.minute).padStart(2, '0')}`;
  const half = wall.hour < 12 ? 'in the morning' : wall.hour < 18 ? 'in the afternoon' : 'in the evening';
  return `${name({ weekday: 'long' })} the ${ordinal(wall.day)} of ${name({ month: 'long' })} at ${hour}${minute} ${half}`;
}

const HOURS = 'twelve one two three four five six seven eight nine ten eleven'.split(' ');
const QUARTERS: Readonly<Record<number, string>> = { 0: '', 15: 'quarter past ', 30: 'half past ' };

/** The day of a time as an offer says it: `Tuesday the 3rd`. */
export function sayDay(at: Date, zone: string): string {
  const weekday = new Intl.DateTimeFormat('en-GB', { timeZone: zone, weekday: 'long' }).format(at);
  return `${weekday} the ${ordinal(wallTimeOf(at, zone).day)}`;
}

/** The time of day as an offer says it: `half past nine`, `10:20`. */
export function sayClock(at: Date, zone: string): string {
  const { hour, minute } = wallTimeOf(at, zone);
  const quarter = QUARTERS[minute];
  return quarter === undefined
    ? `${hour}:${String(minute).padStart(2, '0')}`
    : `${quarter}${HOURS[hour % 12]}`;
}

/** A time as mails write it: `Tuesday 3 March 2026, 15:30 GMT`; `Dienstag, 3. März 2026, 15:30 MEZ`. */
export function writeTime(at: Date, zone: string, language: Language = 'en'): string {
  const locale = language === 'de' ? 'de-DE' : 'en-GB';
  const day = new Intl.DateTimeFormat(locale, { timeZone: zone, dateStyle: 'full' }).format(at);
  const time = new Intl.DateTimeFormat(locale, {
    timeZone: zone,
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
  });
  return `${language === 'en' ? day.replace(',', '') : day}, ${time.format(at)}`;
}

function ordinal(day: number): string {
  const ending =
    day % 10 === 1 && day !== 11
      ? 'st'
      : day % 10 === 2 && day !== 12
        ? 'nd'
        : day % 10 === 3 && day !== 13
          ? 'rd'
          : 'th';
  return `${day}${ending}`;
}
