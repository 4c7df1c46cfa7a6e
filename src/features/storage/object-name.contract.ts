/** Longest name, bytes of UTF-8. */
const MAX_NAME_BYTES = 1024;
/** Control characters, and those that turn the direction of text around (security.md, attack 23). */
const FORBIDDEN = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff\\]/u;

/**
 * The name that an object is kept under, or undefined for one that is refused: Unicode in
 * NFC, without control or direction characters, backslash, lone surrogates, empty, `.` or `..`
 * segments (contract §3, "our deltas").
 */
export function objectName(given: string): string | undefined {
  if (!given.isWellFormed() || FORBIDDEN.test(given)) return undefined;
  const name = given.normalize('NFC');
  if (new TextEncoder().encode(name).length > MAX_NAME_BYTES) return undefined;
  const segments = name.split('/');
  return segments.every((segment) => segment !== '' && segment !== '.' && segment !== '..')
    ? name
    : undefined;
}
