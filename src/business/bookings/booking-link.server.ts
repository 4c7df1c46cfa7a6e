import type { Keys } from '../../kernel/resources/crypto/keys.ts';
import { readSignedId, signedId } from '../../kernel/resources/crypto/signed-ids.ts';

/** The page where a booking is shown, moved and cancelled, and where its calendar entry is. */
export const BOOKING_PATH = '/booking';
export const BOOKING_ENTRY_PATH = '/booking.ics';
/** The page on which a visitor proves the address and so books the call. */
export const PROOF_PATH = '/booking/confirm';

type Secret = Pick<Keys, 'master_secret'>;

/**
 * The query of a booking's link. Everyone who has the link may see, move and cancel that booking, and
 * nothing else.
 */
export function bookingQuery(keys: Secret, id: string): string {
  return `b=${signedId(keys, 'booking-link', id)}`;
}

/** The query of the link in the mail that proves an address; it books that one request, and nothing else. */
export const proofQuery = (keys: Secret, id: string): string => `r=${signedId(keys, 'booking-proof', id)}`;

/** The request for which a mail's link was made; undefined when we did not make it. */
export const readProof = (keys: Secret, given: string): string | undefined =>
  readSignedId(keys, 'booking-proof', given);

/** The query of the page after asking; it shows the state of the request and proves nothing. */
export const sentQuery = (keys: Secret, id: string): string => `sent=${signedId(keys, 'booking-sent', id)}`;

/** The request of that page; undefined when we did not make the address. */
export const readSent = (keys: Secret, given: string): string | undefined =>
  readSignedId(keys, 'booking-sent', given);

/** The booking for which a link was made; undefined when we did not make it. */
export function readBookingLink(keys: Secret, given: string): string | undefined {
  return readSignedId(keys, 'booking-link', given);
}
