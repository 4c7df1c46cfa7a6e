import type { BookingsPage } from '../console.contract.ts';
import { shortTime } from '../parts/time-words.web.ts';

type Booking = BookingsPage['rows'][number];

const CHANGERS = { call: 'in a call', link: 'by its link', desk: 'at the console' } as const;

/** What became of a booking, and whether its caller knows. */
export function sayBookingState({
  state,
  changes,
  changed_at,
  changed_by,
  confirmed_by,
  email,
}: Booking): string {
  const to = email === null ? '' : ` to ${email}`;
  const unknown =
    email === null ? 'Not confirmed, as there is no way' : `Not confirmed, as ${email} gets no mails`;
  const known = confirmed_by === null ? unknown : `Told by ${confirmed_by}${to}`;
  if (changes === 0 || changed_at === null || changed_by === null) return known;
  const what = state === 'cancelled' ? 'Cancelled' : 'Moved';
  return `${what} ${CHANGERS[changed_by]}, ${shortTime(changed_at)} · ${known}`;
}

/** Where it was booked, and about what. */
export const sayOrigin = ({ service, source }: Pick<Booking, 'service' | 'source'>): string =>
  [service ?? [], source === 'page' ? 'booked on the page' : 'booked in a call'].flat().join(' · ');

/** What is said after a booking was cancelled at the console. */
export const sayCancelled = ({ confirmed_by }: Booking): string =>
  confirmed_by === null
    ? 'The booking is cancelled. Its caller is not told, as there is no way.'
    : 'The booking is cancelled. Its caller is told.';

/** Which times callers are deciding on at this moment. */
export const sayHeld = (held: BookingsPage['held']): string =>
  `Held for callers who are deciding: ${held.map((one) => shortTime(one.starts_at)).join(', ')}.`;
