import { z } from 'zod';

const NO_MOMENT = 'must be a time as 2026-01-31T09:30:00.000Z';
const NO_DAY = 'must be a day as 2026-01-31';
/** Longer than any time that a program writes, and short enough for PostgreSQL to read. */
const LONGEST_MOMENT = 64;
/** PostgreSQL refuses the year 0 and offsets of 16 hours or more, though ISO 8601 allows them. */
const UNKNOWN_TO_POSTGRESQL = /^0000-|[+-](1[6-9]|2\d):\d\d$/;
/**
 * Earlier years are written in another form by PostgreSQL, and years after 9999 by JavaScript; neither reads
 * the other's form.
 */
const FIRST = Date.parse('0001-01-01T00:00:00Z');
const LAST = Date.parse('9999-12-31T23:59:59.999Z');

const isHeld = (at: number): boolean => at >= FIRST && at <= LAST;
const isMoment = (time: string): boolean =>
  time.length <= LONGEST_MOMENT && !UNKNOWN_TO_POSTGRESQL.test(time) && isHeld(Date.parse(time));

/**
 * A point in time with its offset, which a statement can use unchanged: ISO 8601, in the years 1 to 9999
 * (UTC).
 */
export const moment = z.iso
  .datetime({ offset: true, error: NO_MOMENT })
  .refine(isMoment, { error: NO_MOMENT });

/** A point in time as in `moment`, written in UTC (`Z`). */
export const utcMoment = z.iso.datetime({ error: NO_MOMENT }).refine(isMoment, { error: NO_MOMENT });

/** A calendar day such as `2026-01-31`, in the years 1 to 9999. */
export const calendarDay = z.iso
  .date({ error: NO_DAY })
  .refine((day) => isHeld(Date.parse(day)), { error: NO_DAY });

const DAY_LENGTH = '2026-01-31'.length;

/** A point in time, or a calendar day, which stands for its midnight in UTC. */
export const momentOrDay = z
  .union([z.iso.date(), moment], {
    error: 'must be a time as 2026-01-31T09:30:00.000Z, or a day as 2026-01-31',
  })
  .transform((given) => (given.length === DAY_LENGTH ? `${given}T00:00:00.000Z` : given))
  .pipe(moment);
