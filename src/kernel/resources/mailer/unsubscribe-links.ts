import { createHmac } from 'node:crypto';
import type { Keys } from '../crypto/keys.ts';
import { derivedSecret, equalSecrets } from '../crypto/secrets.ts';

/** The path to which one-click unsubscribing is posted (RFC 8058). */
export const UNSUBSCRIBE_PATH = '/mail/unsubscribe';

const signatureOf = (keys: Pick<Keys, 'master_secret'>, address: string): string =>
  createHmac('sha256', derivedSecret(keys, 'unsubscribe')).update(address.toLowerCase()).digest('base64url');

/** The link in every optional mail; its holder can only stop or allow mails to that one recipient. */
export function unsubscribeLink(keys: Pick<Keys, 'master_secret'>, siteUrl: string, address: string): string {
  const query = new URLSearchParams({
    a: Buffer.from(address.toLowerCase()).toString('base64url'),
    t: signatureOf(keys, address),
  });
  return `${siteUrl}${UNSUBSCRIBE_PATH}?${query}`;
}

/** The recipient for whom a link was made; undefined when we did not make it. */
export function readUnsubscribeLink(
  keys: Pick<Keys, 'master_secret'>,
  { a, t }: { a: string; t: string },
): string | undefined {
  const address = Buffer.from(a, 'base64url').toString('utf8');
  return equalSecrets(signatureOf(keys, address), t) ? address : undefined;
}
