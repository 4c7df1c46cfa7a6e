-- The voice platform's resources (spec/platform.md §7), described by their JSON bodies, which
-- src/features/voice validates. No role of the API sees them: they belong to the installation,
-- and the keys of /voice/v1 are no database roles.

create table private.voice_records (
  id uuid primary key default gen_random_uuid(),
  kind text not null check (kind in ('assistant', 'squad', 'tool', 'credential', 'phone-number', 'call')),
  body jsonb not null check (jsonb_typeof(body) = 'object'),
  -- What is never shown again, encrypted (AES-256-GCM, bound to the row's id).
  secrets text,
  -- Milliseconds, as the API shows them: a list "after" the last one shown must not repeat it.
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create index voice_records_kind_created_idx on private.voice_records (kind, created_at desc, id);
create unique index voice_records_number_key on private.voice_records ((body ->> 'number'))
  where kind = 'phone-number';
create index voice_records_call_assistant_idx on private.voice_records ((body ->> 'assistantId'), created_at desc)
  where kind = 'call';
alter table private.voice_records enable row level security;

create table private.voice_call_logs (
  id bigint generated always as identity primary key,
  call_id uuid not null references private.voice_records (id) on delete cascade,
  level text not null check (level in ('INFO', 'LOG', 'WARN', 'ERROR', 'CHECKPOINT')),
  log text not null,
  time timestamptz(3) not null default now()
);
create index voice_call_logs_call_idx on private.voice_call_logs (call_id, time, id);
alter table private.voice_call_logs enable row level security;
