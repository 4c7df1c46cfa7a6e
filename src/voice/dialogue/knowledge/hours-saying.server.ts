import { addDays, type WallTime, weekdayOf } from '../../../business/bookings/zoned-time.server.ts';
import { readSpokenTime, type SpokenTime } from '../spoken/spoken-time.server.ts';
import { askedDay } from './hours-exceptions.server.ts';
import type { StatedHours } from './hours-reading.server.ts';

const NAMES = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const NOON = 12 * 60;
const EVENING = 18 * 60;
const DAY_MINUTES = 24 * 60;
const HALF_HOUR = 30;
/** When people come in a part of the day, in minutes: nobody asks for the morning at six. */
const PARTS = { morning: [8 * 60, NOON], afternoon: [NOON, 17 * 60], evening: [EVENING, 21 * 60] } as const;
const YES_NO =
  /\b(are|is|do|can|could|will|would|am)\b.*\b(you|anybody|anyone|someone|somebody|office|i|it|we)\b/;

/**
 * Says when the business is open, for the day or the time that was asked about.
 *
 * @param words as `normaliseWords` leaves them
 * @param now the time at the business
 */
export function sayStatedHours(hours: StatedHours, words: string, now: WallTime): string {
  const yesNo = YES_NO.test(words) && !/\b(what|when|until|how|which)\b/.test(words);
  if (/\bweekends?\b/.test(words)) return sayWeekend(hours, yesNo);
  const own = sayException(hours, words, now, yesNo);
  if (own !== null) return own;
  const asked = readSpokenTime(words.replace(/\btonight\b/g, 'this evening'), now);
  const rightNow = /\b(right now|now|at the moment)\b/.test(words);
  const day = weekdayAsked(asked, rightNow, now);
  if (day === null) return sayWeek(hours);
  const minute = rightNow ? now.hour * 60 + now.minute : minuteOf(asked);
  const said = sayDay(hours, day);
  if (minute === null && isPartly(hours, day, asked?.part))
    return capital(`not all ${asked?.part}: ${said}.`);
  if (opensAt(hours, day, minute, asked?.part)) return capital(`${yesNo ? 'yes, ' : ''}${said}.`);
  const notThen = hours.open.has(day) && minute !== null;
  return `No, ${notThen ? 'we are not open then: ' : ''}${said}.`;
}

/** What the prompt says of the day itself; null where it says nothing. */
function sayException(hours: StatedHours, words: string, now: WallTime, yesNo: boolean): string | null {
  const day = askedDay(words, now)?.day;
  const own = day && hours.exceptions?.find(({ covers }) => covers(day));
  if (!own) return null;
  return yesNo ? `${own.opens ? 'Yes' : 'No'}. ${own.sentence}` : own.sentence;
}

function sayWeekend(hours: StatedHours, yesNo: boolean): string {
  const any = hours.open.has(6) || hours.open.has(0);
  const begin = yesNo ? (any ? 'yes, ' : 'no, ') : '';
  return capital(`${begin}${sayDay(hours, 6)}, and ${sayDay(hours, 0)}.`);
}

function weekdayAsked(asked: SpokenTime | null, rightNow: boolean, now: WallTime): number | null {
  if (asked?.day) return weekdayOf(asked.day);
  return rightNow || minuteOf(asked) !== null ? weekdayOf(addDays(now, 0)) : null;
}

/** The time that was asked about; `after three` asks about three, `before ten` about the half hour up to ten. */
function minuteOf(asked: SpokenTime | null): number | null {
  if (asked?.hour !== undefined) return asked.hour * 60 + (asked.minute ?? 0);
  return asked?.after ?? (asked?.before === undefined ? null : asked.before - HALF_HOUR);
}

/** Whether the business is open for less than half of a part of the day, e.g. up to one in the afternoon. */
function isPartly({ open }: StatedHours, day: number, part: SpokenTime['part']): boolean {
  const hours = open.get(day);
  if (hours === undefined || part === undefined) return false;
  const [from, until] = PARTS[part];
  const overlap = Math.min(hours.closes, until) - Math.max(hours.opens, from);
  return overlap > 0 && overlap < (until - from) / 2;
}

function opensAt(
  { open }: StatedHours,
  day: number,
  minute: number | null,
  part: SpokenTime['part'],
): boolean {
  const hours = open.get(day);
  if (hours === undefined) return false;
  if (minute !== null) return minute >= hours.opens && minute < hours.closes;
  if (part === 'morning') return hours.opens < NOON;
  if (part === 'afternoon') return hours.closes > NOON && hours.opens < EVENING;
  return part === undefined || hours.closes > EVENING;
}

function sayDay({ open, clock }: StatedHours, day: number): string {
  const hours = open.get(day);
  if (!hours) return `we are closed on ${NAMES[day]}`;
  if (hours.closes - hours.opens >= DAY_MINUTES) return `on ${NAMES[day]} we are open around the clock`;
  return `on ${NAMES[day]} we are open from ${sayMinutes(hours.opens, clock)} to ${sayMinutes(hours.closes, clock)}`;
}

function sayWeek({ open, clock }: StatedHours): string {
  const groups: { first: number; last: number; said: string }[] = [];
  for (const day of [1, 2, 3, 4, 5, 6, 0]) {
    const hours = open.get(day);
    const said = hours
      ? `from ${sayMinutes(hours.opens, clock)} to ${sayMinutes(hours.closes, clock)}`
      : 'closed';
    const before = groups.at(-1);
    if (before?.said === said) before.last = day;
    else groups.push({ first: day, last: day, said });
  }
  const days = ({ first, last }: { first: number; last: number }) =>
    `${NAMES[first]}${first === last ? '' : ` to ${NAMES[last]}`}`;
  const spans = groups.filter(({ said }) => said !== 'closed').map((one) => `${days(one)} ${one.said}`);
  const closed = groups.filter(({ said }) => said === 'closed').map(days);
  return `We are open ${spans.join(', ')}${closed.length === 0 ? '' : `; closed on ${closed.join(' and ')}`}.`;
}

function sayMinutes(minutes: number, clock: 12 | 24): string {
  const hour = Math.floor(minutes / 60);
  const rest = String(minutes % 60).padStart(2, '0');
  if (clock === 24) return `${hour}:${rest}`;
  if (minutes === NOON) return '12 noon';
  if (minutes === DAY_MINUTES || minutes === 0) return 'midnight';
  return `${hour % 12 === 0 ? 12 : hour % 12}${rest === '00' ? '' : `:${rest}`} ${hour < 12 ? 'am' : 'pm'}`;
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
