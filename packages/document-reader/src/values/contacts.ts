import { parsePhoneNumberFromString } from 'libphonenumber-js';
import { findDate } from './dates.ts';
import { findIbans } from './ibans.ts';

const EMAIL = /[\p{L}\d][\p{L}\d._%+-]{0,63}@[\p{L}\d-]{1,63}(?:\.[\p{L}\d-]{1,63}){0,4}\.\p{L}{2,24}/gu;
/** "+49 9831 505-0", "+49 (9831) 505 - 19", "+447911123456", "(01423) 550123"; a short extension may follow. */
const PHONE =
  /(?<![\d/.-])(?:\+\d{1,3} ?(?!\(0\))\(\d{1,5}\)[ .-]?\d{2,8}(?:[ .-]\d{2,5}){0,4}|\+\d{1,3}[ .-]?(?:\(0\)[ .-]?)?\d{1,5}(?:[ .-]\d{2,6}){1,4}|\+[1-9]\d{7,13}|\(?0\d{2,5}\)?(?:[ .-]\d{2,6}){1,4})(?: ?[-–] ?\d{1,2})?(?![\d/])/g;
/** A place in the United States before its postal code: "Boston, MA 02110-1301". */
const BEFORE_ZIP = /\b[A-Z]{2},?\s*$/;
const ZIP = /^\d{5}-\d{4}$/;

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
      .filter(({ 0: number, index }) => !(ZIP.test(number) && BEFORE_ZIP.test(bare.slice(0, index))))
      .map(([number]) => number.trim())
      // A form's example is no number.
      .filter((number) => /[1-9]/.test(number))
      .filter((number) => {
        if (number.startsWith('+'))
          return parsePhoneNumberFromString(number.replace('(0)', ''))?.isValid() === true;
        const digits = number.replace(/\D/g, '').length;
        return digits >= 9 && digits <= 15 && findDate(number) === undefined;
      })
  );
}
