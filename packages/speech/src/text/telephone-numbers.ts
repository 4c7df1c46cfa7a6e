import { digitWords } from './number-words.ts';
import { type ReadingRule, rule } from './reading-rule.ts';

/** Numbers that are dialled as they stand, in Britain, Ireland and abroad. */
const SHORT = new Set(['100', '101', '105', '111', '112', '116', '118', '119', '123', '150', '911', '999']);
const CALLING =
  /\b(?:call|dial|phone|ring|text|tel(?:ephone)?|mobile|fax|number|press)(?: (?:us|me|on|is|at|the number))*[:.]? $/i;
const DIALLING = /\b(?:dial|press|text)(?: on)?[:.]? $/i;
/** Words that follow a complete number; after others, such as `people`, it counted something. */
const GOES_ON =
  /^(?:$|[^\w ]| (?:[^a-z]|and\b|or\b|for\b|if\b|in\b|now\b|to\b|at\b|from\b|when\b|straight|immediately|first\b|on\b|then\b))/;
/** Digits of a national number with its leading zero, and of the longest international one (ITU-T E.164). */
const NATIONAL = { least: 9, most: 11 } as const;
const INTERNATIONAL = { least: 8, most: 13 } as const;
const LEAST_LOCAL = 6;

/** Telephone numbers: digits in the groups in which they are written or usually said, with pauses between. */
export const TELEPHONE_RULES: readonly ReadingRule[] = [
  rule(String.raw`\+?\(?\d[\d().-]*(?: ?[\d().-]*\d\)?)+`, ([found], { before, after }) =>
    sayTelephone(found, before, after),
  ),
  rule(String.raw`(\d{3,6})\b(?![,.:/-]\d)`, ([, digits = ''], { before, after }) => {
    const isDialled = DIALLING.test(before) || (CALLING.test(before) && SHORT.has(digits));
    return isDialled && GOES_ON.test(after) ? digitWords(digits) : undefined;
  }),
];

/** Undefined where it is no telephone number, or only its beginning is one. */
function sayTelephone(found: string, before: string, after: string): string | undefined {
  const groups = found.replace(/\(0\)/, ' ').match(/\d+/g) ?? [];
  const digits = groups.join('');
  const international = found.startsWith('+') || digits.startsWith('00');
  const isNational = /^\(?0[1-9]/.test(found);
  const isAmerican = /^\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}$/.test(found);
  const range = international ? INTERNATIONAL : NATIONAL;
  const fits =
    digits.length >= range.least && digits.length <= range.most + (digits.startsWith('00') ? 2 : 0);
  const isLocal =
    digits.length >= LEAST_LOCAL &&
    digits.length <= NATIONAL.most &&
    CALLING.test(before) &&
    !/[.]/.test(found);
  if (!((international || isNational) && fits) && !isAmerican && !(isLocal && GOES_ON.test(after)))
    return undefined;
  const said = groups.flatMap((group, at) => usualGroups(group, at === 0 && isNational)).map(digitWords);
  return `${found.startsWith('+') ? 'plus ' : ''}${said.join(', ')}`;
}

/** The groups of digits that were written without a gap: an area code, then threes and fours (Ofcom's style). */
function usualGroups(digits: string, national: boolean): string[] {
  if (national && digits.length > 6) {
    const code = /^(?:02\d|0800|0808|03\d\d|08\d\d|011\d|01\d1|0\d{4})/.exec(digits)?.[0] ?? '';
    return [code, ...usualGroups(digits.slice(code.length), false)];
  }
  if (digits.length <= 5 && (national || digits.length < 5)) return [digits];
  const last = digits.length % 3 === 0 ? 3 : 4;
  return [...usualGroups(digits.slice(0, -last), false), digits.slice(-last)];
}
