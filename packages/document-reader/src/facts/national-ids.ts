/** A number by which a state knows a person, and how we recognise it. */
interface NationalId {
  readonly pattern: RegExp;
  /** Words that must stand before it, if its form alone is too common. */
  readonly label?: RegExp;
  /** Whether the check digits are right; `number` has no spaces and signs, and its letters are capitals. */
  readonly holds: (number: string) => boolean;
}

const digitsOf = (text: string): number[] => [...text].map(Number);
const weighted = (text: string, weights: readonly number[]): number =>
  weights.reduce((sum, weight, index) => sum + weight * Number(text[index]), 0);
/** Sum of the digits of all products. */
const crossSum = (products: readonly number[]): number =>
  products.reduce((sum, product) => sum + Math.floor(product / 10) + (product % 10), 0);

/** Luhn's check (ISO/IEC 7812-1): payment cards, Swedish numbers. */
export function luhnHolds(number: string): boolean {
  const sum = crossSum(
    digitsOf(number)
      .reverse()
      .map((digit, index) => digit * (index % 2 === 0 ? 1 : 2)),
  );
  return number.length > 0 && sum % 10 === 0;
}

/** ISO 7064 MOD 11,10: the German tax identification number. */
function mod1110Holds(number: string): boolean {
  const product = digitsOf(number.slice(0, -1)).reduce((carry, digit) => {
    const sum = (carry + digit) % 10 || 10;
    return (sum * 2) % 11;
  }, 10);
  return (11 - product) % 10 === Number(number.at(-1));
}

const SPANISH = 'TRWAGMYFPDXBNJZSQVHLCKE';
/** Values of the characters at odd places of an Italian tax code (Decreto 12 marzo 1974). */
const ITALIAN_ODD = [
  1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23,
];

function italianHolds(code: string): boolean {
  const sum = [...code.slice(0, 15)].reduce((total, sign, index) => {
    const value = /\d/.test(sign) ? Number(sign) : sign.charCodeAt(0) - 65;
    return total + (index % 2 === 0 ? (ITALIAN_ODD[value] ?? 0) : value);
  }, 0);
  return String.fromCharCode(65 + (sum % 26)) === code[15];
}

/** German pension number: the letter counts as two digits; digits of the products are added. */
function germanPensionHolds(code: string): boolean {
  const letter = String(code.charCodeAt(8) - 64).padStart(2, '0');
  const digits = digitsOf(code.slice(0, 8) + letter + code.slice(9, 11));
  const weights = [2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1];
  return crossSum(digits.map((digit, index) => digit * (weights[index] ?? 0))) % 10 === Number(code[11]);
}

/** Numbers of thirteen countries; those with a common form need their label. */
const NATIONAL_IDS: readonly NationalId[] = [
  {
    pattern: /\d{2} ?\d{3} ?\d{3} ?\d{3}/g,
    label: /steuer-?(?:id|identifikation)|\bidnr\b|\btin\b|tax id/i,
    holds: mod1110Holds,
  },
  { pattern: /\d{2} ?\d{6} ?[A-Z] ?\d{3}/g, holds: germanPensionHolds },
  {
    pattern: /(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D]/g,
    label: /national insurance|\bni (?:no|number)|\bnino\b/i,
    holds: () => true,
  },
  {
    pattern: /\d{3} ?\d{3} ?\d{4}/g,
    label: /\bnhs\b/i,
    holds: (number) => weighted(number, [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0,
  },
  {
    pattern: /\d{3}-\d{2}-\d{4}/g,
    label: /social security|\bssn\b/i,
    holds: (number) => !/^(?:000|666|9)|^\d{3}00|0000$/.test(number),
  },
  {
    pattern: /[12] ?\d{2} ?(?:0[1-9]|1[0-2]|[2-9]\d) ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2}/g,
    holds: (number) => {
      const plain = number.slice(0, 13).replace('2A', '19').replace('2B', '18');
      return 97 - (Number(plain) % 97) === Number(number.slice(13));
    },
  },
  {
    pattern: /(?:\d{8}|[XYZ]\d{7})-?[A-HJ-NP-TV-Z]/g,
    label: /\b(?:dni|nif|nie|n\.i\.[fe]\.?|documento|identidad)(?!\p{L})/iu,
    holds: (code) => {
      const number = code.slice(0, -1).replace(/^[XYZ]/, (letter) => String('XYZ'.indexOf(letter)));
      return SPANISH[Number(number) % 23] === code.at(-1);
    },
  },
  { pattern: /[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]/g, holds: italianHolds },
  {
    pattern: /\d{9}|\d{4}[. ]\d{2}[. ]\d{3}/g,
    label: /\bbsn\b|burgerservicenummer|sofinummer/i,
    holds: (number) => weighted(number, [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0,
  },
  {
    pattern: /\d{2}\.\d{2}\.\d{2}-\d{3}\.\d{2}/g,
    holds: (number) =>
      ['', '2'].some((era) => 97 - (Number(era + number.slice(0, 9)) % 97) === Number(number.slice(9))),
  },
  {
    pattern: /756\.?\d{4}\.?\d{4}\.?\d{2}/g,
    holds: (number) => weighted(number, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]) % 10 === 0,
  },
  {
    pattern: /\d{4} ?\d{6}/g,
    label: /svnr|sv-nr|sozialversicherungsnummer|versicherungsnummer/i,
    holds: (number) => weighted(number, [3, 7, 9, -1, 5, 8, 4, 2, 1, 6]) % 11 === 0,
  },
  {
    pattern: /\d{11}/g,
    label: /\bpesel\b/i,
    holds: (number) => weighted(number, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]) % 10 === 0,
  },
  {
    pattern: /(?:\d{2})?\d{6}[-+]\d{4}/g,
    label: /person(?:nummer|nr)|samordningsnummer/i,
    holds: (number) => luhnHolds(number.slice(-10)),
  },
];

/** How far before a number its label may stand, characters. */
const LABEL_REACH = 60;

/** The places of national numbers with valid check digits in a text. */
export function findNationalIds(text: string): { start: number; end: number }[] {
  return NATIONAL_IDS.flatMap(({ pattern, label, holds }) =>
    [...text.matchAll(pattern)].flatMap(({ 0: printed, index }) => {
      const end = index + printed.length;
      const isPart = /[\p{L}\d]/u.test(text[index - 1] ?? '') || /[\p{L}\d]/u.test(text[end] ?? '');
      const before = text.slice(Math.max(0, index - LABEL_REACH), index);
      if (isPart || (label !== undefined && !label.test(before))) return [];
      return holds(printed.replace(/[\s.+-]/g, '').toUpperCase()) ? [{ start: index, end }] : [];
    }),
  );
}
