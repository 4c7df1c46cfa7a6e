import { cardinal, digitWords, NUMBER, ordinal, quantity } from './number-words.ts';
import { OPTION, type ReadingRule, rule, spelledLetters } from './reading-rule.ts';

/** Read out in full wherever they stand; the full stop belongs to them. */
const ALWAYS: Readonly<Record<string, string>> = {
  Mr: 'mister',
  Mrs: 'misses',
  Ms: 'miz',
  Mx: 'mix',
  Messrs: 'messers',
  Dr: 'doctor',
  Prof: 'professor',
  Revd: 'reverend',
  Rev: 'reverend',
  Capt: 'captain',
  Sgt: 'sergeant',
  Ltd: 'limited',
  Inc: 'incorporated',
  Corp: 'corporation',
  Bros: 'brothers',
  Dept: 'department',
  Rd: 'road',
  Ave: 'avenue',
  Blvd: 'boulevard',
  Hwy: 'highway',
  Apt: 'apartment',
  Jr: 'junior',
  Snr: 'senior',
  approx: 'approximately',
  govt: 'government',
  incl: 'including',
  excl: 'excluding',
  etc: 'et cetera',
  vs: 'versus',
  esp: 'especially',
  mgmt: 'management',
  appt: 'appointment',
  hrs: 'hours',
  mins: 'minutes',
  asap: 'as soon as possible',
  ASAP: 'as soon as possible',
  plc: 'P L C',
  PLC: 'P L C',
  PhD: 'P H D',
  MSc: 'M S C',
  BSc: 'B S C',
  OK: 'okay',
  ok: 'okay',
  WiFi: 'why fye',
  wifi: 'why fye',
  LLP: 'L L P',
};
/** Read out in full only with their full stop, or before a number. */
const WITH_STOP: Readonly<Record<string, string>> = {
  Co: 'company',
  Sr: 'senior',
  Hon: 'honourable',
  Ln: 'lane',
  Sq: 'square',
  Ct: 'court',
  Pl: 'place',
  Tel: 'telephone',
  tel: 'telephone',
  est: 'established',
  min: 'minimum',
  max: 'maximum',
  avg: 'average',
  temp: 'temperature',
  dept: 'department',
  fig: 'figure',
  Fig: 'figure',
  vol: 'volume',
  Vol: 'volume',
  ch: 'chapter',
  sec: 'section',
  Mt: 'mount',
  Ft: 'fort',
  cf: 'compare',
  viz: 'namely',
  ca: 'about',
  c: 'about',
  tbc: 'to be confirmed',
};
const PHRASES: readonly (readonly [string, string])[] = [
  [String.raw`e\.\s?g\.?,?|eg\b\.?`, 'for example'],
  [String.raw`i\.\s?e\.?,?|ie\b\.`, 'that is'],
  [String.raw`a\.k\.a\.?|aka\b`, 'also known as'],
  [String.raw`n\/a\b|N\/A\b`, 'not applicable'],
  [String.raw`w\/o\b`, 'without'],
  [String.raw`w\/(?=\s?\w)`, 'with'],
  [String.raw`c\/o\b`, 'care of'],
  [String.raw`and\/or\b`, 'and or'],
  [String.raw`Wi-?Fi\b|wi-?fi\b`, 'why fye'],
  [String.raw`P\.?S\.(?= )`, 'P S,'],
  [String.raw`C#(?!\w)`, 'C sharp'],
];
const NUMBERED: readonly (readonly [string, string, string])[] = [
  [String.raw`No[.:]?|no\.|№|Nr\.?|#`, 'number', 'number'],
  [String.raw`Nos\.?|nos\.`, 'numbers', 'numbers'],
  [String.raw`pp\.?`, 'pages', 'pages'],
  [String.raw`p\.`, 'page', 'pages'],
  [`§§?`, 'section', 'sections'],
];
const MONARCHS =
  'Charles|Henry|Elizabeth|George|William|Edward|James|Richard|Mary|Louis|Napoleon|Philip|Ferdinand|Frederick|Catherine|Peter|Alexander|Nicholas|Pius|Benedict|Paul|John|Leo|Francis|Gregory|Christian|Gustav|Harald|Olav|Baudouin|Leopold|Victor|Umberto|Ramses|Thutmose|Felipe|Carlos|Juan|Margrethe|Haakon|Malcolm|David|Alfonso|Rama|Wilhelm';
