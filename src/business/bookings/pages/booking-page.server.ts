import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { calendarDay, utcMoment } from '../../../kernel/contract/times.ts';
import type { HttpContext } from '../../../kernel/http/http-context.ts';
import { languageOfAddress } from '../../../kernel/resources/mailer/mail-language.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import { BOOKING_ENTRY_PATH, BOOKING_PATH, bookingQuery, readBookingLink } from '../booking-link.server.ts';
import { BOOKING_MAILS } from '../booking-mails.server.ts';
import type { BookingRecord, BookingStore } from '../booking-store.server.ts';
import { bookingEntry } from '../calendar-entry.server.ts';
import { bookingHeaders } from './booking-layout.server.ts';
import { type BookingPageParts, bookingPage } from './booking-page-view.server.ts';

/** Limits for each address, for viewing and for changing bookings. */
const LOOKS = { name: 'booking-look', count: 60, seconds: 60 };
const CHANGES = { name: 'booking-change', count: 10, seconds: 60 };
/** How often a booking can be changed by its link, so that nobody uses it to send mails. */
const MOST_CHANGES = 10;
const HORIZON_MS = 30 * 24 * 3_600_000;
const OFFERED = 3000;
const FORM_BYTES = 4096;
const QUERY = z.object({
  b: z.string().max(80),
  day: calendarDay.optional().catch(undefined),
  month: z
    .string()
    .regex(/^20\d\d-(0[1-9]|1[0-2])$/)
    .optional()
    .catch(undefined),
});
const FORM = z.discriminatedUnion('do', [
  z.object({ do: z.literal('move'), changes: z.coerce.number().int(), start: utcMoment }),
  z.object({ do: z.literal('cancel'), changes: z.coerce.number().int() }),
]);

const ENTRY_HEADERS = {
  'content-disposition': 'attachment; filename="booking.ics"',
  'cache-control': 'no-store',
  'x-robots-tag': 'noindex',
};

type Notice = BookingPageParts['notice'];

const mayChange = (booking: BookingRecord): boolean =>
  booking.state === 'booked' && booking.start > new Date() && booking.changes < MOST_CHANGES;
const holderOf = ({ id }: BookingRecord): string => `booking ${id}`;

/**
 * `/booking?b=…`, the page of one booking: `GET` shows it, `POST` of its forms moves or cancels it, without
 * an account and without scripts. The signed link in the confirmation is the proof, and it works for that
 * booking only. `/booking.ics?b=…` is its calendar entry.
 */
export function mountBookingPage(http: HttpContext, resources: Resources, bookings: BookingStore): void {
  const { keys } = resources;
  const bookingOf = async (request: FastifyRequest): Promise<BookingRecord | null> => {
    await http.rateLimiter.take(LOOKS, http.addressOf(request));
    const query = QUERY.safeParse(request.query);
    const id = query.success ? readBookingLink(keys, query.data.b) : undefined;
    return id === undefined ? null : bookings.get(id);
  };
  const show = async (reply: FastifyReply, status: number, booking: BookingRecord | null, notice: Notice) =>
    reply
      .code(status)
      .headers(bookingHeaders({ isPublic: false }))
      .send(bookingPage(await partsOf(resources, bookings, { booking, notice, query: reply.request.query })));

  http.server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'string', bodyLimit: FORM_BYTES }, (_request, body, done) =>
      done(null, body),
    );
    scope.get(BOOKING_PATH, async (request, reply) => {
      const booking = await bookingOf(request);
      return show(reply, booking === null ? 404 : 200, booking, null);
    });
    scope.post(BOOKING_PATH, async (request, reply) => {
      const booking = await bookingOf(request);
      if (booking === null) return show(reply, 404, null, null);
      await http.rateLimiter.take(CHANGES, http.addressOf(request));
      const form = FORM.safeParse(Object.fromEntries(new URLSearchParams(String(request.body ?? ''))));
      if (!form.success) return show(reply, 400, booking, 'incomplete');
      const notice = mayChange(booking) ? await change(bookings, booking, form.data) : 'changed';
      if (notice !== null) return show(reply, 409, await bookings.get(booking.id), notice);
      // A redirect, so that reloading the page does not send the form again.
      return reply.redirect(`${BOOKING_PATH}?${bookingQuery(keys, booking.id)}`, 303);
    });
    scope.get(BOOKING_ENTRY_PATH, async (request, reply) => {
      const booking = await bookingOf(request);
      if (booking === null) return show(reply, 404, null, null);
      return reply
        .type('text/calendar; charset=utf-8')
        .headers(ENTRY_HEADERS)
        .send(await entryOf(resources, booking));
    });
  });
}

async function partsOf(
  agency: Resources,
  bookings: BookingStore,
  { booking, notice, query }: { booking: BookingRecord | null; notice: Notice; query: unknown },
): Promise<BookingPageParts> {
  const { settings, keys, database } = agency;
  const changeable = booking !== null && mayChange(booking);
  const span = { from: new Date(), until: new Date(Date.now() + HORIZON_MS) };
  const { day, month } = QUERY.safeParse(query).data ?? {};
  const free = changeable
    ? await bookings.freeTimes(holderOf(booking), { ...span, minutes: booking.minutes }, OFFERED)
    : [];
  return {
    agency,
    contact: settings.CONTACT_EMAIL,
    language: booking?.language ?? (booking?.email ? await languageOfAddress(database, booking.email) : 'en'),
    zone: booking?.zone ?? settings.TIME_ZONE,
    booking,
    changeable,
    free: free.filter((start) => start.getTime() !== booking?.start.getTime()),
    until: span.until,
    day,
    month,
    query: booking === null ? '' : bookingQuery(keys, booking.id),
    notice,
  };
}

async function change(
  bookings: BookingStore,
  booking: BookingRecord,
  form: z.output<typeof FORM>,
): Promise<Notice> {
  const wanted = { id: booking.id, by: 'link' as const, changes: form.changes };
  if (form.do === 'cancel') return (await bookings.cancel(wanted)) ? null : 'changed';
  const start = new Date(form.start);
  const [free] = await bookings.freeTimes(
    holderOf(booking),
    { from: start, until: start, minutes: booking.minutes },
    1,
  );
  if (free === undefined) return 'taken';
  const outcome = await bookings.move(holderOf(booking), wanted, start);
  if (outcome === 'moved') return null;
  return outcome === 'taken' ? 'taken' : 'changed';
}

async function entryOf(resources: Resources, booking: BookingRecord): Promise<string> {
  const { settings, keys, siteUrl, database } = resources;
  const link = `${siteUrl}${BOOKING_PATH}?${bookingQuery(keys, booking.id)}`;
  const language = booking.language ?? (await languageOfAddress(database, booking.email ?? ''));
  return bookingEntry(
    booking,
    {
      brand: settings.BRAND,
      organiser: settings.CONTACT_EMAIL,
      host: new URL(siteUrl).hostname,
      own: { link, ...BOOKING_MAILS.notice(resources, language, 'calendar', { href: link }) },
    },
    booking.state === 'cancelled' ? 'CANCEL' : 'REQUEST',
  );
}
