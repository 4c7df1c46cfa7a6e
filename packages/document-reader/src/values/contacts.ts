import { parsePhoneNumberFromString } from 'libphonenumber-js';
import { findDate } from './dates.ts';
import { findIbans } from './ibans.ts';

const EMAIL = /[\p{L}\d][\p{L}\d._%+-]{0,63}@[\p{L}\d-]{1,63}(?:\.[\p{L}\d-]{1,63}){0,4}\.\p{L}{2,24}/gu;
const PHONE =
  /(?<![\d/.-])(?:\+\d{1,3}[ .-]?(?:\(0\)[ .-]?)?\d{1,5}|\(?0\d{2,5}\)?)(?:[ .-]\d{2,5}){1,4}(?![\d/])/g;

/** E-mail addresses. */
export function findEmails(text: string): string[] {
  return [...text.matchAll(EMAIL)].map(([address]) => address);
}

/** Telephone numbers as printed: with a country code, checked by that country's rules, or in groups with a leading 0. */
export function findPhones(text: string): string[] {
  // The digits of an account look like a telephone number too.
  const bare = findIbans(text).reduce(
    (rest, { printed }) => rest.replace(printed, '#'.repeat(printed.length)),
    text,
  );
  return (
    [...bare.matchAll(PHONE)]
      // The last groups of a longer number, such as a card number, are not a telephone number.
      .filter(({ index }) => !/\d{3} $/.test(bare.slice(Math.max(0, index - 4), index)))
      .map(([number]) => number.trim())
      .filter((number) => {
        if (number.startsWith('+'))
          return parsePhoneNumberFromString(number.replace('(0)', ''))?.isValid() === true;
        const digits = number.replace(/\D/g, '').length;
        return digits >= 9 && digits <= 15 && findDate(number) === undefined;
      })
  );
}
