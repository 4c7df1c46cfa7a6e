import type { Language } from '../../kernel/contract/languages.ts';
import type { Queries } from '../../kernel/resources/database/database.ts';
import { mailBody } from '../../kernel/resources/mailer/mail-body.ts';
import { languageOfAddress, languageOfNumber } from '../../kernel/resources/mailer/mail-language.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { textNumber } from './booking-identity.server.ts';
import { BOOKING_PATH, bookingQuery } from './booking-link.server.ts';
import { BOOKING_MAILS } from './booking-mails.server.ts';
import { type BookingRecord, bookingOf } from './booking-store.server.ts';
import { bookingEntry } from './calendar-entry.server.ts';
import { sayTime, writeTime } from './zoned-time.server.ts';

/** Seconds between two checks, in case a notification was lost. */
const LOOK_SECONDS = 30;
/**
 * Notified when somebody has to be informed about a booking.
 * @trigger northline_app.bookings notify_waiting
 */
export const BOOKINGS_CHANGED = 'bookings_changed';
const AT_ONCE = 50;
const TEXT = 'booking.text';
const TEXT_POLICY = { retries: 5, retryDelaySeconds: 15, timeoutSeconds: 60, concurrency: 1 };
const SWEEP_SECONDS = 60;

type Told = 'booked' | 'moved' | 'cancelled';
type Parts = Pick<
  Resources,
  'database' | 'mailer' | 'jobs' | 'settings' | 'site' | 'siteUrl' | 'keys' | 'sms' | 'log'
>;

interface TextRow {
  readonly starts_at: Date;
  readonly phone: string;
}

const FOR_AGENCY: Readonly<Record<Told, string>> = {
  booked: 'booked a call with you on',
  moved: 'moved the call with you to',
  cancelled: 'cancelled the call with you on',
};

/**
 * Informs the agency and the person who booked about each change, once, and removes expired holds. Call it
 * before `jobs.start`.
 */
export function sendBookingNotices(parts: Parts): void {
  const { jobs, database, sms } = parts;
  jobs.every('notices of bookings', LOOK_SECONDS, () => tellBookings(parts), BOOKINGS_CHANGED);
  jobs.every('expired booking holds', SWEEP_SECONDS, async () => {
    await database.run('delete from private.booking_holds where until <= now()');
  });
  jobs.define<{ id: string; told: Told }>(TEXT, TEXT_POLICY, async ({ data }) => {
    const row = await database.maybe('select starts_at, phone from northline_app.bookings where id = $1', [
      data.id,
    ]);
    const to = row ? textNumber(parts.settings, row.phone) : null;
    if (!row || to === null) return;
    await sms.send({ to, channel: 'sms', text: await textOf(parts, data, row) });
  });
}

/**
 * Runs one check. Mails and their marks are written in one transaction, so that each change is announced
 * once.
 */
export async function tellBookings(parts: Parts): Promise<void> {
  await parts.database.transaction(async (queries) => {
    const rows = await queries.many(
      `select id, starts_at, minutes, name, phone, email, state, changes, service, zone, language, source,
              changed_by, told_agency, told_caller, confirmed_by
         from northline_app.bookings
        where not demo and (told_agency is distinct from changes
           or confirmed_by is not null and told_caller is distinct from changes)
        order by created_at limit $1 for update skip locked`,
      [AT_ONCE],
    );
    for (const row of rows) {
      const { changed_by, told_agency, told_caller, confirmed_by } = row;
      const booking = bookingOf(row);
      if (told_agency !== row.changes && changed_by !== 'desk') {
        await parts.mailer.send(queries, mailToAgency(parts, booking, toldOf(booking, told_agency)));
      }
      const told = toldOf(booking, told_caller);
      // A person who was not told about a booking is not told about its cancellation either.
      const tells = told_caller !== row.changes && !(told === 'cancelled' && told_caller === null);
      const isReached =
        tells && confirmed_by !== null ? await tellCaller(parts, queries, booking, told) : true;
      await queries.run(
        `update northline_app.bookings set told_agency = changes, confirmed_by = case when $2 then confirmed_by end,
                told_caller = case when confirmed_by is null or not $2 then told_caller else changes end where id = $1`,
        [row.id, isReached],
      );
    }
  });
}

