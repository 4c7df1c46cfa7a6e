import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Keys } from './keys.ts';

/**
 * A secret for one purpose, derived from the installation's master secret. So keys.json needs only one
 * secret, and what is signed for one purpose is not valid for another.
 *
 * @param purpose a fixed text, e.g. `signed-url`
 */
export function derivedSecret(keys: Pick<Keys, 'master_secret'>, purpose: string): Buffer {
  return createHmac('sha256', Buffer.from(keys.master_secret, 'base64url')).update(purpose).digest();
}

/** Compares two strings in constant time; false when their lengths differ. */
export function equalSecrets(left: string, right: string): boolean {
  const a = Buffer.from(left);
  const b = Buffer.from(right);
  return a.length === b.length && timingSafeEqual(a, b);
}
