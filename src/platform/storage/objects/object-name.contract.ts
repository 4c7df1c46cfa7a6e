/** Longest name, bytes of UTF-8. */
const MAX_NAME_BYTES = 1024;
/** Control characters, and those that turn the direction of text around (docs/security-attacks.md, attack 23). */
const FORBIDDEN = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff\\]/u;
/** What an address gives a meaning, and the end of a segment. */
const MEANINGFUL = /[/#?%]/g;
/** Longest segment made of a file's name, UTF-16 units: at most 540 bytes, so that a folder fits before it. */
const MAX_SEGMENT = 180;

/**
 * The name that an object is kept under, or undefined for one that is refused: Unicode in
 * NFC, without control or direction characters, backslash, lone surrogates, empty, `.` or `..`
 * segments (docs/contracts/platform.md §3, "our deltas").
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

/**
 * One segment of an object's name made of a file's own name: every character that `objectName` refuses
 * or that an address gives a meaning becomes `_`; a very long name keeps its end, with the extension.
 * Put something before it that is never `.`.
 */
export function objectSegment(fileName: string): string {
  return fileName
    .normalize('NFC')
    .replace(new RegExp(FORBIDDEN, 'gu'), '_')
    .replace(MEANINGFUL, '_')
    .slice(-MAX_SEGMENT)
    .toWellFormed();
}
