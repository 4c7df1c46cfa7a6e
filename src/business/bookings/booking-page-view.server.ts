import { escapeHtml } from '../../kernel/contract/html-escape.ts';
import { plainPage } from '../../kernel/http/site/plain-page.ts';
import { BOOKING_ENTRY_PATH, BOOKING_PATH } from './booking-link.server.ts';
import type { BookingRecord } from './booking-store.server.ts';
import { wallTimeOf, writeTime } from './zoned-time.server.ts';

/** What the page of a booking shows. */
export interface BookingPageParts {
  readonly brand: string;
  /** The agency's address, for everything that the page cannot do. */
  readonly contact: string;
  /** IANA name of the time zone in which times are shown. */
  readonly zone: string;
  /** Null when the link leads to no booking. */
  readonly booking: BookingRecord | null;
  /** Whether it can still be moved and cancelled here. */
  readonly changeable: boolean;
  /** Times that it can be moved to. */
  readonly free: readonly Date[];
  /** The query string of the booking's own link. */
  readonly query: string;
  /** Why the requested change was not made. */
  readonly notice: 'taken' | 'changed' | 'incomplete' | null;
}

const NOTICES = {
  taken: 'Somebody has just taken that time. Your call has not changed; please choose another time.',
  changed: 'Nothing has changed: the call was changed in the meantime, or it can no longer be changed here.',
  incomplete: 'Nothing has changed: no time was chosen. Please choose one.',
} as const;

/** The page of a booking; every text is escaped. */
export function bookingPage(parts: BookingPageParts): string {
  const { brand, booking, notice } = parts;
  const [heading, body] =
    booking === null
      ? ['There is no such booking', missing(parts)]
      : [headingOf(booking), bookingBody(booking, parts)];
  const refusal = notice === null ? '' : `<p class="notice" role="alert">${NOTICES[notice]}</p>\n`;
  return plainPage({ brand, heading, body: `${refusal}${body}`, width: 'sheet' });
}

function missing({ contact }: BookingPageParts): string {
  return `<p>This link is not complete, or the booking was deleted. Please open the link from the message again, or write to <a href="mailto:${escapeHtml(contact)}">${escapeHtml(contact)}</a>.</p>`;
}

const isOver = ({ start, minutes }: BookingRecord): boolean =>
  start.getTime() + minutes * 60_000 <= Date.now();

function headingOf(booking: BookingRecord): string {
  if (booking.state === 'cancelled') return 'Your call is cancelled';
  if (isOver(booking)) return 'Your call is over';
  return booking.changes > 0 ? 'Your call is moved' : 'Your call is booked';
}

function bookingBody(booking: BookingRecord, parts: BookingPageParts): string {
  const { zone, query, changeable, contact } = parts;
  const when = `<p class="when">${escapeHtml(writeTime(booking.start, zone))}</p>`;
  if (booking.state === 'cancelled')
    return `${when}<p>Nobody calls you then. To book another time, call the assistant again.</p>`;
  if (isOver(booking)) return when;
  const number = booking.phone.replace(/\D/g, '').slice(-3);
  return `${when}
<p>A colleague calls you at the number that ends in ${number}. It takes ${booking.minutes} minutes.</p>
<p><a href="${BOOKING_ENTRY_PATH}?${query}">Add it to your calendar</a></p>
${
  changeable
    ? `${moveForm(booking, parts)}\n${cancelForm(booking, parts)}`
    : `<p class="muted">It cannot be changed here any more. Please write to <a href="mailto:${escapeHtml(contact)}">${escapeHtml(contact)}</a>.</p>`
}`;
}

const formOf = (
  { query }: BookingPageParts,
  { changes }: BookingRecord,
  what: string,
  rest: string,
): string =>
  `<form method="post" action="${BOOKING_PATH}?${query}"><input type="hidden" name="do" value="${what}"><input type="hidden" name="changes" value="${changes}">${rest}</form>`;

function moveForm(booking: BookingRecord, parts: BookingPageParts): string {
  if (parts.free.length === 0)
    return '<section><h2>Move it</h2><p>There is no other free time in the next 30 days.</p></section>';
  const rest = `<label for="start">Another time</label><select id="start" name="start" required><option value="">Choose a time</option>${timeOptions(parts)}</select><button>Move the call</button>`;
  return `<section><h2>Move it</h2>${formOf(parts, booking, 'move', rest)}</section>`;
}

/** Free times, grouped by day. */
function timeOptions({ free, zone }: BookingPageParts): string {
  const days = new Map<string, string[]>();
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit' });
  const named = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    weekday: 'long',
    day: 'numeric',
    month: 'long',
  });
  for (const start of free) {
    const { year, month, day } = wallTimeOf(start, zone);
    const key = `${year}-${month}-${day}`;
    const options = days.get(key) ?? [`<optgroup label="${named.format(start)}">`];
    options.push(`<option value="${start.toISOString()}">${clock.format(start)}</option>`);
    days.set(key, options);
  }
  return [...days.values()].map((options) => `${options.join('')}</optgroup>`).join('');
}

function cancelForm(booking: BookingRecord, parts: BookingPageParts): string {
  const rest =
    '<p>Nobody calls you then, and the time is free for others.</p><button class="quiet">Cancel the call</button>';
  return `<details><summary>Cancel it</summary>${formOf(parts, booking, 'cancel', rest)}</details>`;
}
