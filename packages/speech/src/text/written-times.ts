import { cardinal } from './number-words.ts';
import { type ReadingRule, rule } from './reading-rule.ts';

const HALF = String.raw`(a|p)\.?m\b\.?`;
const DASH = String.raw`\s?(?:[-–—]|to)\s?`;
const CLOCK =
  /\b(?:at|from|until|till|by|before|after|to|between|and|around|about|opens?|closes?|starts?|ends?) $/i;

/** Times of day. Those of 24 hours are said with twelve, as people do; `a m` and `p m` stay where they are written. */
export const TIME_RULES: readonly ReadingRule[] = [
  rule(
    String.raw`(\d{1,2})(?:[:.](\d\d))?\s?(?:${HALF})?${DASH}(\d{1,2})(?:[:.](\d\d))?\s?${HALF}(?![A-Za-z])`,
    ([found, h1, m1, half1, h2, m2, half2], { after }) => {
      if (!isTime(h1, m1) || !isTime(h2, m2)) return undefined;
      return `${sayHalf(h1, m1, half1)} to ${sayHalf(h2, m2, half2)}${endOf(found, after)}`;
    },
    'i',
  ),
  rule(
    String.raw`(\d{1,2})(?:[:.](\d\d))?\s?${HALF}(?![A-Za-z])`,
    ([found, hour, minute, half], { after }) =>
      isTime(hour, minute) ? `${sayHalf(hour, minute, half)}${endOf(found, after)}` : undefined,
    'i',
  ),
  rule(String.raw`(\d{1,2})[:.](\d\d)${DASH}(\d{1,2}):(\d\d)(?![:\d])`, ([, ...found]) => {
    const [h1, m1, h2, m2] = found;
    return isTime(h1, m1) && isTime(h2, m2) ? `${sayTime(h1, m1)} to ${sayTime(h2, m2)}` : undefined;
  }),
  rule(String.raw`(\d{1,2}):(\d\d):(\d\d)(?:\.\d+)?Z?(?![:\d])`, ([, hour, minute, second]) =>
    isTime(hour, minute)
      ? `${sayTime(hour, minute)}${Number(second) === 0 ? '' : ` and ${cardinal(Number(second))} seconds`}`
      : undefined,
  ),
  rule(String.raw`(\d{1,2})[:h](\d\d)(?![:\d])\s?(?:h(?:rs|ours)?\b)?`, ([, hour, minute]) =>
    isTime(hour, minute) ? sayTime(hour, minute) : undefined,
  ),
  rule(
    String.raw`(\d{1,2})\.([0-5]\d)(?![\d%]|[.,]\d|\s?(?:[a-z°£€%]|million|percent|per cent))`,
    ([, hour, minute], { before }) =>
      CLOCK.test(before) && isTime(hour, minute) ? sayTime(hour, minute) : undefined,
  ),
];

const isTime = (hour?: string, minute = '0'): boolean => Number(hour) <= 24 && Number(minute) < 60;

/** A time with `a m` or `p m`, where it is written. */
function sayHalf(hour: string | undefined, minute: string | undefined, half: string | undefined): string {
  const [h, m] = [Number(hour), Number(minute ?? 0)];
  const clock = cardinal(h > 12 ? h - 12 : h);
  const minutes = m === 0 ? '' : ` ${m < 10 ? 'oh ' : ''}${cardinal(m)}`;
  return `${clock}${minutes}${half === undefined ? '' : ` ${half.toUpperCase()} M`}`;
}

function sayTime(hour: string | undefined, minute: string | undefined): string {
  const [h, m] = [Number(hour) % 24, Number(minute)];
  const clock = cardinal(h % 12 === 0 ? 12 : h % 12);
  if (m === 0) return h === 0 ? 'midnight' : `${clock} o'clock`;
  if (m === 30) return `half past ${clock}`;
  return `${clock} ${m < 10 ? 'oh ' : ''}${cardinal(m)}`;
}

/** The full stop of `p.m.`, where it also ends the sentence. */
const endOf = (found: string, after: string): string =>
  found.endsWith('.') && /^(?:$| [A-Z])/.test(after) ? '.' : '';
