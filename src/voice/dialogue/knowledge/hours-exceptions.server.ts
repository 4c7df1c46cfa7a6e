import {
  piecesOf,
  sayWeeklyHours,
  type WeeklyHours,
} from '../../../business/bookings/weekly-hours.server.ts';
import { addDays, type WallTime, weekdayOf } from '../../../business/bookings/zoned-time.server.ts';
import { readSpokenTime } from '../spoken/spoken-time.server.ts';

/** A sentence about days on which the business is closed, or open in spite of its hours. */
export interface HoursException {
  readonly opens: boolean;
  readonly sentence: string;
  covers(day: WallTime): boolean;
}

interface MonthDay {
  readonly month: number;
  readonly day: number;
}

/** A day that a sentence names, by number or by the name of a holiday. */
interface NamedDay {
  readonly from: number;
  readonly to: number;
  readonly year: number | undefined;
  of(year: number): MonthDay;
}

const fixed = (month: number, day: number) => (): MonthDay => ({ month, day });

/** Days after Easter Sunday, by the computus of Meeus, Jones and Butcher. */
const afterEaster =
  (days: number) =>
  (year: number): MonthDay => {
    const [a, b, c] = [year % 19, Math.floor(year / 100), year % 100];
    const h = (19 * a + b - Math.floor(b / 4) - Math.floor((b - Math.floor((b + 8) / 25) + 1) / 3) + 15) % 30;
    const l = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - h - (c % 4)) % 7;
    const m = Math.floor((a + 11 * h + 22 * l) / 451);
    const sum = h + l - 7 * m + 114;
    return addDays({ year, month: Math.floor(sum / 31), day: (sum % 31) + 1 + days, hour: 0, minute: 0 }, 0);
  };

