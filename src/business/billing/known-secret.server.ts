import { createHash, timingSafeEqual } from 'node:crypto';

/** SHA-256 is enough: the secret has 256 random bits, so a slow hash would add nothing. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** Whether a secret's hash is among the stored ones; all are compared in constant time. */
export function isKnownSecret(secret: string, stored: readonly (Buffer | null | undefined)[]): boolean {
  const given = hashSecret(secret);
  return stored.some((hash) => hash != null && timingSafeEqual(hash, given));
}
