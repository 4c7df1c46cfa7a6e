import { createECDH, createPrivateKey, type KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import type { Keys } from '../crypto/keys.ts';

/** Hours that a signature is valid; push services refuse more than 24 (RFC 8292 §2). */
const SIGNED_HOURS = 12;

/** The key that identifies this installation to push services (VAPID, RFC 8292). */
export interface PushKey {
  /** The public half that browsers subscribe with: an uncompressed point, base64url. */
  readonly publicKey: string;
  /**
   * The header `authorization` of requests to an endpoint.
   *
   * @param contact the mail address that the push service writes to in case of trouble
   */
  authorizationFor(endpoint: string, contact: string): Promise<string>;
}

/** Opens the key of `keys.json`. */
export function openPushKey({ push_private_key: given }: Pick<Keys, 'push_private_key'>): PushKey {
  const pair = createECDH('prime256v1');
  pair.setPrivateKey(Buffer.from(given, 'base64url'));
  const point = pair.getPublicKey();
  const publicKey = point.toString('base64url');
  const key: KeyObject = createPrivateKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: 'P-256',
      d: given,
      x: point.subarray(1, 33).toString('base64url'),
      y: point.subarray(33).toString('base64url'),
    },
  });
  return {
    publicKey,
    async authorizationFor(endpoint, contact) {
      const token = await new SignJWT()
        .setProtectedHeader({ typ: 'JWT', alg: 'ES256' })
        .setAudience(new URL(endpoint).origin)
        .setExpirationTime(`${SIGNED_HOURS}h`)
        .setSubject(`mailto:${contact}`)
        .sign(key);
      return `vapid t=${token}, k=${publicKey}`;
    },
  };
}
