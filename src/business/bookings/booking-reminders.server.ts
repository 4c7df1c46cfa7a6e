import { languageOfAddress } from '../../kernel/resources/mailer/mail-language.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { BOOKING_MAILS } from './booking-mails.server.ts';
import { linkOf } from './booking-notices.server.ts';
import { bookingOf } from './booking-store.server.ts';
import { writeTime } from './zoned-time.server.ts';

const LOOK_SECONDS = 60;
const AT_ONCE = 50;
const HOUR_MS = 3_600_000;

type Parts = Pick<Resources, 'database' | 'mailer' | 'jobs' | 'settings' | 'site' | 'siteUrl' | 'keys'>;

/** Reminds people by mail of calls that they booked, BOOKING_REMINDERS hours before. Call it before `jobs.start`. */
export function sendBookingReminders(parts: Parts): void {
  if (reminderHours(parts).length === 0) return;
  parts.jobs.every('reminders of bookings', LOOK_SECONDS, () => remindOfBookings(parts));
}

const reminderHours = ({ settings }: Pick<Parts, 'settings'>): readonly number[] =>
  settings.BOOKING_REMINDERS.split(',').map(Number).filter(Boolean);

/**
 * Runs one check. A mail and its mark are written in one transaction, so each reminder comes once. Somebody who
 * booked or moved the call within these hours has just read the time, so that reminder is left out. If
 * several are late, only one mail comes.
 */
export async function remindOfBookings(parts: Parts): Promise<void> {
  const { database, mailer, settings } = parts;
  const hours = reminderHours(parts);
  await database.transaction(async (queries) => {
    const rows = await queries.many(
      `select b.id, b.starts_at, b.minutes, b.name, b.phone, b.email, b.state, b.changes, b.service, b.zone,
              b.language, b.source, coalesce(b.changed_at, b.created_at) as known_at
         from northline_app.bookings b
        where b.state = 'booked' and b.email is not null and b.confirmed_by = 'mail' and b.starts_at > now()
          and exists (select from unnest($1::int[]) h
                       where b.starts_at <= now() + make_interval(hours => h)
                         and not exists (select from private.booking_reminders r
                                          where r.booking_id = b.id and r.changes = b.changes and r.hours = h))
        order by b.starts_at limit $2 for update of b skip locked`,
      [hours, AT_ONCE],
    );
    for (const row of rows) {
      const booking = bookingOf(row);
      const { id, start, minutes, email, changes, zone } = booking;
      const due = hours.filter((hour) => start.getTime() <= Date.now() + hour * HOUR_MS);
      const wanted = await queries.many(
        `insert into private.booking_reminders (booking_id, changes, hours) select $1, $2, h from unnest($3::int[]) h
         on conflict do nothing returning hours`,
        [id, changes, due],
      );
      const isNews = wanted.some(
        (one) => (row.known_at ?? start).getTime() < start.getTime() - one.hours * HOUR_MS,
      );
      if (!isNews || email === null) continue;
      const language = booking.language ?? (await languageOfAddress(queries, email));
      await mailer.send(queries, {
        to: email,
        replyTo: settings.CONTACT_EMAIL,
        purpose: 'service',
        ...BOOKING_MAILS.mail(parts, language, 'reminder', {
          when: writeTime(start, zone ?? settings.TIME_ZONE, language),
          minutes: String(minutes),
          href: linkOf(parts, id),
        }),
      });
    }
  });
}
