import { addDays, type WallTime, weekdayOf } from '../../../business/bookings/zoned-time.server.ts';
import { takenBack } from './caller-corrections.server.ts';
import { readSpokenNumber } from './spoken-digits.server.ts';

/** What a caller said about the time. Parts that were not said are missing. */
export interface SpokenTime {
  /** Midnight at the beginning of the day. */
  readonly day?: WallTime;
  /** Set where any day from this one on will do, e.g. for `next week`. */
  readonly from?: WallTime;
  readonly part?: 'morning' | 'afternoon' | 'evening';
  /** 0 to 23; guessed from office hours where neither `a m` nor `p m` was said. */
  readonly hour?: number;
  readonly minute?: number;
  /** Minutes of the day between which any time will do: `after three`, `before noon`, `between two and four`. */
  readonly after?: number;
  readonly before?: number;
}

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const MONTHS = 'january february march april may june july august september october november december'.split(
  ' ',
);
const ORDINALS = [
  'first second third fourth fifth sixth seventh eighth ninth tenth',
  'eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth',
].flatMap((words) => words.split(' '));
const HOURS = 'one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\\d{1,2}';
/** An earlier hour without `a m` is taken for the afternoon: nobody books a call for three at night. */
const FIRST_HOUR = 7;
const WEEK = 7;
/** A number beside the name of a month: `27 december`, `december 27`. */
const BARE_DATE = new RegExp(
  `\\b(\\d{1,2})(?: of)? (?:${MONTHS.join('|')})\\b|\\b(?:${MONTHS.join('|')}) (\\d{1,2})\\b(?!:)`,
);

/**
 * Reads a day and a time: `next tuesday at half past nine`, `tomorrow morning`, `the third of may at 14:30`.
 *
 * @param words as `normaliseWords` leaves them
 * @param now the local time at the agency
 * @returns null where nothing is about time
 */
export function readSpokenTime(words: string, now: WallTime): SpokenTime | null {
  const corrected = takenBack(words);
  const meant = corrected === null ? null : readTime(corrected.meant, now);
  if (corrected === null || meant === null) return readTime(words, now);
  // 'Friday at eleven, no, make that Thursday' keeps eleven o'clock.
  return { ...readTime(corrected.said, now), ...meant };
}

function readTime(words: string, now: WallTime): SpokenTime | null {
  const day = dayOf(words, now);
  const part = PART.exec(words)?.[1] as SpokenTime['part'];
  const span = spanOf(words, part);
  const clock = span === undefined ? clockOf(words, part) : undefined;
  const from = firstDayOf(words, now);
  if (!day && !part && !clock && !span && !from) return null;
  return {
    ...(day ? { day } : {}),
    ...(!day && from ? { from } : {}),
    ...(part ? { part } : {}),
    ...clock,
    ...span,
  };
}

const PART = /\b(morning|afternoon|evening)\b/;
const ANY_TIME =
  /\b(as soon as possible|any ?time(?! (after|before|between))|any day|whenever|sooner the better|today or tomorrow|earliest(?! possible time is)|(first|next|soonest) (free |available |possible |open )*(slot|time|appointment|opening|gap|one you have))\b|\bfirst you have\b/;
const COUNTS: Readonly<Record<string, number>> = { a: 1, one: 1, two: 2, three: 3, four: 4 };

/** The day from which on any day will do, where words name a week or no day at all. */
function firstDayOf(words: string, now: WallTime): WallTime | undefined {
  const [, weeks] = /\bin (a|one|two|three|four) weeks?\b(?! time on)/.exec(words) ?? [];
  if (weeks !== undefined) return addDays(now, WEEK * (COUNTS[weeks] ?? 1));
  if (/\b(in a fortnight|a fortnight today)\b/.test(words)) return addDays(now, 2 * WEEK);
  if (/\bweek after next\b/.test(words)) return addDays(mondayOf(now), 2 * WEEK);
  if (/\bnext week\b/.test(words)) return addDays(mondayOf(now), WEEK);
  return ANY_TIME.test(words) || /\bthis week\b/.test(words) ? addDays(now, 0) : undefined;
}

