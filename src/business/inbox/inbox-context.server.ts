import { createHmac } from 'node:crypto';
import type { Settings } from '../../kernel/config/settings.ts';
import type { Keys } from '../../kernel/resources/crypto/keys.ts';
import { derivedSecret } from '../../kernel/resources/crypto/secrets.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import type { Scan } from '../../platform/storage/content/content-scan.server.ts';

/** What taking documents by mail needs. */
export interface InboxContext {
  readonly resources: Resources;
  readonly scan: Scan;
  /** Starts the analysis of a document that has none yet. */
  analyse(document: { userId: string; fileId: string }): Promise<void>;
}

/** Largest mail, bytes. Attachments grow by a third on their way. */
export const MOST_MAIL_BYTES = 40 * 1024 * 1024;

/** The customer's address: the token after a plus sign (RFC 5233). */
export function customerAddress(
  { MAIL_IN_ADDRESS }: Pick<Settings, 'MAIL_IN_ADDRESS'>,
  token: string,
): string {
  return MAIL_IN_ADDRESS.replace('@', `+${token}@`);
}

/** The tokens of customers' addresses in headers that name receivers, each once, in their order. */
export function tokensIn(
  { MAIL_IN_ADDRESS }: Pick<Settings, 'MAIL_IN_ADDRESS'>,
  headers: readonly (readonly [name: string, value: string])[],
): string[] {
  const [local = '', domain = ''] = MAIL_IN_ADDRESS.split('@');
  const literal = (part: string): string => part.replace(/[.+-]/g, '\\$&');
  const address = new RegExp(
    `(?<![\\w.+-])${literal(local)}\\+([a-z2-7]{20})@${literal(domain)}(?![\\w.-]*\\w)`,
    'gi',
  );
  const named = headers.filter(([name]) => RECEIVERS.has(name)).map(([, value]) => value);
  const found = named.flatMap((value) =>
    [...value.matchAll(address)].map(([, token = '']) => token.toLowerCase()),
  );
  return [...new Set(found)];
}

/** Headers in which mail servers and senders name receivers; blind copies stand only in the servers' ones. */
const RECEIVERS = new Set([
  'delivered-to',
  'x-original-to',
  'envelope-to',
  'x-envelope-to',
  'x-forwarded-to',
  'to',
  'cc',
  'resent-to',
]);

/** The secret that signs mails to `/webhooks/mail-in`, `whsec_…`; `northline events secret mail-in` shows it. */
export function mailInSecret(parts: {
  readonly keys: Pick<Keys, 'master_secret'>;
  readonly settings: Pick<Settings, 'MAIL_IN_SECRET'>;
}): string {
  const { MAIL_IN_SECRET: given } = parts.settings;
  return given !== '' ? given : `whsec_${derivedSecret(parts.keys, 'mail in').toString('base64')}`;
}

/** The signature `v1,…` of Standard Webhooks over the bytes of a body, which need not be text. */
export function signatureOf(
  secret: string,
  body: Buffer,
  { id, timestamp }: { id: string; timestamp: string },
): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
}
