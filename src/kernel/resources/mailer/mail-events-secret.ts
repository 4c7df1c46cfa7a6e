import type { Settings } from '../../config/settings.ts';
import type { Keys } from '../crypto/keys.ts';
import { derivedSecret } from '../crypto/secrets.ts';

/**
 * The secret that signs events about mails to `/webhooks/mail`, `whsec_…`; `northline events secret mail`
 * shows it.
 */
export function mailEventsSecret(parts: {
  readonly keys: Pick<Keys, 'master_secret'>;
  readonly settings: Pick<Settings, 'MAIL_EVENTS_SECRET'>;
}): string {
  const { MAIL_EVENTS_SECRET: given } = parts.settings;
  return given !== '' ? given : `whsec_${derivedSecret(parts.keys, 'mail events').toString('base64')}`;
}
