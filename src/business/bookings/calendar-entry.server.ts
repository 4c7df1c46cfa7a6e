import ICAL from 'ical.js';
import type { BookingRecord } from './booking-store.server.ts';

/** For which calendar an entry is, and what it says besides the booking. */
export interface EntryParts {
  readonly brand: string;
  /** The agency's address, as organiser of the call. */
  readonly organiser: string;
  /** The host of the site, which makes the entry's UID unique to this installation. */
  readonly host: string;
  /**
   * For the person who booked: the booking's own page, and the text of the entry. Left out in the agency's
   * calendar.
   */
  readonly own?: { readonly link: string; readonly title: string; readonly body: string };
}

/**
 * What the calendar program should do (RFC 5546): store the entry or remove it; null for a file that is only
 * stored (RFC 4791).
 */
export type EntryMethod = 'REQUEST' | 'CANCEL' | null;

const MINUTE_MS = 60_000;
const BOOKED_AT = { call: 'Booked with the phone assistant.', page: 'Booked on the booking page.' } as const;

/** The UID by which calendars know a booking; it never changes. */
export const entryUid = (id: string, host: string): string => `booking-${id}@${host}`;

/**
 * The calendar entry of a booking. After a change it has the same UID and a greater SEQUENCE, so that
 * calendar programs change their entry (RFC 5546 §2.1.4).
 */
export function bookingEntry(
  { id, start, minutes, name, phone, email, state, changes, service, source }: BookingRecord,
  { brand, organiser, host, own }: EntryParts,
  method: EntryMethod,
): string {
  const calendar = new ICAL.Component('vcalendar');
  calendar.updatePropertyWithValue('prodid', '-//Northline//Bookings//EN');
  calendar.updatePropertyWithValue('version', '2.0');
  calendar.updatePropertyWithValue('calscale', 'GREGORIAN');
  if (method !== null) calendar.updatePropertyWithValue('method', method);
  const event = new ICAL.Component('vevent');
  const at = (moment: Date) => ICAL.Time.fromJSDate(moment, true);
  const values: readonly (readonly [string, string | number | ICAL.Time])[] = [
    ['uid', entryUid(id, host)],
    ['sequence', changes],
    ['dtstamp', at(new Date())],
    ['dtstart', at(start)],
    ['dtend', at(new Date(start.getTime() + minutes * MINUTE_MS))],
    ['summary', own?.title ?? `Call ${name}, ${phone}`],
    ['description', own?.body ?? `${service === null ? '' : `${service}. `}${BOOKED_AT[source]}`],
    ['status', state === 'cancelled' ? 'CANCELLED' : 'CONFIRMED'],
    ['transp', state === 'cancelled' ? 'TRANSPARENT' : 'OPAQUE'],
  ];
  for (const [property, value] of values) event.updatePropertyWithValue(property, value);
  // If the entry had attendees, the agency's calendar server would write to them as well.
  if (own !== undefined) {
    event.updatePropertyWithValue('organizer', `mailto:${organiser}`).setParameter('cn', brand);
    if (email !== null)
      event.updatePropertyWithValue('attendee', `mailto:${email}`).setParameter('partstat', 'ACCEPTED');
    event.updatePropertyWithValue('url', own.link);
  }
  calendar.addSubcomponent(event);
  return `${calendar.toString()}\r\n`;
}
