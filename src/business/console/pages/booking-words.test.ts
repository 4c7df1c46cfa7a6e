import { expect, test } from 'vitest';
import { sayBookingState, sayCancelled, sayHeld, sayOrigin } from './booking-words.web.ts';

const BOOKING = {
  id: 'b',
  starts_at: '2026-03-03T10:00:00Z',
  minutes: 30,
  name: 'Ann Wood',
  phone: '1',
  call_id: null,
  created_at: '2026-03-01T10:00:00Z',
  email: null,
  state: 'booked',
  changes: 0,
  changed_at: null,
  changed_by: null,
  confirmed_by: null,
  service: null,
  source: 'call',
} as const;

test('a booking says what became of it, by whom, and whether its caller knows', () => {
  const changed = {
    changes: 1,
    changed_at: '2026-03-02T10:00:00Z',
    confirmed_by: 'mail',
    email: 'a@b.example',
  } as const;
  expect(sayBookingState(BOOKING)).toBe('Not confirmed, as there is no way');
  expect(sayBookingState({ ...BOOKING, ...changed, changed_by: 'link' })).toMatch(
    /^Moved by its link, .+ · Told by mail to a@b.example$/,
  );
  expect(sayBookingState({ ...BOOKING, ...changed, state: 'cancelled', changed_by: 'desk' })).toMatch(
    /^Cancelled at the console, /,
  );
  expect(sayOrigin(BOOKING)).toBe('booked in a call');
  expect(sayOrigin({ service: 'Chat Bots', source: 'page' })).toBe('Chat Bots · booked on the page');
  expect(sayCancelled(BOOKING)).toBe('The booking is cancelled. Its caller is not told, as there is no way.');
  expect(sayCancelled({ ...BOOKING, confirmed_by: 'text' })).toBe(
    'The booking is cancelled. Its caller is told.',
  );
  expect(sayHeld([{ starts_at: BOOKING.starts_at, until: BOOKING.starts_at }])).toContain(
    'Held for callers who are deciding: ',
  );
});

test('a booking whose address gets no mails does not say that somebody was told', () => {
  expect(sayBookingState({ ...BOOKING, email: 'a@b.example' })).toBe(
    'Not confirmed, as a@b.example gets no mails',
  );
});
