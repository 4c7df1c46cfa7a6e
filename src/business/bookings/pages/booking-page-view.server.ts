import { escapeHtml } from '../../../kernel/contract/html-escape.ts';
import type { Language } from '../../../kernel/contract/languages.ts';
import { BOOK_PATH } from '../../../kernel/contract/routes.ts';
import type { Agency } from '../../../kernel/resources/resources.ts';
import { BOOKING_ENTRY_PATH, BOOKING_PATH } from '../booking-link.server.ts';
import type { BookingRecord } from '../booking-store.server.ts';
import { bookingWords } from '../booking-words.server.ts';
import { writeTime } from '../zoned-time.server.ts';
import { calendarView } from './booking-calendar-view.server.ts';
import { bookingFrame } from './booking-layout.server.ts';

/** What the page of a booking shows. */
export interface BookingPageParts {
  readonly agency: Agency;
  /** The agency's address, for everything that the page cannot do. */
  readonly contact: string;
  readonly language: Language;
  /** IANA name of the time zone in which times are shown. */
  readonly zone: string;
  /** Null when the link leads to no booking. */
  readonly booking: BookingRecord | null;
  /** Whether it can still be moved and cancelled here. */
  readonly changeable: boolean;
  /** Times that it can be moved to, and the last moment that can be chosen. */
  readonly free: readonly Date[];
  readonly until: Date;
  /** The chosen day as `2026-12-01`, or month as `2026-12`. */
  readonly day?: string | undefined;
  readonly month?: string | undefined;
  /** The query string of the booking's own link. */
  readonly query: string;
  /** Why the requested change was not made. */
  readonly notice: 'taken' | 'changed' | 'incomplete' | null;
}

/** The page of a booking; every text is escaped. */
export function bookingPage(parts: BookingPageParts): string {
  const { agency, booking, notice, language } = parts;
  const words = bookingWords(language);
  const heading = booking === null ? words.own.missingTitle : headingOf(booking, parts);
  const refusal = notice === null ? '' : `<div class="notice" role="alert"><p>${words.own[notice]}</p></div>`;
  const about = booking === null ? missing(parts) : aboutBooking(booking, parts);
  const card = `<section class="about"><h1>${heading}</h1>${about}</section>`;
  const mayMove = booking !== null && parts.changeable && parts.free.length > 0;
  const body = mayMove
    ? `${refusal}<div class="card pick">${card}${calendarOf(booking, parts)}</div>`
    : `${refusal}<div class="card narrow">${card}</div>`;
  return bookingFrame({ htmlLang: words.htmlLang, agency, title: heading, body, script: false });
}

const mailTo = (contact: string): string =>
  `<a href="mailto:${escapeHtml(contact)}">${escapeHtml(contact)}</a>`;

const missing = ({ contact, language }: BookingPageParts): string =>
  `<p>${bookingWords(language).own.missing} ${mailTo(contact)}.</p>`;

const isOver = ({ start, minutes }: BookingRecord): boolean =>
  start.getTime() + minutes * 60_000 <= Date.now();

function headingOf(booking: BookingRecord, { language }: BookingPageParts): string {
  const { own } = bookingWords(language);
  if (booking.state === 'cancelled') return own.cancelled;
  if (isOver(booking)) return own.over;
  return booking.changes > 0 ? own.moved : own.booked;
}

function aboutBooking(booking: BookingRecord, parts: BookingPageParts): string {
  const { zone, query, changeable, contact, language } = parts;
  const { own } = bookingWords(language);
  const service = booking.service === null ? '' : `<p>${escapeHtml(booking.service)}</p>`;
  const when = `<p class="when">${escapeHtml(writeTime(booking.start, zone, language))}</p>${service}`;
  if (booking.state === 'cancelled')
    return `${when}<p>${own.nobodyCalls}</p><p><a href="${BOOK_PATH}">${own.bookAnother}</a></p>`;
  if (isOver(booking)) return `${when}<p><a href="${BOOK_PATH}">${own.bookAnother}</a></p>`;
  const ending = booking.phone.replace(/\D/g, '').slice(-3);
  return `${when}
<p>${own.callsYou(ending, booking.minutes)}</p>
<p><a href="${BOOKING_ENTRY_PATH}?${query}">${own.calendar}</a></p>
${changeable ? `${parts.free.length === 0 ? `<p>${own.noOther}</p>` : ''}${cancelForm(booking, parts)}` : `<p class="meta">${own.fixed} ${mailTo(contact)}.</p>`}`;
}

const formOf = (
  { query }: BookingPageParts,
  { changes }: BookingRecord,
  what: string,
  rest: string,
): string =>
  `<form method="post" action="${BOOKING_PATH}?${query}"><input type="hidden" name="do" value="${what}"><input type="hidden" name="changes" value="${changes}">${rest}</form>`;

/** The calendar whose times are the buttons that move the booking. */
function calendarOf(booking: BookingRecord, parts: BookingPageParts): string {
  const { language, zone, free, until, day, month, query } = parts;
  const { own } = bookingWords(language);
  const calendar = calendarView({
    ...{ language, zone, free, until, day, month, nothing: `<p>${own.noOther}</p>` },
    linkTo: (place) => `${BOOKING_PATH}?${query}&${new URLSearchParams({ ...place })}`,
    slot: (start, label) =>
      formOf(
        parts,
        booking,
        'move',
        `<button class="slot" name="start" value="${start.toISOString()}" aria-label="${escapeHtml(`${own.move}: ${writeTime(start, zone, language)}`)}">${label}</button>`,
      ),
  });
  return calendar.replace('<h2 id="month">', `<h2 id="month">${own.move}: `);
}

function cancelForm(booking: BookingRecord, parts: BookingPageParts): string {
  const { own } = bookingWords(parts.language);
  const rest = `<p>${own.cancelMeans}</p><button class="go quiet">${own.cancelButton}</button>`;
  return `<details><summary>${own.cancel}</summary>${formOf(parts, booking, 'cancel', rest)}</details>`;
}
