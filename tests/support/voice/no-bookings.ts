import type { DialogueTools } from '../../../src/voice/dialogue/dialogue-tools.server.ts';

/** Bookings of an agency whose colleagues never have time; there are no bookings to change. */
export const NO_BOOKINGS: Omit<DialogueTools, 'takeEnquiry'> = {
  freeSlots: async () => [],
  holdSlots: async (starts) => starts,
  bookSlot: async () => null,
  confirmBooking: async ({ id }) => ({ id }),
  callersNumber: async () => null,
  findBooking: async () => null,
  moveBooking: async () => null,
  cancelBooking: async ({ id }) => ({ id }),
};
