-- Telephone calls that came, by who called: so many at once and within an hour from one number.

create table private.voice_callers (
  id uuid primary key,
  caller bytea not null,
  told boolean not null default false,
  at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  ended_at timestamptz
);
comment on table private.voice_callers is
  'Telephone calls that came within the last hours, for the caps of one calling number; they outlive the calls'' records, which may be deleted.';
comment on column private.voice_callers.caller is
  'A keyed digest of the number or address that called; all who withhold theirs have one together.';
comment on column private.voice_callers.told is
  'The call was not taken: its caller was told that there were too many, once an hour.';
comment on column private.voice_callers.seen_at is
  'When its process last said that the call goes on; half a minute later it is given up.';
create index voice_callers_caller_idx on private.voice_callers (caller, at);
create index voice_callers_at_idx on private.voice_callers (at);
alter table private.voice_callers enable row level security;

insert into private.personal_data (table_name, holds, purpose, found_by, hidden, on_erasure, kept) values
  ('private.voice_callers', 'Keyed digests of numbers that called', 'Limits against floods of calls', null, '{}', 'kept', 'Two hours');
