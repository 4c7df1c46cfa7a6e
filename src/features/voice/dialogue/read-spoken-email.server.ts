import { readSpokenDigits } from './read-spoken-digits.server.ts';

const SIGNS: Readonly<Record<string, string>> = {
  dot: '.',
  point: '.',
  at: '@',
  underscore: '_',
  dash: '-',
  hyphen: '-',
  minus: '-',
  plus: '+',
};
/** Words around an address that belong to no address. */
const AROUND =
  /^(.*\b(?:address is|email is|email address|it is|is|email)\b)?\s*(.*?)\s*(?:please|thanks|thank you)?$/;

/**
 * An e-mail address as it is said: `john dot smith at gmail dot com`.
 *
 * @param words as `normaliseWords` leaves them; a written address is taken as it is
 * @returns null when it is none
 */
export function readSpokenEmail(words: string): string | null {
  const written = /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/.exec(words);
  if (written) return written[0].toLowerCase();
  if (!/\bat\b/.test(words) || !/\b(dot|point)\b/.test(words)) return null;
  const said = AROUND.exec(words.slice(0, words.lastIndexOf(' at ')))?.[2] ?? '';
  const address = [
    join(said),
    join(words.slice(words.lastIndexOf(' at ') + 4).replace(/ (please|thanks|thank you)$/, '')),
  ].join('@');
  return /^[a-z0-9._+-]+@[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(address) ? address : null;
}

function join(said: string): string {
  return said
    .split(' ')
    .map((token) => {
      const digit = readSpokenDigits(token);
      return SIGNS[token] ?? (digit === '' ? token : digit);
    })
    .join('');
}
