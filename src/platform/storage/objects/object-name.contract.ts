/** Longest name, bytes of UTF-8. */
const MAX_NAME_BYTES = 1024;
/** Control characters, and those that reverse the direction of text (docs/security-attacks.md, attack 23). */
const FORBIDDEN = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff\\]/u;
/** Characters with a meaning in an address, and the end of a segment. */
const MEANINGFUL = /[/#?%]/g;
/**
 * Longest segment made from a file's name, UTF-16 units: at most 540 bytes, so that a folder fits before it.
 */
const MAX_SEGMENT = 180;

/**
 * The name under which an object is stored, or undefined when it is refused: Unicode in NFC, without control
 * or direction characters, backslashes, lone surrogates, or segments that are empty, `.` or `..`
 * (docs/contracts/platform.md §3, "our deltas").
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
 * Makes one segment of an object's name from a file's name. Every character that `objectName` refuses or that
 * has a meaning in an address becomes `_`. A very long name keeps its end, with the extension. Put something
 * before the segment, so that it is never `.` or `..`.
 */
export function objectSegment(fileName: string): string {
  return fileName
    .normalize('NFC')
    .replace(new RegExp(FORBIDDEN, 'gu'), '_')
    .replace(MEANINGFUL, '_')
    .slice(-MAX_SEGMENT)
    .toWellFormed();
}
