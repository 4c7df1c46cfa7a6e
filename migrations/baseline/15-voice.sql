-- The voice platform's resources, described by their JSON bodies, which the voice code validates. No
-- role of the API sees them: they belong to the installation, and the keys of /voice/v1 are no database roles.

create table private.voice_records (
  id uuid primary key default gen_random_uuid(),
  kind text not null check (kind in ('assistant', 'squad', 'tool', 'credential', 'phone-number', 'call', 'file')),
  body jsonb not null check (jsonb_typeof(body) = 'object'),
  secrets text,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
comment on table private.voice_records is
  'Assistants, squads, tools, credentials, phone numbers, calls and files of the voice platform.';
comment on column private.voice_records.secrets is
  'What is never shown again, encrypted (AES-256-GCM, bound to the row''s id).';
comment on column private.voice_records.created_at is
  'Milliseconds, as the API shows them: a list "after" the last one shown must not repeat it.';
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
comment on table private.voice_call_logs is 'The log lines of a call.';
create index voice_call_logs_call_idx on private.voice_call_logs (call_id, time, id);

alter table private.voice_call_logs enable row level security;

create table private.voice_live_calls (
  call_id uuid primary key references private.voice_records (id) on delete cascade,
  worker text not null,
  seen_at timestamptz not null default now()
);
comment on table private.voice_live_calls is
  'Which process carries a call; `seen_at` is renewed while it does. A call whose process is gone is closed by another, or by the same installation when it starts again.';

alter table private.voice_live_calls enable row level security;

create table private.voice_evidence (
  call_id uuid not null,
  position integer not null check (position > 0),
  kind text not null check (kind in ('begun', 'disclosure', 'consent', 'turn', 'ended', 'deleted')),
  at timestamptz(3) not null,
  data jsonb not null,
  previous text not null,
  mark text not null,
  primary key (call_id, position)
);
comment on table private.voice_evidence is
  'What can be proved of a call afterwards: a chain in which every entry carries the mark of the previous one. It outlives the call''s record, and holds no words, only keyed digests of them.';

alter table private.voice_evidence enable row level security;

create index voice_evidence_at_idx on private.voice_evidence (at);

-- Private, and without a policy: no account sees it, only the server's own key and /voice/v1/file.
insert into storage.buckets (id, name, public, file_size_limit)
values ('voice-files', 'voice-files', false, 20971520);

create table private.voice_passages (
  file_id uuid not null references private.voice_records (id) on delete cascade,
  position integer not null check (position > 0),
  page integer,
  text text not null,
  search tsvector generated always as (to_tsvector('english'::regconfig, text)) stored,
  primary key (file_id, position)
);
comment on table private.voice_passages is 'The passages of a file''s text, which assistants consult.';
comment on column private.voice_passages.page is 'Null where the format has no pages.';
create index voice_passages_search_idx on private.voice_passages using gin (search);

alter table private.voice_passages enable row level security;

create function private.delete_voice_file() returns trigger
  language plpgsql security definer set search_path = ''
  as $$
begin
  if tg_table_schema = 'private' then
    delete from storage.objects where id = old.id and bucket_id = 'voice-files';
  else
    delete from private.voice_records where id = old.id and kind = 'file';
  end if;
  return null;
end
$$;

revoke execute on function private.delete_voice_file() from public;

create trigger delete_object after delete on private.voice_records
  for each row when (old.kind = 'file') execute function private.delete_voice_file();
comment on trigger delete_object on private.voice_records is 'Deletes the stored object of a deleted file record.';
create trigger delete_voice_file after delete on storage.objects
  for each row when (old.bucket_id = 'voice-files') execute function private.delete_voice_file();
comment on trigger delete_voice_file on storage.objects is
  'Deletes the file record of a deleted object in voice-files.';

create function private.announce_call() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  -- Ids, times and why: no number, no name, no word of the conversation.
  perform private.announce('call.ended', new.id,
    jsonb_build_object('call_id', new.id, 'assistant_id', new.body -> 'assistantId', 'type', new.body -> 'type',
      'ended_reason', new.body -> 'endedReason', 'started_at', new.body -> 'startedAt',
      'ended_at', coalesce(new.body -> 'endedAt', to_jsonb(now())), 'created_at', new.created_at));
  return null;
end $$;
create trigger announce_ended_new after insert on private.voice_records
  for each row when (new.kind = 'call' and new.body ->> 'status' = 'ended') execute function private.announce_call();
comment on trigger announce_ended_new on private.voice_records is
  'Writes the event call.ended for a call that is recorded when it is over.';
create trigger announce_ended after update of body on private.voice_records
  for each row when (new.kind = 'call' and new.body ->> 'status' = 'ended'
    and old.body ->> 'status' is distinct from 'ended')
  execute function private.announce_call();
comment on trigger announce_ended on private.voice_records is
  'Writes the event call.ended when a call ends. It carries ids, times and the reason: no number, no name, no word of the conversation.';
