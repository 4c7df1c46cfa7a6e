-- What visitors wrote, and the clock of the promised reply.

create table public.enquiries (
  id text primary key check (id ~ '^(ENQ|COURSE)-[0-9]+-[a-z0-9]+$'),
  name text not null,
  email text not null,
  phone text,
  company_name text,
  website text,
  enquiry_type text not null,
  additional_notes text,
  course_description text,
  user_id uuid references auth.users (id) on delete set null,
  event_subject uuid not null unique default gen_random_uuid(),
  suspect_reasons text[] not null default '{}',
  address_hash text not null,
  text_hash text not null,
  created_at timestamptz not null default now(),
  due_at timestamptz not null default now() + interval '24 hours',
  replied_at timestamptz,
  replied_by uuid references auth.users (id) on delete set null,
  note text not null default '' check (length(note) <= 4000),
  warned_at timestamptz,
  proof_hash text
);
comment on table public.enquiries is 'What visitors wrote: enquiries and requests for courses.';
comment on column public.enquiries.event_subject is 'What its event in the outbox is about.';
comment on column public.enquiries.suspect_reasons is 'Why it may be advertising; it is kept all the same.';
comment on column public.enquiries.address_hash is 'Keyed hash: enough to count, nothing to look up.';
comment on column public.enquiries.replied_by is 'The operator''s account; null when it was marked otherwise.';
comment on column public.enquiries.warned_at is 'When the agency was warned that the time runs out: at most once.';
comment on column public.enquiries.proof_hash is 'Hash of the challenge that was solved; a second use is suspicious.';
create index enquiries_created_at_idx on public.enquiries (created_at desc);
create index enquiries_address_hash_idx on public.enquiries (address_hash, created_at);
create index enquiries_text_hash_idx on public.enquiries (text_hash, created_at);
create index enquiries_user_id_idx on public.enquiries (user_id);
create index enquiries_open_idx on public.enquiries (due_at) where replied_at is null and warned_at is null;
create index enquiries_proof_hash_idx on public.enquiries (proof_hash) where proof_hash is not null;

alter table public.enquiries enable row level security;

grant select, update, delete on public.enquiries to service_role;

create policy enquiries_service on public.enquiries to service_role using (true) with check (true);

create function private.announce_enquiry() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.announce(
    case when new.id like 'COURSE-%' then 'course_inquiry.created' else 'enquiry.created' end, new.event_subject,
    jsonb_build_object('id', new.id, 'enquiry_type', new.enquiry_type, 'user_id', new.user_id,
      'suspect', new.suspect_reasons <> '{}', 'created_at', new.created_at));
  return null;
end $$;
create trigger announce after insert on public.enquiries
  for each row execute function private.announce_enquiry();
comment on trigger announce on public.enquiries is 'Writes the event enquiry.created or course_inquiry.created.';
