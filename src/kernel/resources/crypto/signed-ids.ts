import { createHmac } from 'node:crypto';
import { isUuid } from '../../contract/uuid.ts';
import type { Keys } from './keys.ts';
import { derivedSecret, equalSecrets } from './secrets.ts';

type Secret = Pick<Keys, 'master_secret'>;

/**
 * Half of a SHA-256 is long enough for a signature that can only be guessed over the network, and short
 * enough for a text message.
 */
const SIGNATURE_LENGTH = 22;

const signatureOf = (keys: Secret, purpose: string, id: string): string =>
  createHmac('sha256', derivedSecret(keys, purpose))
    .update(id)
    .digest('base64url')
    .slice(0, SIGNATURE_LENGTH);

/** A UUID with our signature: 44 letters that fit an address. Each kind of link has its own `purpose`. */
export function signedId(keys: Secret, purpose: string, id: string): string {
  const short = Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url');
  return `${short}${signatureOf(keys, purpose, id)}`;
}

/** The UUID that we signed for this purpose; undefined when we did not. */
export function readSignedId(keys: Secret, purpose: string, given: string): string | undefined {
  const hex = Buffer.from(given.slice(0, -SIGNATURE_LENGTH), 'base64url').toString('hex');
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  const isOurs = isUuid(id) && equalSecrets(signatureOf(keys, purpose, id), given.slice(-SIGNATURE_LENGTH));
  return isOurs ? id : undefined;
}
