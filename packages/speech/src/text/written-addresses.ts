import { digitWords } from './number-words.ts';
import { type ReadingRule, rule, spelledLetters } from './reading-rule.ts';

const SIGNS: Readonly<Record<string, string>> = {
  '.': 'dot',
  '@': 'at',
  '-': 'dash',
  _: 'underscore',
  '/': 'slash',
  ':': 'colon',
  '?': 'question mark',
  '=': 'equals',
  '&': 'and',
  '#': 'hash',
  '%': 'percent',
  '+': 'plus',
  '~': 'tilde',
};
/** Ends of addresses that are said as words; other short ones are spelled. */
const WORDS = new Set(
  'com org net gov edu info biz shop app dev online email name site store blog cloud agency studio academy wales cymru scot london co pro tel test example local'.split(
    ' ',
  ),
);
const LABEL = `[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?`;
const HOST = String.raw`(?:${LABEL}\.)+[A-Za-z]{2,24}`;
const PATH = String.raw`(?::\d{2,5})?(?:[/?#][^\s<>"'()]*)?`;
const FILE = 'pdf|docx?|xlsx?|pptx?|csv|txt|zip|jpe?g|png|gif|mp3|mp4|wav|html?|json|js|ts|py|exe';
/** Ends of names without a scheme that mean an address; others, such as `end.Next`, are a missing blank. */
const BARE =
  'com|org|net|co|uk|ie|eu|de|fr|io|gov|edu|info|ai|app|dev|shop|online|agency|example|scot|wales|london|us|ca|au|nz';

/** Mail and web addresses, files, and names in networks, said part by part. */
export const ADDRESS_RULES: readonly ReadingRule[] = [
  rule(String.raw`(?:mailto:)?([\w.+%-]+@${HOST})`, ([, address = '']) => sayAddress(address), 'i'),
  rule(String.raw`(?:https?|ftp|wss?):\/\/([^\s<>"'()]+)`, ([, rest = '']) => sayWeb(rest), 'i'),
  rule(String.raw`(www\.${HOST}${PATH})`, ([, rest = '']) => sayWeb(rest), 'i'),
  rule(String.raw`((?:${LABEL}\.)+(?:${FILE}))\b(?![./])`, ([, name = '']) => sayAddress(name), 'i'),
  rule(String.raw`((?:${LABEL}\.)+(?:${BARE})${PATH})(?![\w@])`, ([, name = '']) => sayWeb(name)),
  rule(String.raw`@([A-Za-z_]\w+)`, ([, name = '']) => `at ${sayAddress(name)}`),
  rule(String.raw`#([A-Za-z]\w+)`, ([, name = '']) => `hashtag ${sayAddress(name)}`),
];

function sayWeb(address: string): string {
  const marks = /[.,;:!?]+$/.exec(address)?.[0] ?? '';
  const bare = address.slice(0, address.length - marks.length).replace(/\/$/, '');
  return sayAddress(bare) + marks;
}

/** Parts as words, letters or digits; signs by their names. */
function sayAddress(address: string): string {
  const pieces = address.match(/[A-Za-z]+|\d+|[^A-Za-z\d]/g) ?? [];
  return pieces
    .map((piece) => {
      if (/\d/.test(piece)) return digitWords(piece);
      if (/[A-Za-z]/.test(piece)) return sayPart(piece);
      return SIGNS[piece] ?? '';
    })
    .filter((words) => words !== '')
    .join(' ');
}

/** A part without vowels cannot be said, and short ends such as `uk` are spelled. */
function sayPart(part: string): string {
  const lower = part.toLowerCase();
  if (WORDS.has(lower)) return lower;
  const isWord = /[aeiouy]/.test(lower) && part.length > 2;
  if (!isWord) return spelledLetters(part);
  if (/^(?:pdf|xls|ai|io|html?|csv|exe|png|jpg|www)$/.test(lower)) return spelledLetters(part);
  return part.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
}
