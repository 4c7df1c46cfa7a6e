import type { BookingStore } from '../../business/bookings/booking-store.server.ts';
import type { Queries } from '../../kernel/resources/database/database.ts';
import type { VoiceEngines } from '../engines/engines.server.ts';
import type { DialogueTools } from './dialogue-tools.server.ts';

type BookingTools = Omit<DialogueTools, 'takeEnquiry'>;

/**
 * Free times and bookings of colleagues' calls for the dialogue of one call; what it holds, it holds for that
 * call.
 */
export function bookingTools(bookings: BookingStore, queries: Queries, callId: string): BookingTools {
  return {
    freeSlots: (from, until, count) => bookings.freeTimes(callId, { from, until }, count),
    holdSlots: (starts) => bookings.hold(callId, starts),
    bookSlot: (booking) => bookings.book(callId, booking, callId),
    async confirmBooking({ id }, email) {
      await bookings.confirmTo(id, email);
      return { id };
    },
    async callersNumber() {
      // Only the telephone's number is used: what a browser says about its caller proves nothing.
      const row = await queries.maybe(
        `select body #>> '{customer,number}' as number from private.voice_records
          where id = $1 and kind = 'call' and body ->> 'type' in ('inboundPhoneCall', 'outboundPhoneCall')`,
        [callId],
      );
      return row?.number ?? null;
    },
    findBooking: (name, phone) => bookings.find(name, phone),
    async moveBooking({ id }, start) {
      const outcome = await bookings.move(callId, { id, by: 'call' }, start);
      if (outcome === 'gone') throw new Error('There is no such booking any more.');
      return outcome === 'taken' ? null : { id };
    },
    async cancelBooking({ id }) {
      if (!(await bookings.cancel({ id, by: 'call' }))) throw new Error('There is no such booking any more.');
      return { id };
    },
  };
}

/**
 * Engines whose calls release the time that they hold when they end, in whatever way they end. If this process
 * dies, the hold lapses by itself.
 */
export function withReleasedTimes(engines: VoiceEngines, bookings: BookingStore): VoiceEngines {
  return {
    ...engines,
    async openDialogue(call) {
      const dialogue = await engines.openDialogue(call);
      return {
        ...dialogue,
        close() {
          dialogue.close();
          bookings
            .hold(call.callId, [])
            .catch((error: unknown) => call.log('WARN', `a held time was not released: ${String(error)}`));
        },
      };
    },
  };
}
