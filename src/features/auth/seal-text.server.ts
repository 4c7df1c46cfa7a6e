import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Keys } from '../../resources/crypto/keys.ts';
import { derivedSecret } from '../../resources/crypto/secrets.ts';

const PURPOSE = 'sealed-text';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts a secret that waits in a table until it is asked for again (AES-256-GCM, ASVS 11.3.2). */
export function sealText(keys: Keys, text: string): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', derivedSecret(keys, PURPOSE), iv);
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
}

/** The text again. @throws Error when it was changed or belongs to another installation */
export function openText(keys: Keys, stored: Buffer): string {
  const decipher = createDecipheriv(
    'aes-256-gcm',
    derivedSecret(keys, PURPOSE),
    stored.subarray(0, IV_BYTES),
    {
      authTagLength: TAG_BYTES,
    },
  ).setAuthTag(stored.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  return decipher.update(stored.subarray(IV_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
}