const PARTS =
  'War|Phase|Part|Chapter|Act|Volume|Type|Class|Stage|Level|Section|Article|Grade|Appendix|Mark|Title|Book|Episode|Scene|Table|Figure|Annex|Tier|Division|Schedule|Bowl|Games|Step|Group|Category|Factor|Module|Unit';
const ROMAN = '(?=[IVXLC])(?:C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})';
const STOP = String.raw`\b(\.)?`;
/** The short forms as a pattern, also with a capital at the beginning of a sentence. */
const alternatives = (words: Readonly<Record<string, string>>): string =>
  Object.keys(words)
    .map((word) => (/^[a-z]{2}/.test(word) ? `[${word[0]?.toUpperCase()}${word[0]}]${word.slice(1)}` : word))
    .join('|');
const expansion = (words: Readonly<Record<string, string>>, short: string): string =>
  words[short] ?? words[short.toLowerCase()] ?? short;

/** Abbreviations, numbered things, and Roman numerals. */
export const ABBREVIATION_RULES: readonly ReadingRule[] = [
  rule(String.raw`St\b\.?`, ([found], { before, after }) => sayStreetOrSaint(found, before, after)),
  ...PHRASES.map(([source, words]) => rule(source, () => words)),
  rule(String.raw`etc\b\.?`, ([found], { after }) => `et cetera${stopAt(found.endsWith('.'), after)}`),
  rule(
    `(${alternatives(ALWAYS)})${STOP}(?!['’@.]?\\w)`,
    ([, short = '', stop], { after }) =>
      `${expansion(ALWAYS, short)}${stopAt(stop !== undefined && !isTitle(short), after)}`,
  ),
  rule(
    String.raw`(${alternatives(WITH_STOP)})\.(?=\s|,|;|\)|$)(?! [A-Z]\w* (?:is|was|are)\b)`,
    ([, short = ''], { after }) =>
      short.length === 1 && !/^ ?\d/.test(after)
        ? undefined
        : `${expansion(WITH_STOP, short)}${stopAt(after === '', after)}`,
  ),
  ...NUMBERED.map(([source, one, many]) =>
    rule(String.raw`(?:${source})\s?(?=\d)`, (_, { after }) =>
      /^\d+\s?[-–&]\s?\d/.test(after) ? many : one,
    ),
  ),
  rule(
    String.raw`(${MONARCHS}) (${ROMAN})\b(?!['’.]?[A-Za-z])`,
    ([, name = '', numeral = ''], { before, after }) => {
      if (
        numeral === 'I' &&
        !/\b(?:King|Queen|Pope|Emperor|Tsar|Kaiser|Elizabeth) $/i.test(`${before}${name} `)
      )
        return undefined;
      return numeral === 'I' && /^ [a-z]/.test(after)
        ? undefined
        : `${name} the ${ordinal(romanValue(numeral))}`;
    },
  ),
  rule(
    String.raw`(${PARTS}) (${ROMAN})\b(?!['’.]?[A-Za-z])`,
    ([, name = '', numeral = ''], { after }) =>
      numeral === 'I' && /^ (?:am|have|was|will|would|think|can|do|did)\b/.test(after)
        ? undefined
        : `${name} ${cardinal(romanValue(numeral))}`,
    'i',
  ),
  rule(
    String.raw`(?:II|III|IV|VI|VII|VIII|IX|XI|XII|XIII|XIV|XVI|XVII|XVIII|XIX|XX|XXI)\b(?!['’])`,
    ([found], { before }) => (/[A-Z][a-z]+ $/.test(before) ? cardinal(romanValue(found)) : undefined),
  ),
  rule(
    String.raw`(?:[A-Z]\.){2,}|(?:[A-Z]\. ?)+(?=[A-Z][a-z])|[A-Z]{1,3}(?:&[A-Z]{1,3})+\b`,
    ([found], { before, after }) => {
      const letters = [...found.replace(/[^A-Z&]/g, '')]
        .map((sign) => (sign === '&' ? 'and' : sign))
        .join(' ');
      // One capital with a full stop at the end of a sentence, as in `plan B. Then`, is no initial.
      if (
        /^[A-Z]\. $/.test(found) &&
        (OPTION.test(before) ||
          /^(?:The|Then|We|I|It|This|That|You|They|He|She|If|In|On|At|And|But|So|Please)\b/.test(after))
      )
        return undefined;
      return `${letters}${stopAt(found.endsWith('.') && !/^\s/.test(found.slice(-1)), after)}`;
    },
  ),
  rule(
    String.raw`(?:ext|extn)\b\.? ?(\d{2,6})?\b`,
    ([, digits = '']) => `extension ${digitWords(digits)}`,
    'i',
  ),
  rule(
    String.raw`[vV]\.? ?(\d+(?:\.\d+)*)(?![\w.])`,
    ([, version = '']) => `version ${version.split('.').map(cardinal).join(' point ')}`,
  ),
  rule(String.raw`[*#][\d*#]*\d[*#]?`, ([found]) =>
    found.startsWith('#') && !found.endsWith('#') ? undefined : sayKeys(found),
  ),
  rule(String.raw`(?:[~≈]|c\.\s?)(?=\d)`, () => 'about'),
  rule(
    String.raw`>=?\s?(${NUMBER})|≥\s?(${NUMBER})`,
    ([found, one, other]) =>
      `${/=|≥/.test(found) ? 'at least' : 'more than'} ${quantity(one ?? other ?? '')}`,
  ),
  rule(
    String.raw`<=?\s?(${NUMBER})|≤\s?(${NUMBER})`,
    ([found, one, other]) => `${/=|≤/.test(found) ? 'at most' : 'less than'} ${quantity(one ?? other ?? '')}`,
  ),
  rule(String.raw`(?:[A-Za-z](?:-[A-Za-z]){2,})\b`, ([found]) => spelledLetters(found).split(' ').join(', ')),
];

