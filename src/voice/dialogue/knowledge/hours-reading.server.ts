import type { WeeklyHours } from '../../../business/bookings/weekly-hours.server.ts';
import { type HoursException, readHoursExceptions } from './hours-exceptions.server.ts';
import type { Fact } from './prompt-reading.server.ts';

/** The opening hours that a prompt states, and how it writes times. */
export interface StatedHours {
  /** Opening and closing in minutes of the day for each weekday, 0 is Sunday; a closed day is missing. */
  readonly open: WeeklyHours;
  /** `5 pm` where the prompt writes so, else `17:00`. */
  readonly clock: 12 | 24;
  /** Days that the prompt names as closed or open in spite of the week. */
  readonly exceptions?: readonly HoursException[];
}

type Span = NonNullable<ReturnType<WeeklyHours['get']>>;

const NAMES = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const DAY = '(?:sun|mon|tues?|wed(?:nes)?|thur?s?|fri|sat(?:ur)?)(?:day)?s?';
const DAYS = `(?:${DAY}(?:\\s*(?:to|till|through|-|–|—|,|and|&)+\\s*${DAY})*|daily|every ?day|(?:on )?weekdays|(?:at )?(?:the )?weekends?|seven days a week|7 days a week)`;
const TIME = '(?:\\d{1,2}(?:[:.]\\d{2})?\\s*(?:a\\.?m\\.?|p\\.?m\\.?)?|(?:12 )?noon|midday|midnight)';
const SPAN = new RegExp(
  `(${DAYS})|(${TIME})\\s*(?:noon\\s*)?(?:to|till|until|-|–|—|and)\\s*(${TIME})|\\b(closed)\\b|\\b(24 ?hours|24/7|around the clock)\\b`,
  'gi',
);
const SOME_DAYS = new RegExp(DAYS, 'i');
const BEGINS_WITH_DAY = new RegExp(`^${DAYS}\\b`, 'i');
const ABOUT = /\b(open|opening|hours|closed|closes)\b/i;
const OTHERS =
  /\b(deliver\w*|happy hour|music|lunch|breakfast|brunch|kitchen|emergency|parking|last orders|outside)\b/i;
const NOON = 12 * 60;
const DAY_MINUTES = 24 * 60;

/** Reads opening hours from facts; null where none are stated, or none that make up a week. */
export function readStatedHours(facts: readonly Fact[]): StatedHours | null {
  const open = new Map<number, Span>();
  let clock: 12 | 24 = 24;
  for (const own of facts.flatMap(openingIn)) {
    for (const [day, span] of spansIn(own)) {
      if (span === null) open.delete(day);
      else if (!open.has(day)) open.set(day, span);
    }
    if (/\d\s*[ap]\.?m\b/i.test(own)) clock = 12;
  }
  const exceptions = readHoursExceptions(facts.map(({ text }) => text));
  return open.size === 0 ? null : { open, clock, exceptions };
}

/** The part of a fact about opening, up to where it goes on about something else: `…, lunch from 12 to 2`. */
function openingIn({ text, context }: Fact): string[] {
  const about = ABOUT.test(text) || ABOUT.test(context) || BEGINS_WITH_DAY.test(text);
  const own = text.slice(0, Math.max(0, text.search(OTHERS)) || (OTHERS.test(text) ? 0 : text.length));
  return about && SOME_DAYS.test(own) ? [own] : [];
}

/** Pairs of day and span: each span applies to the days that were named since the last one. */
function spansIn(text: string): [day: number, span: Span | null][] {
  const found: [number, Span | null][] = [];
  let days: number[] = [];
  let early: Span | null | undefined;
  let settled = false;
  for (const match of text.matchAll(SPAN)) {
    const named = match[1];
    if (named !== undefined) {
      days = settled ? daysOf(named) : [...days, ...daysOf(named)];
      settled = false;
      if (early !== undefined) found.push(...withSpan(days, early));
      continue;
    }
    const span = spanIn(match);
    if (span === undefined) continue;
    if (days.length === 0) early = span;
    found.push(...withSpan(days, span));
    settled = true;
  }
  return found;
}

const withSpan = (days: readonly number[], span: Span | null): [number, Span | null][] =>
  days.map((day) => [day, span]);

function spanIn([, , from, to, closed, always]: RegExpMatchArray): Span | null | undefined {
  if (closed) return null;
  return always ? { opens: 0, closes: DAY_MINUTES } : spanOf(from ?? '', to ?? '');
}

function daysOf(text: string): number[] {
  if (/daily|every ?day|days a week/i.test(text)) return [0, 1, 2, 3, 4, 5, 6];
  if (/weekdays/i.test(text)) return [1, 2, 3, 4, 5];
  if (/weekend/i.test(text)) return [6, 0];
  const days: number[] = [];
  let joined = false;
  for (const [part] of text.matchAll(new RegExp(`${DAY}|to|till|through|[-–—,&]|and`, 'gi'))) {
    const day = NAMES.findIndex((name) => name.toLowerCase().startsWith(part.toLowerCase().slice(0, 3)));
    if (day < 0) joined = /^(to|till|through|[-–—])$/i.test(part);
    else {
      const last = days.at(-1);
      if (joined && last !== undefined)
        for (let at = (last + 1) % 7; at !== day; at = (at + 1) % 7) days.push(at);
      days.push(day);
      joined = false;
    }
  }
  return days;
}

/** `9 to 5` ends in the afternoon; a span that ends at midnight or later ends with the day. */
function spanOf(from: string, to: string): Span | undefined {
  const sharesHalf =
    /p\.?m/i.test(to) &&
    !/[ap]\.?m|noon|:/i.test(from) &&
    Number.parseInt(from, 10) < Number.parseInt(to, 10);
  const opens = minutesOf(from, sharesHalf);
  const said = minutesOf(to, false);
  if (opens === undefined || said === undefined) return undefined;
  const later = said < NOON && said + NOON > opens ? said + NOON : DAY_MINUTES;
  return { opens, closes: Math.min(said > opens ? said : later, DAY_MINUTES) };
}

function minutesOf(text: string, afternoon: boolean): number | undefined {
  if (/noon|midday/i.test(text)) return NOON;
  if (/midnight/i.test(text)) return DAY_MINUTES;
  const found = /(\d{1,2})(?:[:.](\d{2}))?\s*([ap])?/i.exec(text);
  const hour = Number(found?.[1]);
  if (!found || hour > 24) return undefined;
  const half = found[3]?.toLowerCase() ?? (afternoon ? 'p' : '');
  const whole = half === 'p' && hour < 12 ? hour + 12 : half === 'a' && hour === 12 ? 0 : hour;
  return whole * 60 + Number(found[2] ?? 0);
}
