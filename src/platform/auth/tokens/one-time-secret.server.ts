import { createHmac, randomBytes, randomInt } from 'node:crypto';
import type { Keys } from '../../../kernel/resources/crypto/keys.ts';
import { derivedSecret } from '../../../kernel/resources/crypto/secrets.ts';

/**
 * Keyed hashes of one-time secrets. A plain hash of a six-digit code could be reversed from a copy of the
 * table; an HMAC with the server's key cannot (docs/contracts/platform.md §6).
 */
export interface SecretHashes {
  /** The hash of a six-digit code, bound to its type and to the address that it was sent to. */
  code(type: string, address: string, code: string): Buffer;
  /** The hash of a long random secret: the token of a link, or an authorisation code. */
  link(secret: string): Buffer;
}

/** Opens the hashes for the installation's keys. */
export function createSecretHashes(keys: Keys): SecretHashes {
  const key = derivedSecret(keys, 'one-time-token');
  const hmac = (...parts: string[]) => createHmac('sha256', key).update(JSON.stringify(parts)).digest();
  return {
    code: (type, address, code) => hmac('code', type, address, code),
    link: (secret) => hmac('link', secret),
  };
}

/** A code of six digits, all equally likely. */
export function newCode(): string {
  return String(randomInt(1_000_000)).padStart(6, '0');
}

/** 256 random bits, base64url. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}