/** Keys of a telephone: `*123#`. */
const sayKeys = (keys: string): string =>
  [...keys].map((key) => (key === '*' ? 'star' : key === '#' ? 'hash' : digitWords(key))).join(' ');

const isTitle = (short: string): boolean => /^(?:Mr|Mrs|Ms|Mx|Messrs|Dr|Prof|Revd?|Capt|Sgt)$/.test(short);

/** A full stop that also ended the sentence stays: at the end, or before a capital. */
const stopAt = (has: boolean, after: string): string =>
  has && /^(?:\s*$|\s+["'(]?[A-Z][a-z])/.test(after) ? '.' : '';

/** `St Mary` is a saint; after a name, or at the end, it is a street. */
function sayStreetOrSaint(found: string, before: string, after: string): string {
  const isStreet =
    /[A-Za-z'’] $/.test(before) &&
    (/^\s*(?:$|[,.;:!?)]|[a-z]|\d)/.test(after) ||
      (/(?:'s|\d|[A-Z][a-z]+) $/.test(before) && !/^ [A-Z]/.test(after)));
  return isStreet ? `street${stopAt(found.endsWith('.'), after)}` : 'saint';
}

const VALUES: Readonly<Record<string, number>> = { I: 1, V: 5, X: 10, L: 50, C: 100 };

function romanValue(numeral: string): number {
  return [...numeral].reduce((sum, letter, at) => {
    const value = VALUES[letter] ?? 0;
    return sum + (value < (VALUES[numeral[at + 1] ?? ''] ?? 0) ? -value : value);
  }, 0);
}
