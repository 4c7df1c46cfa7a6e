import { outboundFetch } from '../../kernel/resources/outbound-http/outbound-fetch.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { BOOKINGS_CHANGED } from './booking-notices.server.ts';
import { type BookingRecord, bookingOf } from './booking-store.server.ts';
import { readBusyTimes } from './busy-times.server.ts';
import { bookingEntry, entryUid } from './calendar-entry.server.ts';
import type { BusySpan, BusyTimes } from './free-times.server.ts';

/** Seconds between two reads of the calendar, and between two attempts to write to it. */
const READ_SECONDS = 120;
const WRITE_SECONDS = 60;
const DAY_MS = 24 * 3_600_000;
/** Bookings are possible for thirty days, and a copy of the calendar is valid for a day. */
const AHEAD_MS = 32 * DAY_MS;
const STALE_MS = DAY_MS;
const PATIENCE_MS = 30_000;
const MOST_BYTES = 20_000_000;
const AT_ONCE = 20;
const GONE = [404, 410];

type Parts = Pick<Resources, 'database' | 'jobs' | 'settings' | 'siteUrl' | 'outbound' | 'log'>;

/** The calendar's address, and how to sign in there. */
interface CalendarAccess {
  readonly url: string;
  readonly headers: Record<string, string>;
  /**
   * True for a CalDAV collection (RFC 4791), to which bookings are written too; false for an iCalendar file,
   * which is only read.
   */
  readonly collection: boolean;
  readonly fetch: typeof fetch;
}

/**
 * The agency's calendar in BOOKING_CALENDAR: its busy times, read every two minutes and stored, and the
 * bookings written to it. Without the setting, no time is busy. When the calendar has never been read, or not
 * for a day, every time counts as busy, so that nobody is promised a time that may be taken. Open it before
 * `jobs.start`.
 */
export function openAgencyCalendar(parts: Parts): BusyTimes {
  const access = accessOf(parts);
  if (access === null) return async () => [];
  let read: { readonly at: number; readonly busy: readonly BusySpan[] } | null = null;
  let reading: Promise<void> | null = null;
  const refresh = async (): Promise<void> => {
    const at = Date.now();
    const span = { from: new Date(at - DAY_MS), until: new Date(at + AHEAD_MS) };
    try {
      read = { at, busy: await readCalendar(parts, access, span) };
    } catch (error) {
      parts.log.warn(
        { err: error, since: read?.at ?? null },
        'the calendar of BOOKING_CALENDAR cannot be read',
      );
    }
  };
  const once = (): Promise<void> => {
    reading ??= refresh().finally(() => {
      reading = null;
    });
    return reading;
  };
  parts.jobs.every('busy times of the agency calendar', READ_SECONDS, once);
  if (access.collection)
    parts.jobs.every(
      'bookings in the agency calendar',
      WRITE_SECONDS,
      () => writeBookings(parts, access),
      BOOKINGS_CHANGED,
    );
  return async (from, until) => {
    if (read === null) await once();
    if (read === null || read.at < Date.now() - STALE_MS)
      return [{ from, until: new Date(until.getTime() + DAY_MS) }];
    return read.busy;
  };
}

function accessOf({ settings, outbound }: Parts): CalendarAccess | null {
  if (settings.BOOKING_CALENDAR === '') return null;
  const address = new URL(settings.BOOKING_CALENDAR);
  const login = [address.username, address.password].map(decodeURIComponent).join(':');
  address.username = '';
  address.password = '';
  return {
    url: address.href,
    headers: login === ':' ? {} : { authorization: `Basic ${Buffer.from(login).toString('base64')}` },
    collection: address.pathname.endsWith('/'),
    fetch: boundedFetch(outboundFetch(outbound)),
  };
}

/** A calendar server that never ends its reply would otherwise keep the last copy in use for ever. */
function boundedFetch(send: typeof fetch): typeof fetch {
  return async (input, init) => {
    const reply = await send(input, { ...init, signal: AbortSignal.timeout(PATIENCE_MS) });
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of reply.body ?? []) {
      size += chunk.length;
      if (size > MOST_BYTES) throw new Error('The calendar is larger than 20 MB.');
      chunks.push(chunk);
    }
    const body = chunks.length === 0 ? null : Buffer.concat(chunks);
    return new Response(body, { status: reply.status, headers: reply.headers });
  };
}

async function readCalendar(parts: Parts, access: CalendarAccess, span: BusySpan): Promise<BusySpan[]> {
  const { url, headers, fetch } = access;
  const host = new URL(parts.siteUrl).hostname;
  const isOwn = (uid: string) => uid.startsWith('booking-') && uid.endsWith(`@${host}`);
  const texts: string[] = [];
  if (access.collection) {
    const timeRange = { start: span.from.toISOString(), end: span.until.toISOString() };
    const { fetchCalendarObjects } = await import('tsdav');
    const objects = await fetchCalendarObjects({
      calendar: { url },
      timeRange,
      headers,
      fetch,
      useMultiGet: false,
    });
    texts.push(...objects.map(({ data }) => String(data ?? '')).filter((text) => text !== ''));
  } else {
    const reply = await fetch(url, { headers });
    if (!reply.ok) throw new Error(`The calendar answered ${reply.status}.`);
    texts.push(await reply.text());
  }
  return texts.flatMap((text) => readBusyTimes(text, span, parts.settings.TIME_ZONE, isOwn));
}

/**
 * Writes what has changed since the last time. A failed write is retried, because each entry has its own
 * address.
 */
async function writeBookings(parts: Parts, access: CalendarAccess): Promise<void> {
  const { database, log } = parts;
  const rows = await database.many(
    `select id, starts_at, minutes, name, phone, email, state, changes, service, zone, language, source
       from northline_app.bookings
      where told_calendar is distinct from changes and not demo and starts_at > now() - interval '1 day'
      order by starts_at limit $1`,
    [AT_ONCE],
  );
  for (const booking of rows.map(bookingOf)) {
    try {
      await writeEntry(parts, access, booking);
      await database.run(
        'update northline_app.bookings set told_calendar = $2 where id = $1 and changes = $2',
        [booking.id, booking.changes],
      );
    } catch (error) {
      log.warn({ err: error, booking: booking.id }, 'a booking could not be written into BOOKING_CALENDAR');
    }
  }
}

async function writeEntry(
  { settings, siteUrl }: Parts,
  { url, headers, fetch }: CalendarAccess,
  booking: BookingRecord,
): Promise<void> {
  const host = new URL(siteUrl).hostname;
  const place = new URL(`${encodeURIComponent(entryUid(booking.id, host))}.ics`, url).href;
  const data = bookingEntry(
    booking,
    { brand: settings.BRAND, organiser: settings.CONTACT_EMAIL, host },
    null,
  );
  const { deleteCalendarObject, updateCalendarObject } = await import('tsdav');
  const { ok, status } =
    booking.state === 'cancelled'
      ? await deleteCalendarObject({ calendarObject: { url: place }, headers, fetch })
      : await updateCalendarObject({ calendarObject: { url: place, data }, headers, fetch });
  if (!ok && !(booking.state === 'cancelled' && GONE.includes(status)))
    throw new Error(`The calendar answered ${status}.`);
}
