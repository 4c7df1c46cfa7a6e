-- Calls with a colleague that callers of the phone assistant booked.

create table public.bookings (
  id uuid primary key default gen_random_uuid(),
  starts_at timestamptz not null unique,
  minutes smallint not null check (minutes between 5 and 480),
  name text not null check (length(name) between 1 and 120),
  phone text not null check (length(phone) between 1 and 40),
  call_id uuid references private.voice_records (id) on delete set null,
  created_at timestamptz not null default now()
);
comment on table public.bookings is 'Booked calls with a colleague. There is one colleague, so one at a time.';
comment on column public.bookings.call_id is 'The call in which it was booked; the booking outlives the call''s words.';
create index bookings_call_id_idx on public.bookings (call_id);

alter table public.bookings enable row level security;

grant select, update, delete on public.bookings to service_role;

create policy bookings_service on public.bookings to service_role using (true) with check (true);
