import { type Language, languageOf } from '../../kernel/contract/languages.ts';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { Database, Queries } from '../../kernel/resources/database/database.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { sameName, samePhone, textNumber } from './booking-identity.server.ts';
import { type BusyTimes, findFreeTimes, SLOT_MINUTES, type WantedSpan } from './free-times.server.ts';
import type { WeeklyHours } from './weekly-hours.server.ts';

/** Lengths of `northline_app.bookings`. */
export const LONGEST_NAME = 120;
export const LONGEST_PHONE = 40;
/** How long a time is held for a caller who is deciding, minutes; each turn of the call about it renews the hold. */
const HOLD_MINUTES = 5;
/** How many confirmations one address or number can get in a day, and how many text messages all together. */
const DAILY_TO_ONE = 3;
const DAILY_TEXTS = 60;

/** What changed a booking. */
export type BookingChanger = 'call' | 'link' | 'desk';

/** A booked call with a colleague. */
export interface Booking {
  readonly id: string;
  readonly start: Date;
  readonly name: string;
  readonly phone: string;
}

/** A booking with its current state. */
export interface BookingRecord extends Booking {
  readonly email: string | null;
  readonly minutes: number;
  readonly state: 'booked' | 'cancelled';
  /** How often it was moved or cancelled. */
  readonly changes: number;
  /** The name of the service when it was booked; null: none was named. */
  readonly service: string | null;
  /** IANA name of the time zone in which the person reads times; null: the agency's. */
  readonly zone: string | null;
  /** The language in which the person booked; null: that of the account. */
  readonly language: Language | null;
  readonly source: 'call' | 'page';
}

/** What is booked, and what is free. A holder is a call, or the link of a booking. */
export interface BookingStore {
  /**
   * Free times, soonest first, at most `count`; times held by other holders are not free.
   */
  freeTimes(holder: string, span: WantedSpan, count: number): Promise<Date[]>;
  /**
   * Holds exactly these times for some minutes and releases all others of this holder. @returns the times
   * that nobody else had
   */
  hold(holder: string, starts: readonly Date[]): Promise<Date[]>;
  /**
   * Books a time. @returns null when somebody else has it; `confirmedBy` says how the confirmation is sent
   * without further action
   */
  book(
    holder: string,
    booking: Omit<Booking, 'id'>,
    /** Null for one that was not made in a call. */
    callId: string | null,
  ): Promise<{ readonly id: string; readonly confirmedBy: 'text' | null } | null>;
  /** Sends the confirmation to this address. @throws ServiceError 429 `too_many_confirmations` */
  confirmTo(id: string, email: string): Promise<void>;
  /**
   * Moves a booking. @returns `taken` when somebody else has the time, `gone` when the booking is no longer
   * at the state `changes`
   */
  move(holder: string, change: BookingChange, start: Date): Promise<'moved' | 'taken' | 'gone'>;
  /**
   * Cancels the booking for good: a cancelled booking never changes again.
   * @trigger northline_app.bookings cancelled_stay
   * @returns false when the booking is no longer at the state `changes`
   */
  cancel(change: BookingChange): Promise<boolean>;
  /** The next booking with this name and number. */
  find(name: string, phone: string): Promise<Booking | null>;
  get(id: string): Promise<BookingRecord | null>;
}

/** The booking to change, who changes it, and at which state (`changes` left out: any). */
export interface BookingChange {
  readonly id: string;
  readonly by: BookingChanger;
  readonly changes?: number;
}

/**
 * Opens the bookings.
 *
 * @param hours when colleagues take calls
 * @param busy when colleagues are busy otherwise
 */
export function openBookings(
  { database, settings }: Pick<Resources, 'database' | 'settings'>,
  hours: () => WeeklyHours,
  busy: BusyTimes,
): BookingStore {
  return {
    freeTimes: (holder, span, count) =>
      findFreeTimes({ database, settings, hours: hours(), busy }, holder, span, count),
    hold: (holder, starts) => holdTimes(database, holder, starts, HALF_HOUR),
    book: (holder, booking, callId) =>
      database.transaction(async (queries) => {
        const { start, name, phone } = booking;
        if ((await holdTimes(queries, holder, [start], HALF_HOUR)).length === 0) return null;
        const number = textNumber(settings, phone);
        const confirmedBy = number !== null && (await mayText(queries, phone)) ? 'text' : null;
        const row = await queries.maybe(
          `insert into northline_app.bookings (starts_at, minutes, name, phone, call_id, confirmed_by)
           values ($1, $2, $3, $4, $5, $6) on conflict (starts_at) where state = 'booked' and not demo do nothing returning id`,
          [
            start,
            SLOT_MINUTES,
            name.slice(0, LONGEST_NAME),
            phone.slice(0, LONGEST_PHONE),
            callId,
            confirmedBy,
          ],
        );
        return row ? { id: row.id, confirmedBy } : null;
      }),
    confirmTo: (id, email) => confirmTo(database, id, email),
    move: (holder, change, start) => moveBooking(database, holder, change, start),
    async cancel({ id, by, changes }) {
      const changed = await database.run(
        `update northline_app.bookings set state = 'cancelled', changes = changes + 1, changed_at = now(), changed_by = $2
          where id = $1 and state = 'booked' and starts_at > now() and changes = coalesce($3, changes)`,
        [id, by, changes ?? null],
      );
      return changed > 0;
    },
    find: (name, phone) => findBooking(database, name, phone),
    get: (id) => getBooking(database, id),
  };
}

