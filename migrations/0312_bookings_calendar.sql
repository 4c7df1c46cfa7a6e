-- Bookings are written into the agency's own calendar where one is set up.

alter table public.bookings add column told_calendar smallint;
comment on column public.bookings.told_calendar is 'The change that the calendar of BOOKING_CALENDAR has; null: none.';
create index bookings_to_calendar_idx on public.bookings (starts_at) where told_calendar is distinct from changes;
