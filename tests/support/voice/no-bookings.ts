import type { DialogueTools } from '../../../src/voice/dialogue/dialogue-tools.server.ts';

/** Bookings of an agency whose colleagues never have time; what somebody else took is not there to be changed. */
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