function toldOf({ state }: BookingRecord, before: number | null): Told {
  if (state === 'cancelled') return 'cancelled';
  return before === null ? 'booked' : 'moved';
}

/** @returns false when the address gets no mails, so that nobody was told */
async function tellCaller(
  parts: Parts,
  queries: Queries,
  booking: BookingRecord,
  told: Told,
): Promise<boolean> {
  const { email } = booking;
  if (email === null) {
    await parts.jobs.add(queries, TEXT, { id: booking.id, told });
    return true;
  }
  const language = booking.language ?? (await languageOfAddress(queries, email));
  return parts.mailer.send(queries, mailToCaller(parts, booking, { to: email, told, language }));
}

/** The address of a booking's own page. */
export const linkOf = ({ siteUrl, keys }: Pick<Parts, 'siteUrl' | 'keys'>, id: string): string =>
  `${siteUrl}${BOOKING_PATH}?${bookingQuery(keys, id)}`;

/** The text message is in the language of the account that has verified the number. */
async function textOf(parts: Parts, { id, told }: { id: string; told: Told }, row: TextRow): Promise<string> {
  const language = await languageOfNumber(parts.database, textNumber(parts.settings, row.phone) ?? '');
  const when = writeTime(row.starts_at, parts.settings.TIME_ZONE, language);
  return told === 'cancelled'
    ? BOOKING_MAILS.line(parts, language, 'sms-cancelled', { when })
    : BOOKING_MAILS.line(parts, language, `sms-${told}`, { when, href: linkOf(parts, id) });
}

interface ToldCaller {
  readonly to: string;
  readonly told: Told;
  readonly language: Language;
}

/** The mail contains no word of the caller's, because the address may be somebody else's. */
function mailToCaller(parts: Parts, booking: BookingRecord, { to, told, language }: ToldCaller) {
  const { BRAND, CONTACT_EMAIL, TIME_ZONE } = parts.settings;
  const when = writeTime(booking.start, booking.zone ?? TIME_ZONE, language);
  const href = linkOf(parts, booking.id);
  const minutes = String(booking.minutes);
  return {
    to,
    replyTo: CONTACT_EMAIL,
    purpose: 'service' as const,
    calendar: bookingEntry(
      booking,
      {
        brand: BRAND,
        organiser: CONTACT_EMAIL,
        host: new URL(parts.siteUrl).hostname,
        own: { link: href, ...BOOKING_MAILS.notice(parts, language, 'calendar', { href }) },
      },
      told === 'cancelled' ? 'CANCEL' : 'REQUEST',
    ),
    ...(told === 'cancelled'
      ? BOOKING_MAILS.mail(parts, language, told, { when })
      : BOOKING_MAILS.mail(parts, language, told, { when, minutes, href })),
  };
}

function mailToAgency(parts: Parts, booking: BookingRecord, told: Told) {
  const { settings } = parts;
  const { start, name, phone, service, email, source } = booking;
  const when = sayTime(start, settings.TIME_ZONE);
  const lines = [
    `${[name, FOR_AGENCY[told], when].join(' ')}.`,
    `Number: ${phone}`,
    ...(service === null ? [] : [`Service: ${service}`]),
    ...(source === 'page' && email !== null ? [`Address: ${email}`] : []),
  ];
  return {
    to: settings.CONTACT_EMAIL,
    subject: `Call ${told}: ${name.replace(/\s+/g, ' ')}, ${when}`,
    purpose: 'service' as const,
    ...mailBody(
      parts,
      lines.map((text) => ({ kind: 'text' as const, text })),
    ),
  };
}
