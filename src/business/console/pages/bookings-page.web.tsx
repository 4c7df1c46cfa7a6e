import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { BOOK_PATH, PAGES } from '../../../kernel/contract/routes.ts';
import { Button } from '../../../ui/parts/button.tsx';
import { Loaded } from '../../../ui/parts/loaded.tsx';
import type { BookingsPage } from '../console.contract.ts';
import { useConsoleList } from '../parts/console-list.web.ts';
import { Choice, EmptyState, ListPages, PageHead, SearchField } from '../parts/console-parts.web.tsx';
import { useMay } from '../parts/console-role.web.tsx';
import { useOperatorAction } from '../parts/operator-action.web.ts';
import { addressOf, recordIn } from '../parts/record-address.web.ts';
import { shortTime } from '../parts/time-words.web.ts';
import { sayBookingState, sayCancelled, sayHeld, sayOrigin } from './booking-words.web.ts';

const LISTS = [
  ['coming', 'Still to come'],
  ['past', 'Over'],
  ['cancelled', 'Cancelled'],
] as const;

/** Calls with a colleague that people booked with the phone assistant or on the booking page. */
export function BookingsView() {
  const named = recordIn(useLocation()[0], PAGES.operatorBookings.path) ?? '';
  return <Bookings key={named} named={named} />;
}

function Bookings({ named }: { named: string }) {
  const { query, filters, q, ends, setEnds, search, choose } = useConsoleList<
    BookingsPage,
    { list: (typeof LISTS)[number][0]; id: string }
  >('bookings', { filters: { list: 'coming', id: named } });
  return (
    <>
      <PageHead
        heading="Bookings"
        about="Calls that people booked with the phone assistant or on your booking page, in your own time."
      />
      {filters.id === '' ? null : (
        <p className="meta">
          One booking. <Link href={PAGES.operatorBookings.path}>Show all bookings</Link>
        </p>
      )}
      <BookingPageLinks />
      <div className="console-tools">
        <SearchField label="Search name or number" onSettled={search} />
        <Choice
          label="Show"
          value={filters.list}
          options={LISTS}
          onChoose={(list) => choose({ list, id: '' })}
        />
      </div>
      <Loaded query={query}>
        {({ rows, next, held }) => (
          <>
            {held.length > 0 && <p className="meta">{sayHeld(held)}</p>}
            {rows.length === 0 ? (
              <EmptyState>{q === '' ? 'Nothing is booked here.' : 'Nothing was found.'}</EmptyState>
            ) : (
              <ul className="panel rows">
                {rows.map((row) => (
                  <BookingRow key={row.id} booking={row} coming={isComing(row)} />
                ))}
              </ul>
            )}
            <ListPages ends={ends} next={next} onEnds={setEnds} />
          </>
        )}
      </Loaded>
    </>
  );
}

const isComing = ({ state, starts_at: start, minutes }: BookingsPage['rows'][number]): boolean =>
  state === 'booked' && Date.parse(start) + minutes * 60_000 > Date.now();
/** Where visitors book, and what another site of the agency needs to show that page. */
function BookingPageLinks() {
  const frame = `<iframe src="${location.origin}/book-embedded" title="Book a call" style="width:100%;height:52rem;border:0"></iframe>`;
  return (
    <details className="panel pad">
      <summary>Your booking page</summary>
      <p>
        Visitors book at <a href={BOOK_PATH}>{location.origin + BOOK_PATH}</a>. Each service has its own
        address below it, and the Content page sets how long its calls take.
      </p>
      <p>Another site shows the page in a frame once BOOKING_EMBED_ORIGINS names that site:</p>
      <pre className="booking-frame">
        <code>{frame}</code>
      </pre>
    </details>
  );
}

function BookingRow({ booking, coming }: { booking: BookingsPage['rows'][number]; coming: boolean }) {
  const { busy, act } = useOperatorAction();
  const [asked, setAsked] = useState(false);
  const mayCancel = useMay('act');
  return (
    <li className="row">
      <span className="name">
        <Link data-record="" href={addressOf(PAGES.operatorBookings.path, booking.id)}>
          <b>{booking.name}</b>
        </Link>
        <span className="meta num">
          {' '}
          <a href={`tel:${booking.phone.replace(/[^+\d]/g, '')}`}>{booking.phone}</a>
        </span>
      </span>
      <span className="num">
        {shortTime(booking.starts_at)}, {booking.minutes} minutes
        <span className="meta">
          {' '}
          {sayOrigin(booking)} · {sayBookingState(booking)}
        </span>
      </span>
      {coming && mayCancel ? (
        <span className="console-acts">
          {asked && (
            <Button small look="quiet" onClick={() => setAsked(false)}>
              Keep it
            </Button>
          )}
          <Button
            small
            look={asked ? 'danger' : 'quiet'}
            busy={busy}
            aria-label={`${asked ? 'Really cancel' : 'Cancel'} the booking of ${booking.name}`}
            onClick={() => {
              if (asked) void act({ do: 'booking.cancel', id: booking.id }, sayCancelled(booking));
              else setAsked(true);
            }}
          >
            {asked ? 'Really cancel' : 'Cancel'}
          </Button>
        </span>
      ) : (
        <span />
      )}
    </li>
  );
}
