import type { Keys } from '../../kernel/resources/crypto/keys.ts';
import { readSignedId, signedId } from '../../kernel/resources/crypto/signed-ids.ts';

/** The page where a booking is shown, moved and cancelled, and where its calendar entry is. */
export const BOOKING_PATH = '/booking';
export const BOOKING_ENTRY_PATH = '/booking.ics';

type Secret = Pick<Keys, 'master_secret'>;

/**
 * The query of a booking's link. Whoever has the link may see, move and cancel that booking, and nothing
 * else.
 */
export function bookingQuery(keys: Secret, id: string): string {
  return `b=${signedId(keys, 'booking-link', id)}`;
}

/** The booking for which a link was made; undefined when we did not make it. */
export function readBookingLink(keys: Secret, given: string): string | undefined {
  return readSignedId(keys, 'booking-link', given);
}
