import { z } from 'zod';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import { utcMoment } from '../../kernel/contract/times.ts';
import type { HttpContext } from '../../kernel/http/http-context.ts';
import type { Caller } from '../../kernel/resources/database/caller.ts';
import { isMailAddress } from '../../kernel/resources/mailer/mail-check.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { declareOperatorWork, signAsOperator } from '../console/operator-gate.server.ts';
import { type BookingStore, LONGEST_NAME, LONGEST_PHONE } from './booking-store.server.ts';

/** How far ahead times are offered, milliseconds. */
const HORIZON_MS = 30 * 24 * 3_600_000;
const MOST_TIMES = 100;
/** Bookings and moves send mails and texts. */
const PER_MINUTE = 20;

/**
 * Mounts the functions with which operators book and move calls: `operator-free-times`, `operator-book-call` and
 * `operator-move-booking`. Who booked is told of it as after a call. What they do is in the audit log first.
 *
 * Errors: 409 `time_taken` for a time that is not free, 409 `nothing_to_do` for a booking that is over or cancelled
 */
export function mountBookingActions(http: HttpContext, resources: Resources, bookings: BookingStore): void {
  const scope = { http, resources };
  const sign = (caller: Caller, action: string, subject: string, details: object): Promise<void> =>
    resources.database.transaction((queries) =>
      signAsOperator(queries, caller, { action, subject, details }),
    );
  const freeTimes = async (caller: Caller, from: Date, count: number): Promise<Date[]> =>
    bookings.freeTimes(holderOf(caller), { from, until: new Date(Date.now() + HORIZON_MS) }, count);

  async function requireFree(caller: Caller, start: Date): Promise<void> {
    const [first] = await freeTimes(caller, start, 1);
    if (first?.getTime() !== start.getTime()) throw timeTaken();
  }

  declareOperatorWork(scope, {
    name: 'free-times',
    input: z.object({
      from: utcMoment.nullish(),
      count: z.number().int().min(1).max(MOST_TIMES).default(20),
    }),
    work: async (caller, { from, count }) => ({
      times: await freeTimes(caller, from == null ? new Date() : new Date(from), count),
    }),
  });
  declareOperatorWork(scope, {
    name: 'book-call',
    perMinute: PER_MINUTE,
    input: z.object({
      start: utcMoment,
      name: z.string().trim().min(1).max(LONGEST_NAME),
      phone: z.string().trim().min(3).max(LONGEST_PHONE),
      email: z.string().refine(isMailAddress, { error: 'must be an email address' }).nullish(),
    }),
    async work(caller, { start, name, phone, email }) {
      const time = new Date(start);
      await requireFree(caller, time);
      await sign(caller, 'booking.book', phone, { starts_at: start, name });
      const made = await bookings.book(holderOf(caller), { start: time, name, phone }, null);
      if (made === null) throw timeTaken();
      if (email != null) await bookings.confirmTo(made.id, email);
      return { id: made.id };
    },
  });
  declareOperatorWork(scope, {
    name: 'move-booking',
    perMinute: PER_MINUTE,
    input: z.object({ id: z.uuid(), start: utcMoment }),
    async work(caller, { id, start }) {
      const time = new Date(start);
      await requireFree(caller, time);
      await sign(caller, 'booking.move', id, { starts_at: start });
      const outcome = await bookings.move(holderOf(caller), { id, by: 'desk' }, time);
      if (outcome === 'taken') throw timeTaken();
      if (outcome === 'gone')
        throw new ServiceError(409, 'nothing_to_do', 'This booking is over, cancelled, or does not exist.');
      return { id };
    },
  });
}

const holderOf = ({ userId }: Caller): string => `operator ${userId ?? 'server'}`;

const timeTaken = (): ServiceError =>
  new ServiceError(409, 'time_taken', 'This time is not free. Choose one of the free times.');