/** Holidays with the words for them; the longer words come first. `public` is one on which most businesses are closed. */
const HOLIDAYS: readonly { name: string; said: RegExp; public: boolean; of: (year: number) => MonthDay }[] = [
  { name: 'Christmas Eve', said: /christmas eve/, public: false, of: fixed(12, 24) },
  { name: 'Christmas Day', said: /christmas(?: day)?/, public: true, of: fixed(12, 25) },
  { name: 'Boxing Day', said: /boxing day/, public: true, of: fixed(12, 26) },
  { name: "New Year's Eve", said: /new year(?:'?s)? eve/, public: false, of: fixed(12, 31) },
  { name: "New Year's Day", said: /new year(?:'?s)?(?: day)?/, public: true, of: fixed(1, 1) },
  { name: 'Good Friday', said: /good friday/, public: true, of: afterEaster(-2) },
  { name: 'Easter Monday', said: /easter monday/, public: true, of: afterEaster(1) },
  { name: 'Easter Sunday', said: /easter(?: sunday| day)?/, public: true, of: afterEaster(0) },
];
const ALL_HOLIDAYS = /\b(?:bank|public|national) holidays?\b/;
const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const MONTH_NAME = `(?:${MONTHS.join('|')})[a-z]*`;
const MONTH = `(${MONTH_NAME})\\.?`;
const NUMBER = '(\\d{1,2})(?:st|nd|rd|th)?';
const DATE = new RegExp(
  `\\b(?:${NUMBER}(?: of)? ${MONTH}|${MONTH} (?:the )?${NUMBER})(?!\\d|:)(?:,? (20\\d\\d))?`,
  'g',
);
/** `24 to 26 December`: the first day has the month of the second. */
const SHARED_MONTH = new RegExp(`\\b${NUMBER} (to|and|until) (?=${NUMBER}(?: of)? (${MONTH_NAME}))`, 'g');
const CLOSED = /\b(?:closed|shut|not open|close)\b/;
const OPEN = /\bopen\b/;

/** The exceptions that sentences of an assistant state, with all that they say about them. */
export function readHoursExceptions(sentences: readonly string[]): HoursException[] {
  return sentences.flatMap((sentence) => {
    const text = plain(sentence);
    const closes = CLOSED.test(text);
    if (!closes && !OPEN.test(text)) return [];
    const spans = spansIn(text);
    return spans.length === 0
      ? []
      : [{ opens: !closes, sentence, covers: (day: WallTime) => spans.some((span) => span(day)) }];
  });
}

function plain(sentence: string): string {
  const text = sentence
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(/(?<=\w)\s*[–—-]\s*(?=\d|[a-z]{3})/g, ' to ')
    .replace(/\s+/g, ' ');
  // `24 and 26 December` become two dates.
  return text.replace(SHARED_MONTH, '$1 $4 $2 ');
}

type Span = (day: WallTime) => boolean;

function spansIn(text: string): Span[] {
  const named = daysIn(text);
  const found: Span[] = ALL_HOLIDAYS.test(text) ? [isPublicHoliday] : [];
  for (let at = 0; at < named.length; at += 1) {
    const [first, next] = [named[at], named[at + 1]];
    if (first === undefined) break;
    const link = next === undefined ? '' : text.slice(first.to, next.from).trim();
    const isRange =
      /^(?:to|till|until|through|up to)(?: and including)?$/.test(link) ||
      (link === 'and' && /\bbetween\s*$/.test(text.slice(0, first.from)));
    if (isRange && next !== undefined) {
      found.push(between(first, next));
      at += 1;
    } else found.push((day) => isDay(first, day));
  }
  return found;
}

function daysIn(text: string): NamedDay[] {
  const dates = [...text.matchAll(DATE)].map((match): NamedDay => {
    const [whole, day, month, monthFirst, dayLast, year] = match;
    const at = MONTHS.indexOf((month ?? monthFirst ?? '').slice(0, 3)) + 1;
    return {
      from: match.index,
      to: match.index + whole.length,
      year: year === undefined ? undefined : Number(year),
      of: fixed(at, Number(day ?? dayLast)),
    };
  });
  const all = new RegExp(HOLIDAYS.map(({ said }) => `(${said.source})`).join('|'), 'g');
  const holidays = [...text.matchAll(all)].map((match): NamedDay => {
    const which = match.slice(1).findIndex((part) => part !== undefined);
    return {
      from: match.index,
      to: match.index + match[0].length,
      year: undefined,
      of: HOLIDAYS[which]?.of ?? fixed(0, 0),
    };
  });
  return [...dates, ...holidays].sort((one, other) => one.from - other.from);
}

const number = ({ month, day }: MonthDay): number => month * 100 + day;
const isDay = (named: NamedDay, day: WallTime): boolean =>
  (named.year ?? day.year) === day.year && number(named.of(day.year)) === number(day);
const isPublicHoliday = (day: WallTime): boolean =>
  HOLIDAYS.some((one) => one.public && number(one.of(day.year)) === number(day));

/** From one day to another, over the end of the year where the second comes first. */
function between(first: NamedDay, last: NamedDay): Span {
  return (day) => {
    const [from, to, at] = [number(first.of(day.year)), number(last.of(day.year)), number(day)];
    if (from <= to) return (first.year ?? last.year ?? day.year) === day.year && at >= from && at <= to;
    const begins = first.year ?? (last.year === undefined ? undefined : last.year - 1);
    if (at >= from) return begins === undefined || begins === day.year;
    return at <= to && (begins === undefined || begins + 1 === day.year);
  };
}

/** The day that a question is about: a date, a weekday or a holiday. @param words as `normaliseWords` leaves them */
export function askedDay(words: string, now: WallTime): { day: WallTime; holiday?: string } | null {
  const holiday = HOLIDAYS.find(({ said }) => said.test(words));
  if (holiday !== undefined) {
    const year = number(holiday.of(now.year)) < number(now) ? now.year + 1 : now.year;
    return { day: { ...holiday.of(year), year, hour: 0, minute: 0 }, holiday: holiday.name };
  }
  const day = readSpokenTime(words, now)?.day;
  if (day === undefined) return null;
  const known = HOLIDAYS.find((one) => one.public && number(one.of(day.year)) === number(day));
  return { day, ...(known !== undefined && { holiday: known.name }) };
}

const ASKS =
  /\b(?:(?:are|is|will) (?:you|your \w+|the (?:office|shop|studio)|anybody|anyone|somebody|someone|there (?:anybody|anyone|somebody|someone))\b.*\b(?:open(?! to)|closed|shut|there|around|working)|do you (?:open|close|work)\b)/;
const WISHES = /\b(?:book|booking|appointment|slot|call me|ring me|meeting)\b/;
const GOES_ON = /^(?:and |or |what about |how about )*(?:on |at |for )?/;
const MOST_WORDS_ON = 8;
const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** What the answer is taken from. */
export interface OpeningFacts {
  readonly week: WeeklyHours;
  /** The assistant's own sentences: its prompt and files. */
  readonly sentences: readonly string[];
  /** The time at the agency. */
  readonly now: WallTime;
}

/** Whether words ask if the agency is open on a day; `continues` after an answer about the hours. */
export function asksForDay(words: string, now: WallTime, continues: boolean): boolean {
  const isShort = words.split(' ').length <= MOST_WORDS_ON && GOES_ON.test(words);
  return !WISHES.test(words) && (ASKS.test(words) || (continues && isShort)) && askedDay(words, now) !== null;
}

/**
 * Yes or no to whether the agency is there on a day: by what the assistant's sentences say of it, else by the weekly hours.
 * For a public holiday of which nothing is said it says so.
 *
 * @returns null where the words name no day
 */
export function sayOpenOn(words: string, { week, sentences, now }: OpeningFacts): string | null {
  const asked = askedDay(words, now);
  if (asked === null) return null;
  const { day, holiday } = asked;
  const asksClosed = /\b(?:closed|shut|close)\b/.test(words);
  const yes = (isOpen: boolean): string => (isOpen !== asksClosed ? 'Yes' : 'No');
  const own = readHoursExceptions(sentences).find(({ covers }) => covers(day));
  if (own !== undefined) return `${yes(own.opens)}. ${own.sentence}`;
  const usual = `They are there ${sayWeeklyHours(week)}.`;
  const span = week.get(weekdayOf(day));
  const name = `${holiday === undefined ? '' : `${holiday}, `}${dayWords(day)}`;
  if (span === undefined) return `${yes(false)}, on ${name} my colleagues are not there. ${usual}`;
  if (holiday !== undefined)
    return `I do not know whether my colleagues are there on ${name}. On other days: ${sayWeeklyHours(week)}.`;
  const { hour, minute = 0 } = readSpokenTime(words, now) ?? {};
  const at = hour === undefined ? undefined : hour * 60 + minute;
  const pieces = piecesOf(span);
  const isThen = at === undefined || pieces.some(({ opens, closes }) => at >= opens && at < closes);
  const times = sayWeeklyHours(new Map([[weekdayOf(day), span]])).replace(/^\w+ /, '');
  return `${yes(isThen)}, on ${name} my colleagues are there ${times}.`;
}

const dayWords = (day: WallTime): string => {
  const month = new Intl.DateTimeFormat('en-GB', { month: 'long', timeZone: 'UTC' });
  return `${WEEKDAYS[weekdayOf(day)]} ${day.day} ${month.format(Date.UTC(day.year, day.month - 1, day.day))}`;
};
