import type { Keys } from '../../../kernel/resources/crypto/keys.ts';
import { seal, unseal } from '../../../kernel/resources/crypto/sealing.ts';
import { derivedSecret } from '../../../kernel/resources/crypto/secrets.ts';

const PURPOSE = 'sealed-text';

/** Encrypts a secret for a table in which it waits to be used. */
export function sealText(keys: Keys, text: string): Buffer {
  return seal(derivedSecret(keys, PURPOSE), Buffer.from(text));
}

/** Decrypts the text. @throws Error when it was changed or belongs to another installation */
export function openText(keys: Keys, stored: Buffer): string {
  return unseal(derivedSecret(keys, PURPOSE), stored).toString('utf8');
}
