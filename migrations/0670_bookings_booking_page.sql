-- Visitors book on a page of their own: services of other lengths, proof of the address, reminders.

alter table northline_app.bookings
  add column service text check (char_length(service) between 1 and 120),
  add column zone text check (char_length(zone) between 1 and 64),
  add column language text check (language in ('en', 'de')),
  add column source text not null default 'call' check (source in ('call', 'page'));
comment on column northline_app.bookings.service is 'The name of the service when it was booked; it stays when the service goes. Null: none was named.';
comment on column northline_app.bookings.zone is 'IANA name of the time zone in which the person reads times; null: the agency''s.';
comment on column northline_app.bookings.language is 'The language in which the person booked; null: that of the account.';
comment on column northline_app.bookings.source is 'Where it was booked: in a call, or on the booking page.';

create or replace view operator.bookings with (security_barrier) as
  select b.id, b.starts_at, b.minutes, b.name, b.phone, b.call_id, b.created_at, b.email, b.state, b.changes, b.changed_at,
         b.changed_by, b.confirmed_by, b.service, b.source
  from northline_app.bookings b where (select auth.is_operator());

create table private.booking_requests (
  id uuid primary key default gen_random_uuid(),
  starts_at timestamptz not null,
  minutes smallint not null check (minutes between 5 and 480),
  service text check (char_length(service) between 1 and 120),
  name text not null check (char_length(name) between 1 and 120),
  phone text not null check (char_length(phone) between 1 and 40),
  email text not null check (char_length(email) between 3 and 254),
  zone text not null check (char_length(zone) between 1 and 64),
  language text not null check (language in ('en', 'de')),
  created_at timestamptz not null default now(),
  booking_id uuid references northline_app.bookings (id) on delete cascade
);
comment on table private.booking_requests is
  'What visitors asked for on the booking page. It becomes a booking when the link of its mail is used.';
comment on column private.booking_requests.booking_id is 'The booking that it became; null: the address is not proven.';
create index booking_requests_email_idx on private.booking_requests (lower(email), created_at);
create index booking_requests_created_at_idx on private.booking_requests (created_at);
create index booking_requests_booking_id_idx on private.booking_requests (booking_id);
alter table private.booking_requests enable row level security;
insert into private.personal_data (table_name, holds, purpose, found_by, hidden, on_erasure, kept) values
  ('private.booking_requests', 'Calls that were asked for on the booking page: name, number, address, time', 'Proving the address',
   'lower(t.email) = $2 or regexp_replace(t.phone, ''\D'', '''', ''g'') = $3', '{}', 'deleted', 'A day');

create table private.booking_reminders (
  booking_id uuid not null references northline_app.bookings (id) on delete cascade,
  changes smallint not null,
  hours smallint not null,
  primary key (booking_id, changes, hours)
);
comment on table private.booking_reminders is
  'Which reminders of a booking were sent, or are not needed; a moved booking has them again.';
alter table private.booking_reminders enable row level security;

-- Calls of other lengths may overlap without beginning at the same time.
alter table private.booking_holds add column minutes smallint not null default 30;

drop function private.hold_booking_times(text, timestamptz[], interval);
create function private.hold_booking_times(p_holder text, p_starts timestamptz[], p_minutes integer, p_for interval)
  returns setof timestamptz
  language plpgsql set search_path = '' as $$
declare
  length interval := pg_catalog.make_interval(mins => p_minutes);
begin
  -- One holder comes after another, so the second one sees the holds of the first, whatever the lengths.
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('private.booking_holds', 0));
  delete from private.booking_holds h where h.holder = p_holder and h.starts_at <> all (p_starts);
  return query
    insert into private.booking_holds as h (starts_at, holder, until, minutes)
    select s, p_holder, now() + p_for, p_minutes from unnest(p_starts) s
     where not exists (select from northline_app.bookings b
                        where b.state = 'booked' and b.starts_at < s + length
                          and b.starts_at + pg_catalog.make_interval(mins => b.minutes) > s
                          -- A booking may move to a time that overlaps its present one.
                          and 'booking ' || b.id::text <> p_holder)
       and not exists (select from private.booking_holds o
                        where o.holder <> p_holder and o.until > now() and o.starts_at < s + length
                          and o.starts_at + pg_catalog.make_interval(mins => o.minutes) > s)
    on conflict (starts_at) do update
      set holder = excluded.holder, until = excluded.until, minutes = excluded.minutes
    returning h.starts_at;
end $$;
comment on function private.hold_booking_times(text, timestamptz[], integer, interval) is
  'Holds exactly these times for somebody; returns those that it got. A time is booked and moved to by its holder only, so that two never meet.';
revoke all on function private.hold_booking_times(text, timestamptz[], integer, interval) from public;
