import type { Queries } from '../../kernel/resources/database/database.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { SLOT_MINUTES, slotsBetween, type WeeklyHours } from './weekly-hours.server.ts';

const MINUTE_MS = 60_000;

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
