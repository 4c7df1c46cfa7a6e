import type { ByteRange } from '../../../kernel/resources/object-store/object-store.ts';

/**
 * The single range of a `Range` header (RFC 9110 §14.2). `undefined` means to serve the whole: no header,
 * another unit, bad syntax, or several ranges, which we need not honour and which cost much
 * (docs/security-attacks.md, attack 30). `unsatisfiable` means 416.
 */
export function parseByteRange(
  header: string | undefined,
  size: number,
): ByteRange | 'unsatisfiable' | undefined {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '');
  if (match === null) return undefined;
  const [, first = '', last = ''] = match;
  if (first === '' && last === '') return undefined;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return undefined;
  return start >= size ? 'unsatisfiable' : { start, end };
}
