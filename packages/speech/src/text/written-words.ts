import { OPTION, type ReadingRule, rule, spelledLetters } from './reading-rule.ts';

/** Acronyms that people say as words. */
const SAID_AS_WORDS = new Set(
  'NASA NATO UNESCO UNICEF PIN SIM RAM ROM AIDS COVID FIFA UEFA OPEC OFSTED OFCOM OFGEM OFWAT ACAS BUPA DEFRA IKEA LEGO SWAT SAGA MOMA TESCO ASDA ALDI LIDL ISA NICE ERASMUS RADAR LASER SCUBA CAPTCHA GIF JPEG ZIP NASDAQ FAQS YES NO AND THE FOR NOT YOU ALL NEW NOW OUR ANY OUT OFF TOP FREE SALE OPEN SHUT STOP ONLY NEVER MUST WILL CALL HELP THIS THAT FROM WITH YOUR NOTE READ PLEASE BUT ARE CAN DO GO IF IN ON AT OR TO OF BY SO WE BE MY UP'.split(
    ' ',
  ),
);
const LETTER_NEAR = /(?:^|[\s,-])[A-Za-z][,.]? ?$/;
const LETTER_NEXT = /^[,.]? ?[A-Za-z](?![A-Za-z'])/;
/** Name parts whose inner capital does not begin a word. */
const NAME = /^(?:Ma?c|O'|D'|De|Di|Du|Fitz|La|Le|Van|Von)[A-Z]/;

/** Words: acronyms, single letters, and names written with capitals inside. */
export const WORD_RULES: readonly ReadingRule[] = [
  rule(`([A-Z]{2,})('s|s)?(?![A-Za-z])`, ([, capitals = '', end = ''], { before, after }) =>
    sayCapitals(capitals, end, isShouting(before, after)),
  ),
  rule(
    `([A-Za-z])(?:('s)(?![A-Za-z])|(?!['A-Za-z]))`,
    ([, letter = '', end = ''], { before, after }) => `${sayLetter(letter, before, after)}${end}`,
  ),
  rule(`[A-Za-z]+(?:'[A-Za-z]+)*'?`, ([found]) => sayWord(found.replace(/'$/, ''))),
];

/** Whether the neighbours are capitals too: then the text shouts, and its words are no acronyms. */
function isShouting(before: string, after: string): boolean {
  const [last = '', next = ''] = [/([A-Za-z']+)\W*$/.exec(before)?.[1], /^\W*([A-Za-z']+)/.exec(after)?.[1]];
  const shouts = (word: string): boolean =>
    word.length > 3 && word === word.toUpperCase() && /[AEIOUY]/.test(word);
  return shouts(last) || shouts(next);
}

function sayCapitals(capitals: string, end: string, shouting: boolean): string {
  const hasVowel = /[AEIOUY]/.test(capitals);
  const asWord =
    SAID_AS_WORDS.has(capitals) || (hasVowel && (capitals.length > 5 || (shouting && capitals.length > 1)));
  if (capitals === 'OK') return 'okay';
  if (asWord) return capitals.toLowerCase() + end;
  return `${spelledLetters(capitals)}${end === '' ? '' : "'s"}`;
}

/** The article stays a small letter; a letter that is meant as one becomes a capital. */
function sayLetter(letter: string, before: string, after: string): string {
  if (letter === 'I' || letter === 'i') return 'I';
  const spells = LETTER_NEAR.test(before) || LETTER_NEXT.test(after);
  if (letter !== 'a' && letter !== 'A') return letter.toUpperCase();
  if (spells || OPTION.test(before) || /^ (?:for|as in) [A-Z]?[a-z]/.test(after)) return 'A';
  return letter === 'A' && !/^\s+["']?[A-Za-z\d]/.test(after) ? 'A' : 'a';
}

function sayWord(word: string): string {
  if (NAME.test(word) || !/[a-z][A-Z]/.test(word)) return word;
  return word
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .split(' ')
    .map((part) => (part.length === 1 || /^[A-Z]{2,}$/.test(part) ? spelledLetters(part) : part))
    .join(' ');
}
