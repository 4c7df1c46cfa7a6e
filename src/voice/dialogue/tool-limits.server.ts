import type { DialogueTools } from './dialogue-tools.server.ts';

/** How much one call may store. */
const MOST_ENQUIRIES = 3;
const MOST_BOOKINGS = 2;
const MOST_MOVES = 3;
/** How often a caller may try a name and number, so that nobody can guess whose booking it is. */
const MOST_FINDS = 3;
const MOST_CONFIRMATIONS = 3;

/**
 * Prefixes of numbers that cost the person who calls back: premium and personal numbers of the United
 * Kingdom, premium ones of North America and of no country, and satellites (ITU-T E.164.1, E.164.3).
 */
const COSTLY = /^(44(9|70)|1900|979|87[0-8]|88[1-3])/;

/**
 * The tools of one call, within limits that no words and no language model can change
 * (docs/security-attacks.md, attack 40): only times that were offered in this call can be booked, no
 * colleague is asked to call a costly number, and a call stores only a few things. A refusal is an error that
 * the dialogue passes on.
 */
export function limitTools(tools: DialogueTools): DialogueTools {
  const offered = new Set<number>();
  let enquiries = 0;
  let bookings = 0;
  let moves = 0;
  let finds = 0;
  let confirmations = 0;
  const own = new Set<string>();
  return {
    async takeEnquiry(enquiry) {
      refuseCostly(enquiry.phone);
      enquiries += 1;
      if (enquiries > MOST_ENQUIRIES) throw new Error('No more enquiries can be taken in this call.');
      return tools.takeEnquiry(enquiry);
    },
    async freeSlots(from, until, count) {
      const free = await tools.freeSlots(from, until, count);
      for (const slot of free) offered.add(slot.getTime());
      return free;
    },
    async holdSlots(starts) {
      refuseUnoffered(offered, starts);
      return tools.holdSlots(starts);
    },
    async bookSlot(booking) {
      refuseCostly(booking.phone);
      refuseUnoffered(offered, [booking.start]);
      bookings += 1;
      if (bookings > MOST_BOOKINGS) throw new Error('No more calls can be booked in this call.');
      const booked = await tools.bookSlot(booking);
      if (booked !== null) own.add(booked.id);
      return booked;
    },
    async confirmBooking(booked, email) {
      refuseOthers(own, booked.id);
      confirmations += 1;
      if (confirmations > MOST_CONFIRMATIONS)
        throw new Error('No more confirmations can be sent in this call.');
      return tools.confirmBooking(booked, email);
    },
    callersNumber: () => tools.callersNumber(),
    async findBooking(name, phone) {
      finds += 1;
      if (finds > MOST_FINDS) throw new Error('No more bookings can be looked for in this call.');
      const found = await tools.findBooking(name, phone);
      if (found !== null) own.add(found.id);
      return found;
    },
    async moveBooking(booked, start) {
      refuseOthers(own, booked.id);
      refuseUnoffered(offered, [start]);
      moves += 1;
      if (moves > MOST_MOVES) throw new Error('The call cannot be moved any more in this call.');
      return tools.moveBooking(booked, start);
    },
    async cancelBooking(booked) {
      refuseOthers(own, booked.id);
      return tools.cancelBooking(booked);
    },
  };
}

/** @throws Error for a time that was not offered */
function refuseUnoffered(offered: ReadonlySet<number>, starts: readonly Date[]): void {
  if (!starts.every((start) => offered.has(start.getTime())))
    throw new Error('Only a time that was offered in this call can be booked.');
}

/** @throws Error for a booking that was neither made nor found in this call */
function refuseOthers(own: ReadonlySet<string>, id: string): void {
  if (!own.has(id)) throw new Error('Only a call that was booked or found in this call can be changed.');
}

/** @throws Error for a number that would be costly to call back */
function refuseCostly(phone: string | null): void {
  if (phone !== null && isCostly(phone))
    throw new Error('That number cannot be called back. Ask for another one.');
}

/**
 * Whether calling the number costs more than a usual call; a number that begins with a single 0 is taken as
 * British.
 */
function isCostly(phone: string): boolean {
  const digits = phone.replace(/\D/g, '');
  const whole = digits.replace(/^00|^(?=0[1-9])/, '');
  return COSTLY.test(whole.startsWith('0') ? `44${whole.slice(1)}` : whole);
}
