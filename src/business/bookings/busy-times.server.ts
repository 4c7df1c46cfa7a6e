import ICAL from 'ical.js';
import { isTimeZone } from '../../kernel/config/setting-rules.ts';
import type { BusySpan } from './free-times.server.ts';
import { momentOf } from './zoned-time.server.ts';

/** Steps for all repetitions of a calendar, because a rule may repeat for ever. */
const MOST_STEPS = 100_000;

/**
 * The busy spans of a calendar (RFC 5545) that overlap a span, with repeated, moved and cancelled
 * occurrences. Cancelled events, and those marked as free, are left out.
 *
 * @param zone IANA name of the time zone for times and days without one
 * @param isOwn whether a UID is one of our bookings, which are known already
 * @throws Error for a text that is not a calendar
 */
export function readBusyTimes(
  text: string,
  { from, until }: BusySpan,
  zone: string,
  isOwn: (uid: string) => boolean,
): BusySpan[] {
  const calendar = new ICAL.Component(ICAL.parse(text));
  const busy: BusySpan[] = [];
  const events = calendar.getAllSubcomponents('vevent').map((event) => new ICAL.Event(event));
  const steps = { left: MOST_STEPS };
  for (const event of events.filter((one) => !one.isRecurrenceException())) {
    if (isOwn(event.uid)) continue;
    for (const other of events)
      if (other.isRecurrenceException() && other.uid === event.uid) event.relateException(other);
    busy.push(...occurrences(event, { from, until }, zoneOf(event, zone), steps));
  }
  return busy;
}

function occurrences(
  event: ICAL.Event,
  { from, until }: BusySpan,
  zone: string,
  steps: { left: number },
): BusySpan[] {
  const spanOf = (item: ICAL.Event, start: ICAL.Time, end: ICAL.Time): BusySpan[] => {
    const span = { from: momentIn(start, zone), until: momentIn(end, zone) };
    return isBusy(item) && span.until > from && span.from < until ? [span] : [];
  };
  if (!event.isRecurring()) return spanOf(event, event.startDate, event.endDate);
  const found: BusySpan[] = [];
  const iterator = event.iterator();
  for (let next = iterator.next(); next && steps.left > 0; next = iterator.next(), steps.left--) {
    if (momentIn(next, zone) >= until) break;
    const { item, startDate, endDate } = event.getOccurrenceDetails(next);
    found.push(...spanOf(item, startDate, endDate));
  }
  return found;
}

function isBusy({ component }: ICAL.Event): boolean {
  const says = (name: string) => String(component.getFirstPropertyValue(name) ?? '').toUpperCase();
  return says('status') !== 'CANCELLED' && says('transp') !== 'TRANSPARENT';
}

/** The time zone that an event names without describing it; ours when the name is unknown. */
function zoneOf(event: ICAL.Event, zone: string): string {
  const named = String(event.component.getFirstProperty('dtstart')?.getParameter('tzid') ?? '');
  return named !== '' && isTimeZone(named) ? named : zone;
}

/** Time zones that the calendar describes are used as described; times without one are in `zone`. */
function momentIn(time: ICAL.Time, zone: string): Date {
  const described = time.zone !== null && time.zone !== ICAL.Timezone.localTimezone;
  if (described && !time.isDate) return new Date(time.toUnixTime() * 1000);
  const { year, month, day, hour, minute } = time;
  const wall = { year, month, day, hour: time.isDate ? 0 : hour, minute: time.isDate ? 0 : minute };
  return momentOf(wall, zone);
}
