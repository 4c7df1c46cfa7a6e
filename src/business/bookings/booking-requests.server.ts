import type { Language } from '../../kernel/contract/languages.ts';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { Queries } from '../../kernel/resources/database/database.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { PROOF_PATH, proofQuery } from './booking-link.server.ts';
import { BOOKING_MAILS } from './booking-mails.server.ts';
import { type BookingStore, holdTimes } from './booking-store.server.ts';
import { writeTime } from './zoned-time.server.ts';

/** How long a time is held for a visitor who has to open the mail, minutes. */
export const PROOF_MINUTES = 15;
/** Hours for which the link of that mail works. */
const LINK_HOURS = 24;
const SWEEP_SECONDS = 600;
/** Mails in 24 hours to an address that has proven nothing, and such mails in an hour to everybody. */
const UNPROVEN_TO_ONE = 3;
const UNPROVEN_TO_ALL = 200;
/** Calls to come that one address may have booked on the page. */
const COMING_OF_ONE = 5;

/** What a visitor asks for. */
export interface AskedBooking {
  readonly start: Date;
  readonly minutes: number;
  readonly service: string | null;
  readonly name: string;
  readonly phone: string;
  readonly email: string;
  readonly zone: string;
  readonly language: Language;
}

/** The state of what a visitor asked for. */
export interface BookingRequest extends AskedBooking {
  readonly id: string;
  readonly createdAt: Date;
  /** The booking that it became; null while the address is not proven. */
  readonly bookingId: string | null;
  /** Until when the time is held; null when it is not. */
  readonly heldUntil: Date | null;
}

/** What visitors ask for, until they have proven their address. */
export interface BookingRequests {
  /**
   * Holds the time and mails a link to the address. Returns the id; null when somebody else has the time.
   *
   * @throws ServiceError 429 `too_many_bookings`
   */
  ask(asked: AskedBooking): Promise<string | null>;
  /** The request; null when it is older than a day. */
  get(id: string): Promise<BookingRequest | null>;
  /**
   * Books what was asked for, once. Returns the booking's id; null when somebody else has the time.
   *
   * @throws ServiceError 429 `too_many_bookings`
   */
  prove(id: string): Promise<string | null>;
}

type Parts = Pick<Resources, 'database' | 'mailer' | 'settings' | 'site' | 'siteUrl' | 'keys' | 'jobs'>;

const holderOf = (id: string): string => `request ${id}`;
const HELD = { heldMinutes: PROOF_MINUTES };

/** Opens the requests and their sweep; before `jobs.start`. */
export function openBookingRequests(parts: Parts, bookings: BookingStore): BookingRequests {
  const { database, jobs } = parts;
  jobs.every('old requests for bookings', SWEEP_SECONDS, async () => {
    await database.run(
      'delete from private.booking_requests where created_at < now() - make_interval(hours => $1)',
      [LINK_HOURS],
    );
  });
  return {
    ask: (asked) =>
      database.transaction(async (queries) => {
        await limitMails(queries, asked.email);
        const { id } = await queries.one(
          `insert into private.booking_requests (starts_at, minutes, service, name, phone, email, zone, language)
           values ($1, $2, $3, $4, $5, $6, $7, $8) returning id`,
          [
            asked.start,
            asked.minutes,
            asked.service,
            asked.name,
            asked.phone,
            asked.email,
            asked.zone,
            asked.language,
          ],
        );
        // An address holds one time at most, so that nobody blocks a week with one.
        await queries.run(
          `delete from private.booking_holds h using private.booking_requests r
            where lower(r.email) = lower($1) and h.holder = 'request ' || r.id::text`,
          [asked.email],
        );
        const held = await holdTimes(queries, holderOf(id), [asked.start], {
          minutes: asked.minutes,
          ...HELD,
        });
        if (held.length === 0) {
          await queries.run('delete from private.booking_requests where id = $1', [id]);
          return null;
        }
        await parts.mailer.send(queries, proofMail(parts, id, asked));
        return id;
      }),
    get: (id) => findRequest(database, id),
    async prove(id) {
      const request = await findRequest(database, id);
      if (request === null) return null;
      if (request.bookingId !== null) return request.bookingId;
      // Hours and calendar may have changed since; the notice counts from the moment of the request.
      const { start, minutes, createdAt: askedAt } = request;
      const span = { from: start, until: start, minutes, askedAt };
      const free = await bookings.freeTimes(holderOf(id), span, 1);
      if (free.length === 0 || start <= new Date()) return null;
      return database.transaction((queries) => bookRequest(queries, request));
    },
  };
}

