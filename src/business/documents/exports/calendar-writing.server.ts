import { createHash } from 'node:crypto';
import ICAL from 'ical.js';

/** A day that a document names. */
export interface CalendarDay {
  /** ISO date. */
  readonly day: string;
  readonly label: string;
  /** Whether nobody has to do anything on it: it has no reminder. */
  readonly isRecord?: boolean;
}

interface CalendarOf {
  readonly title: string;
  /** The report's page. */
  readonly address: string;
  readonly stamp: Date;
}

/** Days as a calendar (RFC 5545): a whole-day event for each, with a reminder the day before where something is to be done. */
export function writeCalendar(days: readonly CalendarDay[], of: CalendarOf): Buffer {
  const calendar = new ICAL.Component('vcalendar');
  calendar.updatePropertyWithValue('version', '2.0');
  calendar.updatePropertyWithValue('prodid', '-//Northline//Report//EN');
  for (const day of days) calendar.addSubcomponent(eventOf(day, of));
  return Buffer.from(`${calendar.toString()}\r\n`);
}

function eventOf(
  { day, label, isRecord = false }: CalendarDay,
  { title, address, stamp }: CalendarOf,
): ICAL.Component {
  const words = `${label}: ${title}`.replace(/\s+/g, ' ').trim();
  const first = ICAL.Time.fromDateString(day);
  const next = first.clone();
  next.adjust(1, 0, 0, 0);
  // The same day of the same report is the same event, even if the file is imported twice.
  const uid = createHash('sha256').update(`${address} ${day} ${label}`).digest('hex').slice(0, 32);
  const alarm = new ICAL.Component('valarm');
  alarm.updatePropertyWithValue('action', 'DISPLAY');
  alarm.updatePropertyWithValue('trigger', ICAL.Duration.fromString('-P1D'));
  alarm.updatePropertyWithValue('description', words);
  const event = new ICAL.Component('vevent');
  event.updatePropertyWithValue('uid', `${uid}@northline`);
  event.updatePropertyWithValue('dtstamp', ICAL.Time.fromJSDate(stamp, true));
  event.updatePropertyWithValue('dtstart', first);
  event.updatePropertyWithValue('dtend', next);
  event.updatePropertyWithValue('summary', words);
  event.updatePropertyWithValue('url', address);
  event.updatePropertyWithValue('transp', 'TRANSPARENT');
  if (!isRecord) event.addSubcomponent(alarm);
  return event;
}