/** The Monday of a day's week. */
export const mondayOf = (day: WallTime): WallTime => addDays(day, -((weekdayOf(day) + 6) % WEEK));

function dayOf(words: string, now: WallTime): WallTime | undefined {
  if (/\bday after tomorrow\b/.test(words)) return addDays(now, 2);
  if (/\btomorrow\b/.test(words)) return addDays(now, 1);
  if (/\b(today|tonight|this (morning|afternoon|evening))\b/.test(words)) return addDays(now, 0);
  const [, days] = /\bin (two|three|four) days\b/.exec(words) ?? [];
  if (days !== undefined) return addDays(now, COUNTS[days] ?? 1);
  const date = dateOf(words, now);
  if (date) return date;
  const weekday = WEEKDAYS.findIndex((name) => new RegExp(`\\b${name}s?\\b`).test(words));
  return weekday < 0 ? undefined : weekdayIn(words, weekday, now);
}

/**
 * `Tuesday next week` and `next Tuesday` are in the next week, `Tuesday week` is seven days after the coming
 * Tuesday, and on a Tuesday `Tuesday` is not today.
 */
function weekdayIn(words: string, weekday: number, now: WallTime): WallTime {
  const name = WEEKDAYS[weekday];
  const ofWeek = (weekday + 6) % WEEK;
  if (/\bweek after next\b/.test(words)) return addDays(mondayOf(now), 2 * WEEK + ofWeek);
  if (new RegExp(`\\bnext (week|${name})\\b`).test(words)) return addDays(mondayOf(now), WEEK + ofWeek);
  const ahead = (weekday - weekdayOf(now) + WEEK) % WEEK || WEEK;
  return addDays(now, new RegExp(`\\b(${name} week|week on ${name})\\b`).test(words) ? ahead + WEEK : ahead);
}

const CLOCK = `(?:(?:half past|half|quarter past|quarter to) )?(?:${HOURS})(?::\\d{2})?(?: (?:thirty|fifteen|forty five|o'clock))?(?: (?:a m|p m|am|pm))?\\b|noon|midday|lunch(?: ?time)?|work`;
const BETWEEN = new RegExp(`\\b(?:between|from) (${CLOCK}) (?:and|to|till|until) (${CLOCK})`);
const AFTER = new RegExp(
  `\\b(?:after|from|later than|no earlier than|not before|past(?<!half past|quarter past)) (${CLOCK})(?! of)(?: onwards?)?`,
);
const BEFORE = new RegExp(
  `\\b(?:before|by|until|till|earlier than|no later than|not after) (${CLOCK})(?! of)`,
);

/** Times between which any will do: `after three`, `before noon`, `between two and four`. */
function spanOf(words: string, part: SpokenTime['part']): Pick<SpokenTime, 'after' | 'before'> | undefined {
  if (/\blunch ?time\b|\bover lunch\b/.test(words) && !/\b(after|before) lunch\b/.test(words))
    return { after: 12 * 60, before: 14 * 60 };
  const [, from, to] = BETWEEN.exec(words) ?? [];
  if (from !== undefined && to !== undefined)
    return { after: minutesOf(from, part, true), before: minutesOf(to, part, false) };
  const after = /\bnot after\b/.test(words) ? undefined : AFTER.exec(words)?.[1];
  const before = /\bnot before\b/.test(words) ? undefined : BEFORE.exec(words)?.[1];
  if (after === undefined && before === undefined) return undefined;
  return {
    ...(after === undefined ? {} : { after: minutesOf(after, part, true) }),
    ...(before === undefined ? {} : { before: minutesOf(before, part, false) }),
  };
}

function minutesOf(said: string, part: SpokenTime['part'], begins: boolean): number {
  if (said.startsWith('lunch')) return (begins ? 13 : 12) * 60;
  if (said === 'work') return 17 * 60;
  const clock = clockOf(`at ${said}`, part);
  return (clock?.hour ?? 12) * 60 + (clock?.minute ?? 0);
}

