-- Bookings have states, are held while a caller decides, are confirmed to who booked, and are changed by a link.

alter table public.bookings
  add column email text check (char_length(email) between 3 and 254),
  add column state text not null default 'booked' check (state in ('booked', 'cancelled')),
  add column changes smallint not null default 0,
  add column changed_at timestamptz,
  add column changed_by text check (changed_by in ('call', 'link', 'desk')),
  add column told_agency smallint,
  add column told_caller smallint,
  add column confirmed_by text check (confirmed_by in ('mail', 'text'));
comment on column public.bookings.changes is 'How often it was moved or cancelled: SEQUENCE of its calendar entry.';
comment on column public.bookings.told_agency is 'The change that the agency was told of last; null: not even that it was booked.';
comment on column public.bookings.told_caller is 'The change that who booked was told of last; null: it was never confirmed to anybody.';
comment on column public.bookings.confirmed_by is 'How who booked is told: by mail or by text message; null: there is no way.';
-- What was booked before this is not told again.
update public.bookings set told_agency = 0;

alter table public.bookings drop constraint bookings_starts_at_key;
create unique index bookings_starts_at_idx on public.bookings (starts_at) where state = 'booked';
create index bookings_to_tell_idx on public.bookings (created_at)
  where told_agency is distinct from changes or confirmed_by is not null and told_caller is distinct from changes;
create index bookings_email_idx on public.bookings (lower(email), created_at);

create function private.cancelled_bookings_stay() returns trigger
  language plpgsql set search_path = '' as $$
begin
  if old.state = 'cancelled' then raise exception 'a cancelled booking does not change'; end if;
  return new;
end $$;
comment on function private.cancelled_bookings_stay() is 'Whoever wants the time again books it again, so that nobody is told two things at once.';
create trigger cancelled_stay before update of state, starts_at on public.bookings
  for each row execute function private.cancelled_bookings_stay();
comment on trigger cancelled_stay on public.bookings is 'A cancelled booking is not moved, and does not come back.';

create trigger notify_waiting after insert or update of changes, email on public.bookings
  for each row execute function private.notify_waiting('bookings_changed');
comment on trigger notify_waiting on public.bookings is 'Who has to know of a change is told at once.';

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
     where not exists (select from public.bookings b where b.starts_at = s and b.state = 'booked')
     -- One order for all, so that two callers never wait for each other.
     order by s
    on conflict (starts_at) do update set holder = excluded.holder, until = excluded.until
      where h.holder = excluded.holder or h.until <= now()
    returning h.starts_at;
end $$;
comment on function private.hold_booking_times(text, timestamptz[], interval) is
  'Holds exactly these times for somebody; returns those that it got. A time is booked and moved to by its holder only, so that two never meet.';
revoke all on function private.cancelled_bookings_stay(), private.hold_booking_times(text, timestamptz[], interval) from public;

create or replace view operator.bookings with (security_barrier) as
  select b.id, b.starts_at, b.minutes, b.name, b.phone, b.call_id, b.created_at, b.email, b.state, b.changes, b.changed_at,
         b.changed_by, b.confirmed_by
  from public.bookings b where (select auth.is_operator());

create view operator.booking_holds with (security_barrier) as
  select h.starts_at, h.until from private.booking_holds h where (select auth.is_operator()) and h.until > now();
comment on view operator.booking_holds is 'Times that callers are deciding on at this moment.';
revoke all on operator.booking_holds from public, anon, authenticated, service_role;
grant select on operator.booking_holds to authenticated, service_role;

create or replace function operator.cancel_booking(p_id uuid) returns boolean
  language plpgsql security definer set search_path = '' as $$
declare
  gone public.bookings;
begin
  update public.bookings set state = 'cancelled', changes = changes + 1, changed_at = now(), changed_by = 'desk'
   where id = p_id and state = 'booked' and auth.is_operator() returning * into gone;
  perform private.operate('booking.cancel', p_id::text,
    jsonb_build_object('starts_at', gone.starts_at, 'name', gone.name));
  return gone.id is not null;
end $$;
comment on function operator.cancel_booking(uuid) is
  'Cancels a booking, so that its time is free again, and who booked is told where that is possible; false when there is none.';

update private.personal_data
   set holds = 'Calls that were booked: name, number, address for the confirmation, time',
       found_by = 'lower(t.email) = $2 or regexp_replace(t.phone, ''\D'', '''', ''g'') = $3'
 where table_name = 'public.bookings';
