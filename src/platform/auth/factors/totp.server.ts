import { createHmac, randomBytes } from 'node:crypto';
import { equalSecrets } from '../../../kernel/resources/crypto/secrets.ts';

/** Seconds for which one code is shown (RFC 6238). */
const STEP_SECONDS = 30;
const DIGITS = 6;
/** 160 bits, as long as the hash (RFC 4226 §4). */
const SECRET_BYTES = 20;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** A new secret of an authenticator. */
export function newTotpSecret(): Buffer {
  return randomBytes(SECRET_BYTES);
}

/** Base32 without padding (RFC 4648 §6), as authenticators take it. */
export function base32(bytes: Buffer): string {
  let bits = 0;
  let value = 0;
  let text = '';
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xffff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += BASE32[(value >>> bits) & 31];
    }
  }
  return bits === 0 ? text : text + BASE32[(value << (5 - bits)) & 31];
}

/** The code of one time step (RFC 4226 §5.3 with SHA-1, RFC 6238). */
export function totpCode(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac('sha1', secret).update(counter).digest();
  const offset = (digest.at(-1) ?? 0) & 15;
  const number = digest.readUInt32BE(offset) & 0x7fffffff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0');
}

/** The time step of an instant in milliseconds. */
export function totpStep(at: number): number {
  return Math.floor(at / 1000 / STEP_SECONDS);
}

/**
 * The time step of a code, which may be the current one, the one before or the one after. Undefined for a
 * wrong code, and for a step not after `lastStep` (replay, RFC 6238 §5.2).
 */
export function acceptedStep(secret: Buffer, code: string, lastStep: number, at: number): number | undefined {
  const now = totpStep(at);
  const given = code.replace(/\s/g, '');
  return [now - 1, now, now + 1].find(
    (step) => step > lastStep && equalSecrets(totpCode(secret, step), given),
  );
}

/** The address in the QR image that an authenticator reads: the key URI format. */
export function totpUri(issuer: string, account: string, secret: Buffer): string {
  const query = `secret=${base32(secret)}&issuer=${encodeURIComponent(issuer)}`;
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?${query}&algorithm=SHA1&digits=${DIGITS}&period=${STEP_SECONDS}`;
}
