import { cardinal, digitWords, yearWords } from './number-words.ts';
import { type ReadingRule, rule, spelledLetters } from './reading-rule.ts';

const NAMED = `code|pin|passcode|password|otp|ref(?:erence)?|order|booking|invoice|ticket|case|policy|membership|account|card|serial|tracking|flight|registration|reg|licence|id|room|suite|extension`;
const CODE_BEFORE = new RegExp(
  String.raw`\b(?:${NAMED})(?: (?:number|no\.?|code|id))?(?:,? (?:is|was|ending|ends|in|with|it's))*[:=]? ?#?$`,
  'i',
);
/** After these words the digits were a code; other words, such as `people`, were counted by them. */
const GOES_ON =
  /^(?:$|[^\w ]| (?:[^a-z]|is\b|was\b|has\b|and\b|or\b|for\b|to\b|on\b|at\b|in\b|by\b|from\b|with\b|will\b|please\b|before\b|now\b|again\b|into\b|when\b|if\b|then\b))/;
/** Digits of a long code are said in groups of this size. */
const GROUP = 4;

/** Codes, references, postcodes: letters by their names, digits one by one, a pause where a gap or a dash is. */
export const CODE_RULES: readonly ReadingRule[] = [
  rule(
    String.raw`([A-Z]{1,2}\d[A-Z\d]?) ?(\d[A-Z]{2})\b`,
    ([, outward = '', inward = '']) =>
      `${sayOutward(outward)}, ${digitWords(inward)} ${spelledLetters(inward)}`,
  ),
  rule(String.raw`(\d\d)-(\d\d)-(\d\d)(?![\d-])`, ([, ...groups]) =>
    groups.map((group) => digitWords(group ?? '')).join(', '),
  ),
  rule(String.raw`\d{3,4}(?:[ -]\d{3,4}){2,}(?!\d)`, ([found]) =>
    found.split(/[ -]/).map(digitWords).join(', '),
  ),
  rule(String.raw`(\d{3,})(?:[ -](\d{2,}))*(?![\d%]|[.,:/]\d)\b`, ([found], { before, after }) =>
    CODE_BEFORE.test(before) && GOES_ON.test(after)
      ? found.split(/[ -]/).flatMap(grouped).map(digitWords).join(', ')
      : undefined,
  ),
  rule(String.raw`\d{7,}(?![\d%]|[.,]\d|\s?[£€$])`, ([found], { after }) =>
    /000$/.test(found) || !GOES_ON.test(after) ? undefined : grouped(found).map(digitWords).join(', '),
  ),
  rule(
    String.raw`(?=[A-Za-z-]*\d)(?=[\d-]*[A-Za-z])[A-Za-z\d]+(?:[-_][A-Za-z\d]+)*(?![\w@])`,
    ([found], { before }) =>
      // Decades and ordinals have rules of their own: `mid-1990s`.
      /(?:^|-)\d+(?:s|st|nd|rd|th)\b/i.test(found) ? undefined : sayCode(found, CODE_BEFORE.test(before)),
  ),
];

/** The first half of a postcode: its area spelled, its district as a number. */
function sayOutward(outward: string): string {
  return runsOf(outward)
    .map((run) => (/\d/.test(run) ? cardinal(run) : spelledLetters(run)))
    .join(' ');
}

const runsOf = (text: string): string[] => text.match(/[A-Za-z]+|\d+/g) ?? [];

function grouped(digits: string): string[] {
  if (digits.length <= GROUP + 1) return [digits];
  return digits.length % 3 === 0 ? (digits.match(/\d{3}/g) ?? []) : (digits.match(/\d{1,4}/g) ?? []);
}

/** @param named whether the text said that a code follows */
function sayCode(code: string, named: boolean): string {
  const parts = code.split(/[-_]/);
  // Words with a number at an end are no codes: `covid-19`, `under-18`, `covid19`, `Windows11`.
  const isCode = named || parts.some((part) => /^(?:[A-Z]{1,4}|(?=.*\d)(?=.*[A-Za-z]).+)$/.test(part));
  return parts
    .map((part) =>
      runsOf(part)
        .map((run) => (/\d/.test(run) ? sayDigits(run, named || (isCode && parts.length > 1)) : sayRun(run)))
        .join(' '),
    )
    .join(isCode && parts.some((part) => /^\d{3,}$/.test(part)) ? ', ' : ' ');
}

/** Up to two digits are a number, as in `A4` and `M25`, if no code was announced. */
function sayDigits(digits: string, each: boolean): string {
  if (/^(?:19|20)\d\d$/.test(digits) && !each) return yearWords(digits);
  if (digits.length > 2 || each || digits.startsWith('0')) return grouped(digits).map(digitWords).join(', ');
  return cardinal(digits);
}

const sayRun = (run: string): string =>
  run === run.toUpperCase()
    ? run.length > 4 && /[AEIOUY]/.test(run)
      ? run.toLowerCase()
      : spelledLetters(run)
    : run.length > 2 && /[aeiouy]/.test(run)
      ? run
      : run === 'v'
        ? 'version'
        : spelledLetters(run);
