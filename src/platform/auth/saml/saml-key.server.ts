import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Settings } from '../../../kernel/config/settings.ts';

/** Our own key for identity providers: it signs our requests and decrypts what they encrypt for us. PEM. */
export interface SamlKey {
  readonly privateKey: string;
  readonly certificate: string;
}

const LEAST_BITS = 2048;
const BLOCK = (label: string): RegExp => new RegExp(`-----BEGIN ${label}-----[^-]+-----END ${label}-----`);

/**
 * Reads the file in AUTH_SAML_KEY_FILE: an RSA key and its certificate, in any order. It is read at each use,
 * so that a new file takes effect at once.
 *
 * @throws Error with one sentence for the operator
 */
export function readSamlKey({ AUTH_SAML_KEY_FILE: file }: Settings): SamlKey | undefined {
  if (file === '') return undefined;
  try {
    const text = readFileSync(file, 'utf8');
    const privateKey = BLOCK('(?:RSA )?PRIVATE KEY').exec(text)?.[0] ?? '';
    const certificate = BLOCK('CERTIFICATE').exec(text)?.[0] ?? '';
    const key = createPrivateKey(privateKey);
    const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
    if (key.asymmetricKeyType !== 'rsa' || bits < LEAST_BITS) throw new Error('no RSA key of 2048 bits');
    if (!new X509Certificate(certificate).checkPrivateKey(key))
      throw new Error('two that do not belong together');
    return { privateKey, certificate };
  } catch (error) {
    throw new Error(
      'The file of AUTH_SAML_KEY_FILE must hold an RSA key of at least 2048 bits and its certificate, both PEM.',
      { cause: error },
    );
  }
}
