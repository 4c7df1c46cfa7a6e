import { createHmac } from 'node:crypto';
import { isUuid } from '../../kernel/contract/uuid.ts';
import type { Keys } from '../../kernel/resources/crypto/keys.ts';
import { derivedSecret, equalSecrets } from '../../kernel/resources/crypto/secrets.ts';

/** Where a booking is seen, moved and cancelled, and where its calendar entry is. */
export const BOOKING_PATH = '/booking';
export const BOOKING_ENTRY_PATH = '/booking.ics';

type Secret = Pick<Keys, 'master_secret'>;

/** Half of a SHA-256 is long enough for a signature that is guessed at over the network, and short in a text message. */
const SIGNATURE_LENGTH = 22;

const signatureOf = (keys: Secret, id: string): string =>
  createHmac('sha256', derivedSecret(keys, 'booking-link'))
    .update(id)
    .digest('base64url')
    .slice(0, SIGNATURE_LENGTH);

/** The query of a booking's link; whoever has it may see, move and cancel that booking and nothing else. */
export function bookingQuery(keys: Secret, id: string): string {
  const short = Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url');
  return `b=${short}${signatureOf(keys, id)}`;
}

/** The booking that a link was made for; undefined when we did not make it. */
export function readBookingLink(keys: Secret, given: string): string | undefined {
  const hex = Buffer.from(given.slice(0, -SIGNATURE_LENGTH), 'base64url').toString('hex');
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return isUuid(id) && equalSecrets(signatureOf(keys, id), given.slice(-SIGNATURE_LENGTH)) ? id : undefined;
}
