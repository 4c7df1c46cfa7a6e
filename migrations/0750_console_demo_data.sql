-- Demo data: six invented customers at the console, added and removed by an owner (decision 0790).

create table private.demo_data (
  single boolean primary key default true check (single),
  state text not null default 'adding' check (state in ('adding', 'ready', 'removing')),
  step smallint not null default 0,
  requested_at timestamptz not null default now()
);
comment on table private.demo_data is 'One row while there is demo data. A killed process goes on with the step that stands here.';
comment on column private.demo_data.step is 'How many steps of the adding are done.';
alter table private.demo_data enable row level security;

create table private.demo_records (
  id text primary key,
  kind text not null check (kind in ('customer', 'provider customer', 'invoice', 'enquiry', 'call', 'booking', 'file', 'bytes'))
);
comment on table private.demo_records is
  'The ids of invented records. Each is written before its record, so no trigger ever takes a demo record for a real one.';
create index demo_records_kind_idx on private.demo_records (kind);
alter table private.demo_records enable row level security;

create function private.is_demo(p_id text) returns boolean
  language sql stable security definer set search_path = '' as $$
  select exists (select from private.demo_records d where d.id = p_id)
$$;
comment on function private.is_demo(text) is
  'Whether an id is that of demo data: of an account, a customer or invoice of the provider, an enquiry, a call, a booking.';

create view operator.demo_data with (security_barrier) as
  select d.state from private.demo_data d where (select auth.is_operator());
comment on view operator.demo_data is 'One row while there is demo data.';
grant select on operator.demo_data to authenticated, service_role;

create function operator.add_demo_data() returns boolean
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.operate('demo.add', 'demo data');
  insert into private.demo_data default values on conflict (single) do nothing;
  if not found then return false; end if;
  perform pg_notify('demo_data', '');
  return true;
end $$;
comment on function operator.add_demo_data() is 'Orders demo data; false when there is some already.';

create function operator.remove_demo_data() returns boolean
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.operate('demo.remove', 'demo data');
  update private.demo_data set state = 'removing' where state <> 'removing';
  if not found then return false; end if;
  perform pg_notify('demo_data', '');
  return true;
end $$;
comment on function operator.remove_demo_data() is
  'Orders the removal of the demo data, also while it is being added; false when there is none, or it goes already.';

-- A demo customer stays as it was made, and barred: nobody can give it an address, a password or a right.
create function private.keep_demo_account() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if private.is_demo(old.id::text) then
    new.email := old.email;
    new.phone := old.phone;
    new.encrypted_password := old.encrypted_password;
    new.banned_until := old.banned_until;
    new.raw_app_meta_data := old.raw_app_meta_data;
  end if;
  return new;
end $$;
comment on function private.keep_demo_account() is 'A demo customer never signs in, whatever is changed of the account.';
create trigger keep_demo_account before update of email, phone, encrypted_password, banned_until, raw_app_meta_data on auth.users
  for each row execute function private.keep_demo_account();
comment on trigger keep_demo_account on auth.users is
  'Keeps address, number, password, bar and rights of a demo customer as they were made.';

-- Other servers hear nothing of demo data.
create or replace function private.announce(p_kind text, p_subject uuid, p_data jsonb) returns void
  language sql security definer set search_path = '' as $$
  insert into private.outbox_events (kind, subject_id, target, data, state)
  select p_kind, p_subject, t.name, p_data, case when t.disabled_at is null then 'pending' else 'dead' end
  from private.webhook_targets t
  where t.active and p_kind = any (t.events)
    and not exists (select from private.demo_records d where d.id in (p_subject::text, p_data ->> 'user_id', p_data ->> 'id'))
$$;
comment on function private.announce(text, uuid, jsonb) is
  'Writes an event for every target that subscribes to its kind, in the transaction of the change; none about demo data.';

-- The payment provider knows no demo customer, so it is not asked to end one.
create or replace function private.end_subscriptions_of_user() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.customers_to_end (customer_id)
    select p.customer_id from private.payment_customers p join public.customers c on c.id = p.customer_row
     where c.user_id = old.id and not private.is_demo(p.customer_id)
    on conflict (customer_id) do update set requested_at = now(), done_at = null;
  if tg_op = 'DELETE' then return old; end if;
  return new;
end
$$;
drop trigger end_subscriptions_of_hidden_user on auth.users;
drop function private.end_subscriptions_of_hidden_user();
create trigger end_subscriptions_of_hidden_user before update of deleted_at on auth.users
  for each row when (old.deleted_at is null and new.deleted_at is not null)
  execute function private.end_subscriptions_of_user();
comment on trigger end_subscriptions_of_hidden_user on auth.users is
  'Queues the end of the subscriptions of a softly deleted account.';

-- Nobody is told of messages of or to demo customers.
create or replace function private.note_message() returns trigger
  language plpgsql security definer set search_path = ''
  as $$
begin
  insert into private.message_notes (message_id, author, mail_due)
    values (new.id, case when new.from_agency then auth.uid() end, not private.is_demo(new.user_id::text));
  return null;
end
$$;

-- The figures of the home page are measured of real documents.
create or replace function private.note_analysis_outcome() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  insert into private.analysis_outcomes (made_report, seconds)
  select
    new.state = 'completed',
    greatest(0, extract(epoch from coalesce(new.finished_at, now()) - new.created_at))
  where not private.is_demo(new.user_id::text);
  return null;
end
$$;

-- A demo booking takes nobody's time.
alter table northline_app.bookings add column demo boolean not null default false;
comment on column northline_app.bookings.demo is 'Invented: it takes no time, and nobody is told of it.';
drop index northline_app.bookings_starts_at_idx;
create unique index bookings_starts_at_idx on northline_app.bookings (starts_at) where state = 'booked' and not demo;

create or replace function private.hold_booking_times(p_holder text, p_starts timestamptz[], p_minutes integer, p_for interval)
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
                        where b.state = 'booked' and not b.demo and b.starts_at < s + length
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

revoke all on function
  private.is_demo(text), private.keep_demo_account(), operator.add_demo_data(), operator.remove_demo_data()
from public;
grant execute on function operator.add_demo_data(), operator.remove_demo_data() to authenticated, service_role;
