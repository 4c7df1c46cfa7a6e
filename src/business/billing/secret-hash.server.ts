import { createHash } from 'node:crypto';

/** SHA-256: the secret has 256 random bits, so a slow hash would add nothing. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
