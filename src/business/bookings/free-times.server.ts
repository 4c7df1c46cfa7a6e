import type { Queries } from '../../kernel/resources/database/database.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { type DaySpan, piecesOf, type WeeklyHours } from './weekly-hours.server.ts';
import { addDays, momentOf, type WallTime, wallTimeOf, weekdayOf } from './zoned-time.server.ts';

const MINUTE_MS = 60_000;
/** Length of one call with a colleague, minutes. */
export const SLOT_MINUTES = 30;
/** Shortest time between booking and call, ms. */
const NOTICE_MS = 2 * 60 * 60 * 1000;

/** A span of time that is not free. */
export interface BusySpan {
  readonly from: Date;
  readonly until: Date;
}

/** Where a time for a call is looked for. */
export interface WantedSpan extends BusySpan {
  /** How long the call takes; left out: half an hour. */
  readonly minutes?: number;
  /** When it was asked for, from which the shortest notice counts; left out: now. */
  readonly askedAt?: Date;
}

/** Busy times of a calendar besides the bookings; they may come from an older copy of it. */
export type BusyTimes = (from: Date, until: Date) => Promise<readonly BusySpan[]>;

/**
 * Free times, soonest first, at most `count`: within the weekly hours, not booked, not busy elsewhere, and not held by
 * another holder. The time of the booking for which `booking ID` holds is free for that holder.
 */
export async function findFreeTimes(
  {
    database,
    settings,
    hours,
    busy,
  }: Pick<Resources, 'database' | 'settings'> & { hours: WeeklyHours; busy: BusyTimes },
  holder: string,
  { from, until, minutes = SLOT_MINUTES, askedAt = new Date() }: WantedSpan,
  count: number,
): Promise<Date[]> {
  const elsewhere = await busy(from, until);
  const taken = [...(await takenSpans(database, holder, { from, until })), ...elsewhere];
  const free: Date[] = [];
  for (const slot of slotsBetween(hours, settings.TIME_ZONE, { from, until, minutes }, askedAt)) {
    if (free.length === count) break;
    if (!taken.some((span) => overlaps(span, slot, minutes))) free.push(slot);
  }
  return free;
}

const overlaps = ({ from, until }: BusySpan, slot: Date, minutes: number): boolean =>
  from.getTime() < slot.getTime() + minutes * MINUTE_MS && until > slot;

async function takenSpans(queries: Queries, holder: string, { from, until }: BusySpan): Promise<BusySpan[]> {
  const rows = await queries.many(
    `select starts_at /* not null */, minutes /* not null */ from northline_app.bookings
      where state = 'booked' and not demo and starts_at between $1::timestamptz - interval '8 hours' and $2::timestamptz + interval '8 hours'
        and 'booking ' || id::text <> $3
     union all
     select starts_at, minutes from private.booking_holds
      where holder <> $3 and until > now()
        and starts_at between $1::timestamptz - interval '8 hours' and $2::timestamptz + interval '8 hours'`,
    [from, until, holder],
  );
  return rows.map(({ starts_at, minutes }) => ({
    from: starts_at,
    until: new Date(starts_at.getTime() + minutes * MINUTE_MS),
  }));
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
  let last = 0;
  const earliest = Math.max(from.getTime(), now.getTime() + NOTICE_MS);
  for (let day: WallTime = addDays(wallTimeOf(from, zone), 0); ; day = addDays(day, 1)) {
    if (momentOf(day, zone) > until) return;
    const open = hours.get(weekdayOf(day));
    if (!open) continue;
    for (const start of startsOn(day, piecesOf(open), { zone, minutes })) {
      if (start.getTime() < earliest || start > until || start.getTime() <= last) continue;
      last = start.getTime();
      yield start;
    }
  }
}

/** Where calls of this length begin on a day. */
function startsOn(
  day: WallTime,
  pieces: readonly DaySpan[],
  { zone, minutes }: { zone: string; minutes: number },
): Date[] {
  const step = Math.min(minutes, SLOT_MINUTES);
  return pieces.flatMap(({ opens, closes }) => {
    const count = Math.max(0, Math.floor((closes - opens - minutes) / step) + 1);
    return Array.from({ length: count }, (_, at) => {
      const minute = opens + at * step;
      return momentOf({ ...day, hour: Math.floor(minute / 60), minute: minute % 60 }, zone);
    });
  });
}
