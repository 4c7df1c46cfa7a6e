import { timingSafeEqual } from 'node:crypto';

/** Compares two strings in constant time; false when their lengths differ. */
export function equalSecrets(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
