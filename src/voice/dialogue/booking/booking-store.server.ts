import type { Settings } from '../../../kernel/config/settings.ts';
import { mailBody } from '../../../kernel/resources/mailer/mail-body.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import type { DialogueTools } from '../dialogue-tools.server.ts';
import { SLOT_MINUTES, slotsBetween, type WeeklyHours } from './weekly-hours.server.ts';
import { sayTime } from './zoned-time.server.ts';

/** Lengths of `public.bookings`. */
const LONGEST_NAME = 120;
const LONGEST_PHONE = 40;

/** Free times and bookings of colleagues' calls, for the dialogue of one call. */
export function bookingTools(
  { database, mailer, settings }: Resources,
  hours: WeeklyHours,
  callId: string,
): Pick<DialogueTools, 'freeSlots' | 'bookSlot' | 'moveBooking' | 'cancelBooking'> {
  return {
    async freeSlots(from, until, count) {
      const taken = await database.many(
        'select starts_at from public.bookings where starts_at between $1 and $2',
        [from, until],
      );
      const starts = new Set(taken.map((row) => row.starts_at.getTime()));
      const free: Date[] = [];
      for (const slot of slotsBetween(hours, settings.TIME_ZONE, { from, until }, new Date())) {
        if (!starts.has(slot.getTime())) free.push(slot);
        if (free.length === count) break;
      }
      return free;
    },
    bookSlot: ({ start, name, phone }) =>
      database.transaction(async (queries) => {
        const row = await queries.maybe(
          `insert into public.bookings (starts_at, minutes, name, phone, call_id) values ($1, $2, $3, $4, $5)
           on conflict (starts_at) do nothing returning id`,
          [start, SLOT_MINUTES, name.slice(0, LONGEST_NAME), phone.slice(0, LONGEST_PHONE), callId],
        );
        if (!row) return null;
        await mailer.send(queries, mailOfBooking(settings, { start, name, phone }, 'booked'));
        return row;
      }),
    moveBooking: (booked, start) =>
      database.transaction(async (queries) => {
        const row = await queries.maybe(
          `update public.bookings set starts_at = $3 where id = $1::uuid and call_id = $2
              and not exists (select 1 from public.bookings other where other.starts_at = $3) returning id`,
          [booked.id, callId, start],
        );
        if (!row) return null;
        await mailer.send(queries, mailOfBooking(settings, { ...booked, start }, 'moved'));
        return row;
      }),
    cancelBooking: (booked) =>
      database.transaction(async (queries) => {
        const row = await queries.maybe(
          'delete from public.bookings where id = $1::uuid and call_id = $2 returning id',
          [booked.id, callId],
        );
        if (!row) throw new Error('There is no such booking any more.');
        await mailer.send(queries, mailOfBooking(settings, booked, 'cancelled'));
        return row;
      }),
  };
}

const SAYS = {
  booked: 'booked a call with you on',
  moved: 'moved the call with you to',
  cancelled: 'cancelled the call with you on',
} as const;

function mailOfBooking(
  settings: Settings,
  { start, name, phone }: { start: Date; name: string; phone: string },
  what: 'booked' | 'moved' | 'cancelled',
) {
  const when = sayTime(start, settings.TIME_ZONE);
  const lines = [`${name} ${SAYS[what]} ${when}.`, `Number: ${phone}`];
  return {
    to: settings.CONTACT_EMAIL,
    subject: `Call ${what}: ${name.replace(/\s+/g, ' ')}, ${when}`,
    purpose: 'service' as const,
    ...mailBody(
      settings.BRAND,
      lines.map((text) => ({ kind: 'text' as const, text })),
    ),
  };
}