function dateOf(words: string, now: WallTime): WallTime | undefined {
  const month = MONTHS.findIndex((name) => new RegExp(`\\b${name}\\b`).test(words));
  const written = /\b(\d{1,2})(?:st|nd|rd|th)\b/.exec(words) ?? BARE_DATE.exec(words);
  const day = written ? Number(written[1] ?? written[2]) : ordinalOf(words);
  if (!day || (month < 0 && !/\bthe\b/.test(words))) return undefined;
  const thisYear = { ...now, month: month < 0 ? now.month : month + 1, day, hour: 0, minute: 0 };
  const weekday = WEEKDAYS.findIndex((name) => words.includes(name));
  if (month < 0 && weekday >= 0) return dayOnWeekday(day, weekday, now) ?? addDays(thisYear, 0);
  const past = thisYear.month < now.month || (thisYear.month === now.month && day < now.day);
  if (!past) return addDays(thisYear, 0);
  return month < 0
    ? addDays({ ...thisYear, month: now.month + 1 }, 0)
    : addDays({ ...thisYear, year: now.year + 1 }, 0);
}

/** The next day of that number which falls on the weekday: `Monday the fourth`. */
function dayOnWeekday(day: number, weekday: number, now: WallTime): WallTime | undefined {
  for (let ahead = 0; ahead < MONTHS.length; ahead += 1) {
    const found = addDays({ ...now, month: now.month + ahead, day }, 0);
    const isLater = ahead > 0 || day >= now.day;
    if (isLater && found.day === day && weekdayOf(found) === weekday) return found;
  }
  return undefined;
}

/** What follows `first` where it is not a date: `the first free slot`. */
const NO_DATE =
  'one|slot|time|free|available|possible|appointment|opening|gap|thing|call|you|half|week|of (?:them|those|these)';

function ordinalOf(words: string): number {
  const tens = /\b(twenty|thirty) (first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)\b/.exec(words);
  if (tens) return (tens[1] === 'twenty' ? 20 : 30) + ORDINALS.indexOf(tens[2] ?? '') + 1;
  if (/\bthirtieth\b/.test(words)) return 30;
  const at = ORDINALS.findIndex((name) => new RegExp(`\\b${name}\\b(?! (${NO_DATE}))`).test(words));
  return at + 1;
}

function clockOf(words: string, part: SpokenTime['part']): { hour: number; minute: number } | undefined {
  if (/\b(noon|midday)\b/.test(words)) return { hour: 12, minute: 0 };
  const written = /\b(\d{1,2}):(\d{2})\b/.exec(words);
  if (written) return { hour: half(Number(written[1]), words, part), minute: Number(written[2]) };
  const past = new RegExp(`\\b(half past|half|quarter past|quarter to)\\b (${HOURS})\\b`).exec(words);
  if (past) {
    const hour = half(readSpokenNumber(past[2] ?? '') ?? 0, words, part);
    if (past[1] === 'quarter to') return { hour: hour - 1, minute: 45 };
    return { hour, minute: past[1] === 'quarter past' ? 15 : 30 };
  }
  const said = new RegExp(
    `\\b(?:at |about |around |from )?(${HOURS})\\b ?(o'clock|thirty|fifteen|forty five|a m|p m|am|pm|in the|instead)?`,
  );
  const found = [...words.matchAll(new RegExp(said, 'g'))].find(
    ([whole, , after]) =>
      /^(at|about|around|from)\b/.test(whole) || after || words.split(' ').length <= 2 || part,
  );
  if (!found) return undefined;
  const minutes: Readonly<Record<string, number>> = { thirty: 30, fifteen: 15, 'forty five': 45 };
  return {
    hour: half(readSpokenNumber(found[1] ?? '') ?? 0, words, part),
    minute: minutes[found[2] ?? ''] ?? 0,
  };
}

function half(hour: number, words: string, part: SpokenTime['part']): number {
  if (hour > 12) return hour % 24;
  const morning = /\b(a m|am)\b/.test(words) || part === 'morning';
  const later = /\b(p m|pm)\b/.test(words) || part === 'afternoon' || part === 'evening';
  if (morning) return hour % 12;
  return later || hour < FIRST_HOUR ? (hour % 12) + 12 : hour;
}
