import { escapeHtml } from '../../kernel/contract/html-escape.ts';
import type { Language } from '../../kernel/contract/languages.ts';
import { bookingWords } from './booking-words.server.ts';
import { addDays, momentOf, type WallTime, wallTimeOf, weekdayOf } from './zoned-time.server.ts';

/** What the calendar of a page shows. Days are written as `2026-12-01`, months as `2026-12`, in `zone`. */
export interface CalendarParts {
  readonly language: Language;
  /** IANA name of the time zone in which times are shown. */
  readonly zone: string;
  /** Free times, soonest first. */
  readonly free: readonly Date[];
  /** The last moment that can be booked. */
  readonly until: Date;
  /** The chosen day or month; undefined: the first with a free time. */
  readonly day?: string | undefined;
  readonly month?: string | undefined;
  /** The address that shows another day or month. */
  readonly linkTo: (place: { readonly day?: string; readonly month?: string }) => string;
  /** A free time, as a link or a button; `label` is HTML. */
  readonly slot: (start: Date, label: string) => string;
  /** HTML under the times, in place of them when there are none. */
  readonly nothing: string;
}

const ARROWS = { earlier: 'M15 5l-7 7 7 7', later: 'M9 5l7 7-7 7' } as const;

/** The day of a moment in a time zone, as `2026-12-01`. */
export const dayOf = (at: Date, zone: string): string => writeDay(wallTimeOf(at, zone));

const writeDay = ({ year, month, day }: WallTime): string =>
  `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;

/** A month of days and the free times of one of them, as two sections of HTML. */
export function calendarView(parts: CalendarParts): string {
  const { zone, free } = parts;
  const byDay = Map.groupBy(free, (start) => dayOf(start, zone));
  const [first = dayOf(new Date(), zone)] = byDay.keys();
  const month = parts.day?.slice(0, 7) ?? parts.month ?? first.slice(0, 7);
  const inMonth = [...byDay.keys()].find((day) => day.startsWith(month));
  const day = parts.day ?? inMonth ?? first;
  return `${monthSection(parts, byDay, month, day)}\n${daySection(parts, byDay, day)}`;
}

function monthSection(
  parts: CalendarParts,
  byDay: ReadonlyMap<string, readonly Date[]>,
  month: string,
  chosen: string,
): string {
  const { language, zone, linkTo, until } = parts;
  const words = bookingWords(language);
  const today = dayOf(new Date(), zone);
  const start = { ...wallTimeOf(new Date(), zone), ...partsOfDay(`${month}-01`), hour: 0, minute: 0 };
  const leading = (weekdayOf(start) + 6) % 7;
  const cells: string[] = Array.from({ length: leading }, () => '<td></td>');
  for (let day = addDays(start, 0); day.month === start.month; day = addDays(day, 1)) {
    const name = writeDay(day);
    const times = byDay.get(name)?.length ?? 0;
    const mark = name === today ? ' class="today"' : '';
    cells.push(
      times === 0
        ? `<td><span${mark}>${day.day}</span></td>`
        : `<td><a${mark} href="${escapeHtml(linkTo({ day: name }))}" aria-label="${escapeHtml(words.freeOn(sayLongDay(name, language), times))}"${name === chosen ? ' aria-current="date"' : ''}>${day.day}</a></td>`,
    );
  }
  const rows = Array.from(
    { length: Math.ceil(cells.length / 7) },
    (_, row) => `<tr>${cells.slice(row * 7, row * 7 + 7).join('')}</tr>`,
  );
  const heads = words.weekdays.map(
    ([short, long]) => `<th scope="col"><abbr title="${long}">${short}</abbr></th>`,
  );
  const before = addMonths(month, -1);
  const after = addMonths(month, 1);
  const step = (goes: boolean, to: string, kind: keyof typeof ARROWS) => {
    const arrow = `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${ARROWS[kind]}"/></svg>`;
    return goes
      ? `<a class="step" rel="${kind === 'earlier' ? 'prev' : 'next'}" href="${escapeHtml(linkTo({ month: to }))}" aria-label="${words[kind]}">${arrow}</a>`
      : `<span class="step">${arrow}</span>`;
  };
  return `<section class="days" aria-labelledby="month"><div class="month"><h2 id="month">${escapeHtml(sayMonth(month, language))}</h2><span>${step(before >= today.slice(0, 7), before, 'earlier')}${step(after <= dayOf(until, zone).slice(0, 7), after, 'later')}</span></div>
<table><caption class="hidden">${words.chooseDay}</caption><thead><tr>${heads.join('')}</tr></thead><tbody>${rows.join('')}</tbody></table></section>`;
}

function daySection(parts: CalendarParts, byDay: ReadonlyMap<string, readonly Date[]>, day: string): string {
  const { language, zone, linkTo, slot, nothing } = parts;
  const words = bookingWords(language);
  const times = byDay.get(day) ?? [];
  const heading = `<h2 id="day">${escapeHtml(sayLongDay(day, language))}</h2>`;
  if (times.length > 0) {
    const labels = sayClocks(times, zone, language);
    const items = times.map((start, at) => `<li>${slot(start, labels[at] ?? '')}</li>`);
    return `<section class="times" aria-labelledby="day">${heading}<ul class="slots">${items.join('')}</ul></section>`;
  }
  const [next] = [...byDay.keys()].filter((other) => other > day);
  const rest =
    next === undefined
      ? nothing
      : `<p>${escapeHtml(words.fullDay(sayLongDay(day, language)))}</p><p><a href="${escapeHtml(linkTo({ day: next }))}">${escapeHtml(words.nextDay(sayLongDay(next, language)))}</a></p>`;
  return `<section class="times" aria-labelledby="day">${heading}${rest}</section>`;
}

const localeOf = (language: Language): string => (language === 'de' ? 'de-DE' : 'en-GB');

function partsOfDay(day: string): { year: number; month: number; day: number } {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number);
  return { year, month, day: date };
}

/** The month some months later, as `2026-12`. */
function addMonths(month: string, count: number): string {
  const { year, month: one } = partsOfDay(`${month}-01`);
  return new Date(Date.UTC(year, one - 1 + count, 1)).toISOString().slice(0, 7);
}

/** A day as a person reads it: `Tuesday 1 December`; `Dienstag, 1. Dezember`. */
export function sayLongDay(day: string, language: Language): string {
  return new Intl.DateTimeFormat(localeOf(language), {
    timeZone: 'UTC',
    weekday: 'long',
    day: 'numeric',
    month: 'long',
  }).format(momentOf({ ...partsOfDay(day), hour: 12, minute: 0 }, 'UTC'));
}

function sayMonth(month: string, language: Language): string {
  return new Intl.DateTimeFormat(localeOf(language), {
    timeZone: 'UTC',
    month: 'long',
    year: 'numeric',
  }).format(new Date(`${month}-15T00:00:00Z`));
}

/**
 * The times of one day as `09:30`. Where the clocks go back, two of them look the same, so they also say
 * their offset.
 */
export function sayClocks(times: readonly Date[], zone: string, language: Language): string[] {
  const clock = new Intl.DateTimeFormat(localeOf(language), {
    timeZone: zone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  const exact = new Intl.DateTimeFormat(localeOf(language), {
    timeZone: zone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'shortOffset',
  });
  const plain = times.map((time) => clock.format(time));
  return plain.map((text, at) =>
    plain.indexOf(text) === plain.lastIndexOf(text) ? text : exact.format(times[at]),
  );
}