/** How long the held call would take, and how long it is held. */
export interface HoldLength {
  readonly minutes: number;
  readonly heldMinutes: number;
}

const HALF_HOUR: HoldLength = { minutes: SLOT_MINUTES, heldMinutes: HOLD_MINUTES };

/** Holds exactly these times for a holder, as `BookingStore.hold` does. */
export async function holdTimes(
  queries: Queries,
  holder: string,
  starts: readonly Date[],
  { minutes, heldMinutes }: HoldLength,
): Promise<Date[]> {
  const rows = await queries.many(
    `select starts_at /* not null */
       from private.hold_booking_times($1, $2, $3, make_interval(mins => $4)) as starts_at`,
    [holder, starts.map((start) => start.toISOString()), minutes, heldMinutes],
  );
  return rows.map(({ starts_at }) => starts_at).sort((one, other) => one.getTime() - other.getTime());
}

/**
 * Text messages cost money and strangers give numbers, so the number a day is limited, for one number and for
 * all.
 */
async function mayText(queries: Queries, phone: string): Promise<boolean> {
  const { all, same } = await queries.one(
    `select count(*) as all, count(*) filter (where right(regexp_replace(phone, '\\D', '', 'g'), 9)
              = right(regexp_replace($1, '\\D', '', 'g'), 9)) as same
       from northline_app.bookings where confirmed_by = 'text' and created_at > now() - interval '24 hours'`,
    [phone],
  );
  return Number(all) < DAILY_TEXTS && Number(same) < DAILY_TO_ONE;
}

async function confirmTo(database: Database, id: string, email: string): Promise<void> {
  await database.transaction(async (queries) => {
    const { same } = await queries.one(
      `select count(*) as same from northline_app.bookings
        where lower(email) = lower($1) and id <> $2 and created_at > now() - interval '24 hours'`,
      [email, id],
    );
    if (Number(same) >= DAILY_TO_ONE) {
      throw new ServiceError(
        429,
        'too_many_confirmations',
        'No more confirmations go to that address today.',
      );
    }
    await queries.run(
      "update northline_app.bookings set email = $2, confirmed_by = 'mail' where id = $1 and state = 'booked'",
      [id, email],
    );
  });
}

async function moveBooking(
  database: Database,
  holder: string,
  { id, by, changes }: BookingChange,
  start: Date,
): Promise<'moved' | 'taken' | 'gone'> {
  return database.transaction(async (queries) => {
    const booking = await queries.maybe('select minutes from northline_app.bookings where id = $1', [id]);
    if (booking === undefined) return 'gone';
    // A holder can only book or move to a time that it holds, so the unique index never refuses one.
    const length = { minutes: booking.minutes, heldMinutes: HOLD_MINUTES };
    if ((await holdTimes(queries, holder, [start], length)).length === 0) return 'taken';
    const changed = await queries.run(
      `update northline_app.bookings set starts_at = $2, changes = changes + 1, changed_at = now(), changed_by = $3
        where id = $1 and state = 'booked' and starts_at > now() and changes = coalesce($4, changes)`,
      [id, start, by, changes ?? null],
    );
    if (changed === 0) return 'gone';
    await queries.run('delete from private.booking_holds where holder = $1 and starts_at = $2', [
      holder,
      start,
    ]);
    return 'moved';
  });
}

async function findBooking(queries: Queries, name: string, phone: string): Promise<Booking | null> {
  const rows = await queries.many(
    `select id, starts_at, name, phone from northline_app.bookings where state = 'booked' and starts_at > now()
        and right(regexp_replace(phone, '\\D', '', 'g'), 5) = right(regexp_replace($1, '\\D', '', 'g'), 5)
      order by starts_at limit 50`,
    [phone],
  );
  const row = rows.find((one) => samePhone(one.phone, phone) && sameName(one.name, name));
  return row ? { id: row.id, start: row.starts_at, name: row.name, phone: row.phone } : null;
}

async function getBooking(queries: Queries, id: string): Promise<BookingRecord | null> {
  const row = await queries.maybe(
    `select id, starts_at, minutes, name, phone, email, state, changes, service, zone, language, source
       from northline_app.bookings where id = $1`,
    [id],
  );
  return row ? bookingOf(row) : null;
}

/** A booking from its row in the database, without the row's other columns. */
export function bookingOf(
  row: Omit<BookingRecord, 'start' | 'state' | 'language' | 'source'> & {
    readonly starts_at: Date;
    readonly state: string;
    readonly language: string | null;
    readonly source: string;
  },
): BookingRecord {
  const { id, starts_at: start, minutes, name, phone, email, changes, service, zone } = row;
  return {
    id,
    start,
    minutes,
    name,
    phone,
    email,
    changes,
    service,
    zone,
    language: row.language === null ? null : languageOf(row.language),
    source: row.source === 'page' ? 'page' : 'call',
    state: row.state === 'cancelled' ? 'cancelled' : 'booked',
  };
}
