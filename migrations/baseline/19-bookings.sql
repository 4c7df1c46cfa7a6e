-- Calls with a colleague that callers of the phone assistant booked.

create table northline_app.bookings (
  id uuid primary key default gen_random_uuid(),
  starts_at timestamptz not null,
  minutes smallint not null check (minutes between 5 and 480),
  name text not null check (length(name) between 1 and 120),
  phone text not null check (length(phone) between 1 and 40),
  call_id uuid references private.voice_records (id) on delete set null,
  created_at timestamptz not null default now(),
  email text check (char_length(email) between 3 and 254),
  state text not null default 'booked' check (state in ('booked', 'cancelled')),
  changes smallint not null default 0,
  changed_at timestamptz,
  changed_by text check (changed_by in ('call', 'link', 'desk')),
  told_agency smallint,
  told_caller smallint,
  confirmed_by text check (confirmed_by in ('mail', 'text')),
  told_calendar smallint
);
comment on table northline_app.bookings is 'Booked calls with a colleague. There is one colleague, so one at a time.';
comment on column northline_app.bookings.call_id is 'The call in which it was booked; the booking outlives the call''s words.';
comment on column northline_app.bookings.changes is 'How often it was moved or cancelled: SEQUENCE of its calendar entry.';
comment on column northline_app.bookings.told_agency is 'The last change that the agency was told of; null: it was not told of the booking either.';
comment on column northline_app.bookings.told_caller is 'The last change that the caller was told of; null: it was never confirmed.';
comment on column northline_app.bookings.confirmed_by is 'How the caller is told: by mail or by text message; null: there is no way.';
comment on column northline_app.bookings.told_calendar is 'The change that the calendar of BOOKING_CALENDAR has; null: none.';
create index bookings_call_id_idx on northline_app.bookings (call_id);

alter table northline_app.bookings enable row level security;

grant select, update, delete on northline_app.bookings to service_role;

create policy bookings_service on northline_app.bookings to service_role using (true) with check (true);

create view operator.bookings with (security_barrier) as
  select b.id, b.starts_at, b.minutes, b.name, b.phone, b.call_id, b.created_at, b.email, b.state, b.changes, b.changed_at,
         b.changed_by, b.confirmed_by
  from northline_app.bookings b where (select auth.is_operator());
comment on view operator.bookings is 'Calls with a colleague that callers booked.';

create function operator.cancel_booking(p_id uuid) returns boolean
  language plpgsql security definer set search_path = '' as $$
declare
  gone northline_app.bookings;
begin
  update northline_app.bookings set state = 'cancelled', changes = changes + 1, changed_at = now(), changed_by = 'desk'
   where id = p_id and state = 'booked' and auth.is_operator() returning * into gone;
  perform private.operate('booking.cancel', p_id::text,
    jsonb_build_object('starts_at', gone.starts_at, 'name', gone.name));
  return gone.id is not null;
end $$;
comment on function operator.cancel_booking(uuid) is
  'Cancels a booking, so that its time is free again; the caller is told where that is possible. False when there is no such booking.';

grant select on operator.bookings to authenticated, service_role;
revoke all on function operator.cancel_booking(uuid) from public;
grant execute on function operator.cancel_booking(uuid) to authenticated, service_role;
create unique index bookings_starts_at_idx on northline_app.bookings (starts_at) where state = 'booked';
create index bookings_to_tell_idx on northline_app.bookings (created_at)
  where told_agency is distinct from changes or confirmed_by is not null and told_caller is distinct from changes;
create index bookings_to_calendar_idx on northline_app.bookings (starts_at) where told_calendar is distinct from changes;
create index bookings_email_idx on northline_app.bookings (lower(email), created_at);

create function private.cancelled_bookings_stay() returns trigger
  language plpgsql set search_path = '' as $$
begin
  if old.state = 'cancelled' then raise exception 'a cancelled booking does not change'; end if;
  return new;
end $$;
comment on function private.cancelled_bookings_stay() is 'Refuses a change of a cancelled booking: the time is booked anew, so that nobody is told two things at once.';
create trigger cancelled_stay before update of state, starts_at on northline_app.bookings
  for each row execute function private.cancelled_bookings_stay();
comment on trigger cancelled_stay on northline_app.bookings is 'A cancelled booking is not moved, and does not come back.';

create trigger notify_waiting after insert or update of changes, email on northline_app.bookings
  for each row execute function private.notify_waiting('bookings_changed');
comment on trigger notify_waiting on northline_app.bookings is 'Wakes the processes that tell caller and agency of a change.';

create table private.booking_holds (
  starts_at timestamptz primary key,
  holder text not null,
  until timestamptz not null
);
comment on table private.booking_holds is
  'Times that nobody else is offered: a caller of that call decides on them. They end by themselves, and a sweep removes them.';
create index booking_holds_holder_idx on private.booking_holds (holder);
create index booking_holds_until_idx on private.booking_holds (until);
alter table private.booking_holds enable row level security;

create function private.hold_booking_times(p_holder text, p_starts timestamptz[], p_for interval)
  returns setof timestamptz
  language plpgsql set search_path = '' as $$
begin
  delete from private.booking_holds h where h.holder = p_holder and h.starts_at <> all (p_starts);
  return query
    insert into private.booking_holds as h (starts_at, holder, until)
    select s, p_holder, now() + p_for from unnest(p_starts) s
     where not exists (select from northline_app.bookings b where b.starts_at = s and b.state = 'booked')
     -- One order for all, so that two callers never wait for each other.
     order by s
    on conflict (starts_at) do update set holder = excluded.holder, until = excluded.until
      where h.holder = excluded.holder or h.until <= now()
    returning h.starts_at;
end $$;
comment on function private.hold_booking_times(text, timestamptz[], interval) is
  'Holds exactly these times for somebody; returns those that it got. A time is booked and moved to by its holder only, so that two never meet.';
revoke all on function private.cancelled_bookings_stay(), private.hold_booking_times(text, timestamptz[], interval) from public;

create view operator.booking_holds with (security_barrier) as
  select h.starts_at, h.until from private.booking_holds h where (select auth.is_operator()) and h.until > now();
comment on view operator.booking_holds is 'Times that callers are deciding on at this moment.';
grant select on operator.booking_holds to authenticated, service_role;
