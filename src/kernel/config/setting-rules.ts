import { z } from 'zod';
import { parseStorageUrl } from './storage-url.ts';

/** Any text, trimmed. */
export const text = (fallback: string) => z.string().trim().default(fallback);
/** true or false, in any of the usual words. */
export const flag = (fallback: boolean) =>
  z
    .enum(['true', 'false', 'on', 'off', '1', '0'], { error: 'must be true or false' })
    .default(fallback ? 'true' : 'false')
    .transform((word) => word === 'true' || word === 'on' || word === '1');
/** A whole number within a range. */
export const integer = (fallback: number, minimum: number, maximum: number) =>
  z
    .string()
    .default(String(fallback))
    .refine((word) => /^\d+$/.test(word.trim()), { error: 'must be a whole number' })
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, {
      error: `must be from ${minimum} to ${maximum}`,
    });
/** Words separated by commas; an empty text gives an empty list. */
export const list = () =>
  z
    .string()
    .default('')
    .transform((words) =>
      words
        .split(',')
        .map((word) => word.trim())
        .filter((word) => word !== ''),
    );

/** Decodes a percent-encoded part of an address; undefined where the encoding is broken. */
export function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

/** Whether `Intl` supports the time zone. */
export function isTimeZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

/** Whether the text is an origin, as `https://www.example.com`, without a path. */
export const isOrigin = (word: string): boolean =>
  /^https?:$/.test(URL.parse(word)?.protocol ?? '') && URL.parse(word)?.origin === word;

/** Whether `words` is empty or a range of ports such as `50000-50100`. */
export function isPortRange(words: string): boolean {
  const [, from, to] = /^(\d{4,5})-(\d{4,5})$/.exec(words) ?? [];
  return words === '' || (Number(from) >= 1024 && Number(from) < Number(to) && Number(to) <= 65_535);
}
/** An empty text, or an address with one of the protocols. */
export const url = (protocols: string[]) =>
  z
    .string()
    .trim()
    .default('')
    .refine((word) => word === '' || protocols.includes(URL.parse(word)?.protocol ?? ''), {
      error: `must be an address that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
    });
/** An empty text, or where objects are stored (`storage-url.ts`). */
export const storage = () => storageUnless((word) => word === '');
/** An empty text, a folder, or a bucket (`storage-url.ts`). */
export const backupPlace = () => storageUnless((word) => !/^[a-z0-9]+:\/\//i.test(word));

function storageUnless(fits: (word: string) => boolean) {
  return z
    .string()
    .trim()
    .default('')
    .superRefine((word, context) => {
      if (fits(word)) return;
      try {
        parseStorageUrl(word);
      } catch (error) {
        context.addIssue({ code: 'custom', message: (error as Error).message });
      }
    });
}
