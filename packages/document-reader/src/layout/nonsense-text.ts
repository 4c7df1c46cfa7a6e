/** The shortest text that can be called nonsense, characters. */
const LEAST_SIGNS = 5;
/** From this length on, less of it has to be nonsense. */
const LONG = 500;
/** Shares of characters that are letters or digits: a short text with less, and a long one with less, is nonsense. */
const LEAST_LETTERS = 0.5;
const LEAST_LETTERS_OF_LONG = 0.7;
/** Fewest letters of words by which vowels are judged, and the share of vowels that every language exceeds. */
const LEAST_LATIN = 60;
const LEAST_VOWELS = 0.2;
/** Letters are shifted if few are vowels, and more of the letters some numbers further in ASCII, by this share. */
const FEW_VOWELS = 0.28;
const MORE_VOWELS = 0.1;
const SHIFTS = [29, 31];
/** Share of characters that no text has: for private use, or with the bytes of UTF-16 in the wrong order. */
const MOST_ODD = 0.3;
/** Fewest words, the share of them that are signs only, and the fewest different ones of these. */
const LEAST_WORDS = 20;
const MOST_SIGN_WORDS = 0.15;
const LEAST_KINDS = 5;

/** Words without digits; codes are shorter, or have digits. */
const WORDS = /(?<![\p{L}\p{N}])\p{Script=Latin}{4,}(?![\p{L}\p{N}])/gu;
const LATIN = /\p{Script=Latin}/gu;
const VOWELS = /[aeiouyÀ-ÆÈ-ÏÒ-ÖØ-Ýà-æè-ïò-öø-ýĀ-ąĒ-ěĨ-ıŌ-œŨ-ų]/gi;
/** Signs that formulas and figures do not have. */
const TELLING = /[!"#&'?@^_`~\\]/;
const LEAST_TELLING = 2;
/** A word of signs that are not those of mathematics, tables or money. */
const SIGN_WORD = /^[!"#%&'*,.:;?@^_`~\\{}]+$/;

/**
 * Whether the text of a page makes no sense because its fonts do not say which letters they draw. Numbers, codes, dots of a
 * table of contents and lines of a form are not nonsense.
 */
export function isNonsense(text: string): boolean {
  // Rows of dots, strokes and the like are drawn with signs.
  const plain = text.slice(0, 400_000).replace(/([^\p{L}\p{N}\s])(?:\s*\1)+/gu, '$1');
  const signs = plain.replace(/\s+/g, '');
  if (signs.length < LEAST_SIGNS) return false;
  const count = (pattern: RegExp): number => signs.match(pattern)?.length ?? 0;
  const letters = count(/[\p{L}\p{M}\p{N}]/gu) / signs.length;
  const isLong = signs.length > LONG;
  // A short page of formulas, figures or brackets has few letters too, but none of these signs.
  if (letters < (isLong ? LEAST_LETTERS_OF_LONG : LEAST_LETTERS) && (isLong || TELLING.test(signs)))
    return true;
  if (count(/[\p{Co}\p{Cn}\ufffd]/gu) / signs.length > MOST_ODD) return true;
  if ([...signs].filter(isSwapped).length / signs.length > MOST_ODD) return true;
  return hasNoVowels(plain) || isShifted(signs) || isMostlySigns(plain);
}

/** Whether the character is a Latin letter or digit whose two bytes in UTF-16 are in the wrong order. */
function isSwapped(sign: string): boolean {
  const code = sign.charCodeAt(0);
  return (code & 0xff) === 0 && /[A-Za-z0-9]/.test(String.fromCharCode(code >> 8));
}

/** Whether the words of a text have other letters than those that are printed: hardly any of them is a vowel. */
function hasNoVowels(text: string): boolean {
  const letters = (text.match(WORDS) ?? []).join('');
  return (
    letters.length >= LEAST_LATIN && (letters.match(VOWELS)?.length ?? 0) / letters.length < LEAST_VOWELS
  );
}

/** Whether the numbers of letters in a font were taken for letters, so that the text makes sense some letters further. */
function isShifted(signs: string): boolean {
  const share = (text: string): number => {
    const letters = text.match(LATIN)?.length ?? 0;
    return letters < LEAST_LATIN ? 1 : (text.match(VOWELS)?.length ?? 0) / letters;
  };
  const own = share(signs);
  if (own > FEW_VOWELS) return false;
  return SHIFTS.some((by) => {
    const shifted = signs.replace(/[!-~]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + by));
    return share(shifted) < 1 && share(shifted) > own + MORE_VOWELS;
  });
}

/** Whether many words of a text are signs, as where one of its fonts names signs in place of letters. */
function isMostlySigns(text: string): boolean {
  const words = text.split(/\s+/).filter((word) => word !== '');
  const odd = words.filter((word) => SIGN_WORD.test(word));
  const kinds = [...new Set(odd)];
  return (
    words.length >= LEAST_WORDS &&
    odd.length / words.length > MOST_SIGN_WORDS &&
    kinds.length >= LEAST_KINDS &&
    kinds.filter((kind) => TELLING.test(kind)).length >= LEAST_TELLING
  );
}
