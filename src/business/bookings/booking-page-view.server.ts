import { createHash } from 'node:crypto';
import { escapeHtml } from '../../kernel/contract/html-escape.ts';
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

/** A short style sheet in the site's colours and shapes, so that the page works without the build. */
const STYLE = `:root{color-scheme:light dark;--paper:oklch(.972 .006 230);--surface:oklch(.995 .003 230);--line:oklch(.87 .014 235);--edge:oklch(.6 .03 245);--ink:oklch(.24 .045 255);--muted:oklch(.46 .035 250);--signal:oklch(.74 .17 50);--on:oklch(.2 .045 255);--bad:oklch(.52 .2 25)}
@media(prefers-color-scheme:dark){:root{--paper:oklch(.19 .035 255);--surface:oklch(.235 .042 255);--line:oklch(.36 .04 255);--edge:oklch(.58 .03 245);--ink:oklch(.95 .012 230);--muted:oklch(.76 .025 240);--signal:oklch(.77 .14 52);--bad:oklch(.74 .15 25)}}
*{box-sizing:border-box}body{margin:0;background:var(--paper);color:var(--ink);font:1.0625rem/1.55 Archivo,system-ui,sans-serif}
main{max-width:38rem;margin:0 auto;padding:2rem 1.1rem 4rem}.brand{display:flex;align-items:center;gap:.6rem;margin:0 0 2.5rem;font-weight:650;font-size:1.2rem;letter-spacing:-.02em}.brand a{color:inherit;text-decoration:none}
svg{width:2rem;height:2rem;fill:none;stroke-width:5;stroke-linecap:round;stroke-linejoin:round;stroke:var(--signal)}circle{fill:var(--paper);stroke:currentColor;stroke-width:3.6}
h1{margin:0 0 1rem;font-size:clamp(2rem,6vw,3rem);line-height:1.05;letter-spacing:-.032em}h2{margin:0 0 .4rem;font-size:1.25rem;letter-spacing:-.02em}p{margin:.4rem 0;overflow-wrap:anywhere}.when{font-size:1.25rem;font-weight:600}.muted{color:var(--muted)}
section,details,.notice{margin-top:1.5rem;padding:1.25rem;border:1px solid var(--line);border-radius:16px;background:var(--surface)}.notice{border-color:var(--bad)}
summary{cursor:pointer;min-height:2.75rem;line-height:2.75rem;font-weight:600}label{display:block;font-weight:600}
select,button{font:inherit;min-height:3rem;border-radius:8px}select{width:100%;margin:.3rem 0 1rem;padding:.5rem .75rem;border:1px solid var(--edge);background:var(--paper);color:inherit}
button{padding:.5rem 1.35rem;border:0;font-weight:600;background:var(--signal);color:var(--on);cursor:pointer}button.quiet{border:1px solid var(--edge);background:none;color:inherit}
a{color:inherit}:focus-visible{outline:3px solid var(--ink);outline-offset:3px}`;

/** For the page's content security policy. */
export const PAGE_STYLE_HASH: string = createHash('sha256').update(STYLE).digest('base64');

const NOTICES = {
  taken: 'Somebody has just taken that time. Your call stays where it was; please choose another time.',
  changed: 'Nothing was done: the call was changed meanwhile, or it can no longer be changed here.',
  incomplete: 'Nothing was done: the form came without a time. Please choose one.',
} as const;

/** The page of a booking; every text is escaped. */
export function bookingPage(parts: BookingPageParts): string {
  const { brand, booking, notice } = parts;
  const [heading, body] =
    booking === null
      ? ['There is no such booking', missing(parts)]
      : [headingOf(booking), bookingBody(booking, parts)];
  return `<!doctype html>
<html lang="en-GB">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${heading} · ${escapeHtml(brand)}</title><style>${STYLE}</style></head>
<body><main>
<p class="brand"><svg viewBox="0 0 32 32" aria-hidden="true"><path d="M3 25h4L25 7h4"/><circle cx="16" cy="16" r="6.2"/></svg><a href="/">${escapeHtml(brand)}</a></p>
<h1>${heading}</h1>
${notice === null ? '' : `<p class="notice" role="alert">${NOTICES[notice]}</p>\n`}${body}
</main></body>
</html>`;
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