/** @throws ServiceError 429 `too_many_bookings` */
async function limitMails(queries: Queries, email: string): Promise<void> {
  // Requests of one address are counted one after another.
  await queries.run(`select pg_advisory_xact_lock(hashtextextended('booking requests ' || lower($1), 0))`, [
    email,
  ]);
  const { same, all } = await queries.one(
    `select count(*) filter (where lower(email) = lower($1)) as same,
            count(*) filter (where created_at > now() - interval '1 hour') as all
       from private.booking_requests where booking_id is null and created_at > now() - make_interval(hours => $2)`,
    [email, LINK_HOURS],
  );
  if (Number(same) >= UNPROVEN_TO_ONE || Number(all) >= UNPROVEN_TO_ALL) throw tooMany();
}

/** A visitor who asked too often. */
export const tooMany = (): ServiceError =>
  new ServiceError(429, 'too_many_bookings', 'Too many calls were asked for. Please try again later.');

async function bookRequest(queries: Queries, request: BookingRequest): Promise<string | null> {
  const { id, start, minutes, service, name, phone, email, zone, language } = request;
  const row = await queries.maybe(
    'select booking_id from private.booking_requests where id = $1 for update',
    [id],
  );
  if (row === undefined) return null;
  if (row.booking_id !== null) return row.booking_id;
  await queries.run(`select pg_advisory_xact_lock(hashtextextended('booking requests ' || lower($1), 0))`, [
    email,
  ]);
  const { coming } = await queries.one(
    `select count(*) as coming from northline_app.bookings
      where lower(email) = lower($1) and state = 'booked' and source = 'page' and starts_at > now()`,
    [email],
  );
  if (Number(coming) >= COMING_OF_ONE) throw tooMany();
  if ((await holdTimes(queries, holderOf(id), [start], { minutes, ...HELD })).length === 0) return null;
  const booking = await queries.maybe(
    `insert into northline_app.bookings
       (starts_at, minutes, name, phone, email, confirmed_by, service, zone, language, source)
     values ($1, $2, $3, $4, $5, 'mail', $6, $7, $8, 'page')
     on conflict (starts_at) where state = 'booked' and not demo do nothing returning id`,
    [start, minutes, name, phone, email, service, zone, language],
  );
  if (booking === undefined) return null;
  await queries.run('update private.booking_requests set booking_id = $2 where id = $1', [id, booking.id]);
  await queries.run('delete from private.booking_holds where holder = $1', [holderOf(id)]);
  return booking.id;
}

async function findRequest(queries: Queries, id: string): Promise<BookingRequest | null> {
  const row = await queries.maybe(
    `select r.id, r.starts_at, r.minutes, r.service, r.name, r.phone, r.email, r.zone, r.language, r.created_at,
            r.booking_id, h.until as held_until
       from private.booking_requests r
       left join private.booking_holds h on h.holder = 'request ' || r.id::text and h.until > now()
      where r.id = $1 and r.created_at > now() - make_interval(hours => $2)`,
    [id, LINK_HOURS],
  );
  if (row === undefined) return null;
  const { minutes, service, name, phone, email, zone } = row;
  return {
    ...{ id, minutes, service, name, phone, email, zone },
    start: row.starts_at,
    language: row.language === 'de' ? 'de' : 'en',
    createdAt: row.created_at,
    bookingId: row.booking_id,
    heldUntil: row.held_until,
  };
}

/** The mail contains no word of the visitor's, because the address may be somebody else's. */
function proofMail(parts: Parts, id: string, { start, minutes, zone, language, email }: AskedBooking) {
  return {
    to: email,
    replyTo: parts.settings.CONTACT_EMAIL,
    // The page says that it was sent, to the person who has just asked for it.
    purpose: 'account' as const,
    ...BOOKING_MAILS.mail(parts, language, 'proof', {
      when: writeTime(start, zone, language),
      minutes: String(minutes),
      held: String(PROOF_MINUTES),
      href: `${parts.siteUrl}${PROOF_PATH}?${proofQuery(parts.keys, id)}`,
    }),
  };
}
