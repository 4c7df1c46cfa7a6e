import { readSpokenDigits } from './spoken-digits.server.ts';
import { joinLetters } from './spoken-letters.server.ts';

const SIGNS: Readonly<Record<string, string>> = {
  dot: '.',
  point: '.',
  period: '.',
  at: '@',
  underscore: '_',
  dash: '-',
  hyphen: '-',
  minus: '-',
  plus: '+',
};
/** Words around an address that are not part of it. */
const AROUND =
  /^(.*\b(?:address is|email is|email address|it is|that is|i said|it should be|make it|me at|me on|me an email (?:at|to)|is|email|no)\b)?\s*(.*?)\s*(?:please|thanks|thank you)?$/;
/** Names of mail providers as recognisers hear them. */
const PROVIDERS: readonly (readonly [RegExp, string])[] = [
  [/\b(g|gee|jee|a g|the) ?mail\b/g, 'gmail'],
  [/\bhot ?mail\b/g, 'hotmail'],
  [/\bout ?look\b/g, 'outlook'],
  [/\bi ?cloud\b/g, 'icloud'],
  [/\b(dot|point|period) (come|calm|comb|column|comma|con|cam)\b/g, 'dot com'],
  [/\b(dot|point) c o m\b/g, 'dot com'],
  [/\b(co|c o) (dot|point) (u k|uk|you k)\b/g, 'co dot uk'],
  [/\bat sign\b/g, 'at'],
];
/** Providers whose addresses all end in `.com`, so that the ending need not be said. */
const ENDS_IN_COM = /@(gmail|outlook|hotmail|yahoo|icloud)$/;

/**
 * Reads an e-mail address as it is said: `john dot smith at gmail dot com`, with the name spelt or not.
 *
 * @param words as `normaliseWords` leaves them; a written address is taken as it is
 * @returns null where there is none
 */
export function readSpokenEmail(words: string): string | null {
  const written = /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/.exec(words);
  if (written) return written[0].toLowerCase();
  let plain = words;
  for (const [said, meant] of PROVIDERS) plain = plain.replace(said, meant);
  const at = plain.lastIndexOf(' at ');
  if (at < 0) return null;
  const name = AROUND.exec(joinLetters(plain.slice(0, at)).words)?.[2] ?? '';
  const domain = joinLetters(plain.slice(at + 4)).words.replace(/ (please|thanks|thank you)$/, '');
  const address = [join(name), join(domain)].join('@').replace(ENDS_IN_COM, '@$1.com');
  return /^[a-z0-9._+-]+@[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(address) ? address : null;
}

function join(said: string): string {
  return said
    .split(' ')
    .map((token) => {
      const digit = readSpokenDigits(token);
      return SIGNS[token] ?? (digit === '' ? token.replace(/'/g, '') : digit);
    })
    .join('');
}
