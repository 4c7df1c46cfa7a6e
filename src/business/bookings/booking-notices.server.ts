import type { Settings } from '../../kernel/config/settings.ts';
import type { Queries } from '../../kernel/resources/database/database.ts';
import { type MailPart, mailBody } from '../../kernel/resources/mailer/mail-body.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { textNumber } from './booking-identity.server.ts';
import { BOOKING_PATH, bookingQuery } from './booking-link.server.ts';
import { type BookingRecord, bookingOf } from './booking-store.server.ts';
import { bookingEntry } from './calendar-entry.server.ts';
import { sayTime, writeTime } from './zoned-time.server.ts';

/** Seconds between two looks, should a notification be lost. */
const LOOK_SECONDS = 30;
/**
 * Notified when somebody has to be told of a booking.
 * @trigger public.bookings notify_waiting
 */
export const BOOKINGS_CHANGED = 'bookings_changed';
const AT_ONCE = 50;
const TEXT = 'booking.text';
const TEXT_POLICY = { retries: 5, retryDelaySeconds: 15, timeoutSeconds: 60, concurrency: 1 };
const SWEEP_SECONDS = 60;

type Told = 'booked' | 'moved' | 'cancelled';
type Parts = Pick<
  Resources,
  'database' | 'mailer' | 'jobs' | 'settings' | 'siteUrl' | 'keys' | 'sms' | 'log'
>;

const FOR_AGENCY: Readonly<Record<Told, string>> = {
  booked: 'booked a call with you on',
  moved: 'moved the call with you to',
  cancelled: 'cancelled the call with you on',
};

/** Tells the agency and who booked of each change, once; removes holds that ended. Before `jobs.start`. */
export function sendBookingNotices(parts: Parts): void {
  const { jobs, database, sms } = parts;
  jobs.every('bookings.tell', LOOK_SECONDS, () => tellBookings(parts), BOOKINGS_CHANGED);
  jobs.every('bookings.sweep', SWEEP_SECONDS, async () => {
    await database.run('delete from private.booking_holds where until <= now()');
  });
  jobs.define<{ id: string; told: Told }>(TEXT, TEXT_POLICY, async ({ data }) => {
    const row = await database.maybe('select starts_at, phone from public.bookings where id = $1', [data.id]);
    const to = row ? textNumber(parts.settings, row.phone) : null;
    if (!row || to === null) return;
    await sms.send({ to, channel: 'sms', text: textOf(parts, data, row.starts_at) });
  });
}

/** One look: mails and marks are one transaction, so that each change is told once. */
export async function tellBookings(parts: Parts): Promise<void> {
  await parts.database.transaction(async (queries) => {
    const rows = await queries.many(
      `select id, starts_at, minutes, name, phone, email, state, changes, changed_by, told_agency, told_caller, confirmed_by
         from public.bookings
        where told_agency is distinct from changes
           or confirmed_by is not null and told_caller is distinct from changes
        order by created_at limit $1 for update skip locked`,
      [AT_ONCE],
    );
    for (const row of rows) {
      const { changed_by, told_agency, told_caller, confirmed_by } = row;
      const booking = bookingOf(row);
      if (told_agency !== row.changes && changed_by !== 'desk') {
        await parts.mailer.send(queries, mailToAgency(parts.settings, booking, toldOf(booking, told_agency)));
      }
      const told = toldOf(booking, told_caller);
      // Whoever was never told that it is booked is not told that it is not.
      const tells = told_caller !== row.changes && !(told === 'cancelled' && told_caller === null);
      if (tells && confirmed_by !== null) await tellCaller(parts, queries, booking, told);
      await queries.run(
        `update public.bookings set told_agency = changes,
                told_caller = case when confirmed_by is null then told_caller else changes end where id = $1`,
        [row.id],
      );
    }
  });
}

function toldOf({ state }: BookingRecord, before: number | null): Told {
  if (state === 'cancelled') return 'cancelled';
  return before === null ? 'booked' : 'moved';
}

async function tellCaller(parts: Parts, queries: Queries, booking: BookingRecord, told: Told): Promise<void> {
  if (booking.email !== null)
    await parts.mailer.send(queries, mailToCaller(parts, booking, booking.email, told));
  else await parts.jobs.add(queries, TEXT, { id: booking.id, told });
}

const linkOf = ({ siteUrl, keys }: Parts, id: string): string =>
  `${siteUrl}${BOOKING_PATH}?${bookingQuery(keys, id)}`;

function textOf(parts: Parts, { id, told }: { id: string; told: Told }, start: Date): string {
  const { BRAND, TIME_ZONE } = parts.settings;
  const when = writeTime(start, TIME_ZONE);
  return told === 'cancelled'
    ? `${BRAND}: your call on ${when} is cancelled.`
    : `${BRAND}: your call is ${told === 'moved' ? 'moved to' : 'booked for'} ${when}. Move or cancel it: ${linkOf(parts, id)}`;
}

/** What is said holds no word of the caller's: an address may be somebody else's. */
function mailToCaller(parts: Parts, booking: BookingRecord, to: string, told: Told) {
  const { BRAND, CONTACT_EMAIL, TIME_ZONE } = parts.settings;
  const when = writeTime(booking.start, TIME_ZONE);
  const link = linkOf(parts, booking.id);
  const words: Readonly<Record<Told, readonly [subject: string, text: string]>> = {
    booked: [`Your call is booked: ${when}`, `A colleague calls you on ${when}.`],
    moved: [`Your call is moved: ${when}`, `Your call is moved. A colleague calls you on ${when}.`],
    cancelled: [
      `Your call is cancelled: ${when}`,
      `The call with us on ${when} is cancelled. Nobody calls you then.`,
    ],
  };
  const [subject, text] = words[told];
  const body: MailPart[] = [
    { kind: 'text', text },
    ...(told === 'cancelled'
      ? []
      : [
          {
            kind: 'text' as const,
            text: `The call takes ${booking.minutes} minutes. The entry for your calendar is attached.`,
          },
          { kind: 'button' as const, label: 'Move or cancel it', href: link },
          {
            kind: 'text' as const,
            text: 'If you did not book this, somebody gave your address by mistake: cancel it, or leave it.',
          },
        ]),
  ];
  return {
    to,
    replyTo: CONTACT_EMAIL,
    purpose: 'service' as const,
    subject,
    calendar: bookingEntry(
      booking,
      { brand: BRAND, organiser: CONTACT_EMAIL, host: new URL(parts.siteUrl).hostname, link },
      told === 'cancelled' ? 'CANCEL' : 'REQUEST',
    ),
    ...mailBody(BRAND, body),
  };
}

function mailToAgency(settings: Settings, { start, name, phone }: BookingRecord, told: Told) {
  const when = sayTime(start, settings.TIME_ZONE);
  const lines = [`${[name, FOR_AGENCY[told], when].join(' ')}.`, `Number: ${phone}`];
  return {
    to: settings.CONTACT_EMAIL,
    subject: `Call ${told}: ${name.replace(/\s+/g, ' ')}, ${when}`,
    purpose: 'service' as const,
    ...mailBody(
      settings.BRAND,
      lines.map((text) => ({ kind: 'text' as const, text })),
    ),
  };
}
