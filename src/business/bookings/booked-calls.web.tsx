import { useQuery } from '@tanstack/react-query';
import { BOOK_PATH, SERVICES } from '../../kernel/contract/routes.ts';
import { callServer } from '../../ui/session/server-call.ts';
import type { OwnBookings } from './own-bookings.contract.ts';

const WHEN = new Intl.DateTimeFormat('en-GB', {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  hour: '2-digit',
  minute: '2-digit',
  timeZoneName: 'short',
});

/** The user's calls to come with a colleague, in the reader's own time; each leads to its own page. */
export function BookedCalls({ userId }: { userId: string }) {
  const { data } = useQuery({
    queryKey: ['bookings', userId],
    queryFn: async () =>
      (await (await callServer(`${SERVICES.functions}/own-bookings`, { as: 'user' })).json()) as OwnBookings,
  });
  if (data === undefined) return null;
  return (
    <section className="panel pad" aria-labelledby="booked-calls">
      <h2 id="booked-calls">Your calls with us</h2>
      {data.bookings.length === 0 ? (
        <p className="meta">No call is booked.</p>
      ) : (
        <ul className="rows">
          {data.bookings.map(({ id, starts_at, minutes, service, href }) => (
            <li key={id} className="row">
              <span className="name">
                <b>{WHEN.format(new Date(starts_at))}</b>
                <span className="meta"> {[`${minutes} minutes`, service ?? []].flat().join(' · ')}</span>
              </span>
              <a href={href}>Move or cancel it</a>
            </li>
          ))}
        </ul>
      )}
      <p>
        <a href={BOOK_PATH}>Book a call</a>
      </p>
    </section>
  );
}
