import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../../ui/parts/button.tsx';
import type { BookingsPage } from '../operator.contract.ts';
import { Choice, EmptyState, ListPages, Loaded, SearchField } from './console-parts.web.tsx';
import { useOperatorAction } from './operator-action.web.ts';
import { operatorQuery } from './operator-client.web.ts';
import { shortTime } from './time-words.web.ts';

const LISTS = [
  ['coming', 'Still to come'],
  ['past', 'Over'],
] as const;

/** Calls with a colleague that callers of the phone assistant booked. */
export function BookingsView() {
  const [list, setList] = useState<'coming' | 'past'>('coming');
  const [q, setQ] = useState('');
  const [ends, setEnds] = useState<readonly string[]>([]);
  const query = useQuery({
    ...operatorQuery<BookingsPage>('bookings', { list, q, after: ends.at(-1) ?? '' }),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <div className="lead-in">
        <div>
          <h1 tabIndex={-1}>Bookings</h1>
          <p className="meta">Calls that people booked with the phone assistant, in your own time.</p>
        </div>
      </div>
      <div className="console-tools">
        <SearchField
          label="Search name or number"
          onSettled={(words) => {
            setQ(words);
            setEnds([]);
          }}
        />
        <Choice
          label="Show"
          value={list}
          options={LISTS}
          onChoose={(next) => {
            setList(next);
            setEnds([]);
          }}
        />
      </div>
      <Loaded query={query}>
        {({ rows, next }) => (
          <>
            {rows.length === 0 ? (
              <EmptyState>{q === '' ? 'Nothing is booked here.' : 'Nothing was found.'}</EmptyState>
            ) : (
              <ul className="panel rows">
                {rows.map((row) => (
                  <BookingRow key={row.id} booking={row} coming={list === 'coming'} />
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

function BookingRow({ booking, coming }: { booking: BookingsPage['rows'][number]; coming: boolean }) {
  const { busy, act } = useOperatorAction();
  const [asked, setAsked] = useState(false);
  return (
    <li className="row">
      <span className="name">
        <b>{booking.name}</b>
        <span className="meta num">
          {' '}
          <a href={`tel:${booking.phone.replace(/[^+\d]/g, '')}`}>{booking.phone}</a>
        </span>
      </span>
      <span className="num">
        {shortTime(booking.starts_at)}, {booking.minutes} minutes
      </span>
      {coming ? (
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
              if (asked)
                void act(
                  { do: 'booking.cancel', id: booking.id },
                  'The booking is cancelled. Nobody was told of it.',
                );
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
