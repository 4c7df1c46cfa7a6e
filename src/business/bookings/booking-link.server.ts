import type { Keys } from '../../kernel/resources/crypto/keys.ts';
import { readSignedId, signedId } from '../../kernel/resources/crypto/signed-ids.ts';

/** Where a booking is seen, moved and cancelled, and where its calendar entry is. */
export const BOOKING_PATH = '/booking';
export const BOOKING_ENTRY_PATH = '/booking.ics';

type Secret = Pick<Keys, 'master_secret'>;

/** The query of a booking's link; whoever has it may see, move and cancel that booking and nothing else. */
export function bookingQuery(keys: Secret, id: string): string {
  return `b=${signedId(keys, 'booking-link', id)}`;
}

/** The booking that a link was made for; undefined when we did not make it. */
export function readBookingLink(keys: Secret, given: string): string | undefined {
  return readSignedId(keys, 'booking-link', given);
}
