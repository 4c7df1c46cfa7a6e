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
  const part = /\b(morning|afternoon|evening)\b/.exec(words)?.[1] as SpokenTime['part'];
  const clock = clockOf(words, part);
  const from = /\bnext week\b/.test(words) ? addDays(now, WEEK - ((weekdayOf(now) + 6) % WEEK)) : undefined;
  const anyTime =
    /\b(as soon as possible|any ?time|any day|whenever|earliest|sooner the better|today or tomorrow)\b/.test(
      words,
    );
  if (!day && !part && !clock && !from && !anyTime) return null;
  return {
    ...(day ? { day } : {}),
    ...(!day && (from || anyTime) ? { from: from ?? addDays(now, 0) } : {}),
    ...(part ? { part } : {}),
    ...clock,
  };
}

function dayOf(words: string, now: WallTime): WallTime | undefined {
  if (/\bday after tomorrow\b/.test(words)) return addDays(now, 2);
  if (/\btomorrow\b/.test(words)) return addDays(now, 1);
  if (/\b(today|this (morning|afternoon|evening))\b/.test(words)) return addDays(now, 0);
  const date = dateOf(words, now);
  if (date) return date;
  const weekday = WEEKDAYS.findIndex((name) => new RegExp(`\\b${name}s?\\b`).test(words));
  if (weekday < 0) return undefined;
  const ahead = (weekday - weekdayOf(now) + WEEK) % WEEK;
  // On a Monday, 'Monday' is the next one; 'next' changes nothing else.
  return addDays(now, ahead === 0 ? WEEK : ahead);
}

function dateOf(words: string, now: WallTime): WallTime | undefined {
  const month = MONTHS.findIndex((name) => new RegExp(`\\b${name}\\b`).test(words));
  const written = /\b(\d{1,2})(?:st|nd|rd|th)\b/.exec(words);
  const day = written ? Number(written[1]) : ordinalOf(words);
  if (!day || (month < 0 && !/\bthe\b/.test(words))) return undefined;
  const thisYear = { ...now, month: month < 0 ? now.month : month + 1, day, hour: 0, minute: 0 };
  const past = thisYear.month < now.month || (thisYear.month === now.month && day < now.day);
  if (!past) return addDays(thisYear, 0);
  return month < 0
    ? addDays({ ...thisYear, month: now.month + 1 }, 0)
    : addDays({ ...thisYear, year: now.year + 1 }, 0);
}

function ordinalOf(words: string): number {
  const tens = /\b(twenty|thirty) (first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)\b/.exec(words);
  if (tens) return (tens[1] === 'twenty' ? 20 : 30) + ORDINALS.indexOf(tens[2] ?? '') + 1;
  if (/\bthirtieth\b/.test(words)) return 30;
  const at = ORDINALS.findIndex((name) => new RegExp(`\\b${name}\\b(?! (one|slot|time))`).test(words));
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
