-- The voice platform's resources, described by their JSON bodies, which the voice code validates. No
-- role of the API sees them: they belong to the installation, and the keys of /voice/v1 are no database roles.

create table private.voice_records (
  id uuid primary key default gen_random_uuid(),
  kind text not null check (kind in ('assistant', 'squad', 'tool', 'credential', 'phone-number', 'call', 'file', 'room', 'recording')),
  body jsonb not null check (jsonb_typeof(body) = 'object'),
  secrets text,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
comment on table private.voice_records is
  'Assistants, squads, tools, credentials, phone numbers, calls, files and meeting rooms of the voice platform.';
comment on column private.voice_records.secrets is
  'What is never shown again, encrypted (AES-256-GCM, bound to the row''s id).';
comment on column private.voice_records.created_at is
  'Milliseconds, as the API shows them: a list "after" the last one shown must not repeat it.';
create index voice_records_kind_created_idx on private.voice_records (kind, created_at desc, id);
create unique index voice_records_number_key on private.voice_records ((body ->> 'number'))
  where kind = 'phone-number';
create index voice_records_call_assistant_idx on private.voice_records ((body ->> 'assistantId'), created_at desc)
  where kind = 'call';
create index voice_records_scheduled_idx on private.voice_records (created_at)
  where kind = 'call' and body ->> 'status' = 'scheduled';
create unique index voice_records_room_key on private.voice_records ((body ->> 'name')) where kind = 'room';

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
  seen_at timestamptz not null default now(),
  end_asked_at timestamptz,
  visitor bytea,
  end_reason text check (char_length(end_reason) <= 100)
);
comment on table private.voice_live_calls is
  'Which process carries a call; `seen_at` is renewed while it does. A call whose process is gone is closed by another, or by the same installation when it starts again.';
create index voice_live_calls_visitor_idx on private.voice_live_calls (visitor);
comment on column private.voice_live_calls.end_asked_at is
  'Somebody hung up at another process; the one that carries the call ends it when it next says that it lives.';
comment on column private.voice_live_calls.visitor is
  'A keyed digest of the address that a visitor calls from; null for calls of the private key and of telephones.';
comment on column private.voice_live_calls.end_reason is
  'Why it is to end, where that was asked at another process; null where an operator hung up.';

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

-- Telephone calls that went out, for the caps of a day: they outlive the calls' records, which may be deleted.

create table private.voice_dials (
  id bigint generated always as identity primary key,
  call_id uuid not null,
  destination text not null,
  trunk text not null,
  at timestamptz not null default now()
);
comment on table private.voice_dials is
  'Telephone calls that went out within the last days, so that deleting a call gives nobody another.';
comment on column private.voice_dials.destination is 'A keyed digest of the number or address that was called.';
comment on column private.voice_dials.trunk is 'The trunk''s id, or `loopback`.';
create index voice_dials_at_idx on private.voice_dials (at);

alter table private.voice_dials enable row level security;

-- Recordings of calls: made with the caller's consent only, kept for a time that is set before, gone with their call.

insert into storage.buckets (id, name, public, file_size_limit)
values ('voice-recordings', 'voice-recordings', false, 536870912);

create table private.voice_recordings (
  call_id uuid primary key references private.voice_records (id) on delete cascade,
  worker text not null,
  object_id uuid,
  seconds numeric(9, 2),
  bytes bigint,
  started_at timestamptz(3) not null default now(),
  expires_at timestamptz not null,
  video text,
  video_object_id uuid,
  video_bytes bigint,
  refused text check (char_length(refused) <= 100),
  picture_seconds numeric(9, 2) check (picture_seconds >= 0),
  check ((object_id is null) = (seconds is null) and (object_id is null) = (bytes is null)),
  constraint voice_recordings_video_check check (video in ('recorded', 'composed', 'separate')),
  constraint voice_recordings_video_object_check check (
    (video_object_id is null) = (video_bytes is null)
    and (video_object_id is not null) = (video is not null and video <> 'recorded'))
);
comment on table private.voice_recordings is
  'The sound of calls and meetings, of those who agreed to be recorded: of calls caller left, assistant right; and the pictures of their cameras where they belong to it. A row without an object is being written.';
comment on column private.voice_recordings.worker is
  'Host and process that writes it; when that process is gone, another of the same host closes the file.';
comment on column private.voice_recordings.video is
  'What became of the picture: recorded and not yet put together with the sound, composed with it to one file, or kept separate. Null where there is none.';
comment on column private.voice_recordings.video_object_id is
  'The stored video; where it is separate the picture alone, of a meeting the last of them: the others have its id and their numbers as names.';
comment on column private.voice_recordings.refused is
  'With which code the store refused it for good, without an object its sound, else its video; its files are on the host of `worker`. Null where it was not.';
comment on column private.voice_recordings.picture_seconds is
  'After how many seconds its picture ended, where more sound was recorded; null where both ended together.';
comment on column private.voice_recordings.call_id is
  'The call, or the record of the kind recording that a meeting has.';
create index voice_recordings_expires_idx on private.voice_recordings (expires_at);
create index voice_recordings_object_idx on private.voice_recordings (object_id);
create index voice_recordings_video_idx on private.voice_recordings (video_object_id) where video_object_id is not null;

alter table private.voice_recordings enable row level security;

create function private.delete_voice_recording() returns trigger
  language plpgsql security definer set search_path = ''
  as $$
begin
  if tg_table_schema = 'private' then
    delete from storage.objects where id = old.object_id and bucket_id = 'voice-recordings';
  else
    delete from private.voice_recordings where object_id = old.id;
  end if;
  return null;
end
$$;
comment on function private.delete_voice_recording() is
  'Deletes the sound of a recording with its row, and the row with the sound.';

revoke execute on function private.delete_voice_recording() from public;

create trigger delete_recording after delete on private.voice_recordings
  for each row when (old.object_id is not null) execute function private.delete_voice_recording();
comment on trigger delete_recording on private.voice_recordings is
  'Deletes the stored sound of a recording that is deleted, expires, or goes with its call.';
create trigger delete_voice_recording after delete on storage.objects
  for each row when (old.bucket_id = 'voice-recordings') execute function private.delete_voice_recording();
comment on trigger delete_voice_recording on storage.objects is
  'Deletes the row of a recording whose stored sound was deleted.';

-- Calls at the operator's console: lists and actions, and who is talking now, word by word, over realtime.

-- Unlogged: the words of a call that goes on need not outlive a crash of the database, and stand in no backup.
create unlogged table northline_app.live_calls (
  call_id uuid primary key references private.voice_records (id) on delete cascade,
  status text not null,
  changed_at timestamptz(3) not null default clock_timestamp(),
  taken_by text check (char_length(taken_by) <= 200)
);
comment on table northline_app.live_calls is
  'Calls that ring or go on. An ended one stays for a moment, so that operators who watch are told, and goes with a later call.';
comment on column northline_app.live_calls.taken_by is
  'The colleague who speaks in the assistant''s place; null while the assistant has the call.';

create unlogged table northline_app.live_call_words (
  call_id uuid not null references northline_app.live_calls (call_id) on delete cascade,
  position integer not null check (position > 0),
  role text not null check (role in ('user', 'assistant', 'colleague')),
  text text not null check (char_length(text) <= 4000),
  final boolean not null,
  at timestamptz(3) not null default clock_timestamp(),
  primary key (call_id, position)
);
comment on table northline_app.live_call_words is
  'The words of calls that go on; deleted when the call ends, and when its caller does not want them kept.';
comment on column northline_app.live_call_words.final is 'False while the line is still being understood.';

alter table northline_app.live_calls enable row level security;
alter table northline_app.live_call_words enable row level security;
create policy "operators see calls that go on" on northline_app.live_calls for select to authenticated
  using ((select auth.is_operator()));
create policy "operators read along" on northline_app.live_call_words for select to authenticated
  using ((select auth.is_operator()));
create policy "the server's key sees calls that go on" on northline_app.live_calls to service_role
  using (true) with check (true);
create policy "the server's key reads along" on northline_app.live_call_words to service_role
  using (true) with check (true);
revoke all on northline_app.live_calls, northline_app.live_call_words from public, anon, authenticated, service_role;
grant select on northline_app.live_calls, northline_app.live_call_words to authenticated, service_role;

select realtime.watch('northline_app.live_calls'), realtime.watch('northline_app.live_call_words');
comment on trigger realtime_publish on northline_app.live_calls is 'Tells operators of calls that begin and end.';
comment on trigger realtime_publish on northline_app.live_call_words is 'Tells operators the words of the call.';

create function private.follow_call() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if new.body ->> 'status' = 'ended' then
    update northline_app.live_calls set status = 'ended', changed_at = clock_timestamp() where call_id = new.id;
    delete from northline_app.live_call_words where call_id = new.id;
  elsif new.body ->> 'status' <> 'scheduled' then
    delete from northline_app.live_calls where call_id in (
      select l.call_id from northline_app.live_calls l
      where l.status = 'ended' and l.changed_at < now() - interval '1 minute' for update skip locked);
    insert into northline_app.live_calls (call_id, status) values (new.id, new.body ->> 'status')
      on conflict (call_id) do update set status = excluded.status, changed_at = excluded.changed_at;
  end if;
  return null;
end $$;
comment on function private.follow_call() is 'Keeps the list of calls that go on.';
revoke execute on function private.follow_call() from public;

create trigger follow_new_call after insert on private.voice_records
  for each row when (new.kind = 'call' and new.body ->> 'status' <> 'ended') execute function private.follow_call();
comment on trigger follow_new_call on private.voice_records is 'Lists a new call as going on.';
create trigger follow_call after update of body on private.voice_records
  for each row when (new.kind = 'call' and new.body ->> 'status' is distinct from old.body ->> 'status')
  execute function private.follow_call();
comment on trigger follow_call on private.voice_records is 'Tells operators who watch that a call rings, goes on or is over.';

create view operator.calls with (security_barrier) as
  select r.id, r.body - '{webCallUrl,byPublicKey}'::text[] as body, r.created_at,
         coalesce(r.body #>> '{assistant,name}', a.body ->> 'name') as assistant_name,
         t.seconds as recording_seconds, t.started_at as recording_started_at,
         t.expires_at as recording_expires_at, t.video as recording_video,
         w.refused is not null as recording_refused
  from private.voice_records r
  left join private.voice_records a on a.kind = 'assistant' and a.id::text = r.body ->> 'assistantId'
  left join private.voice_recordings t on t.call_id = r.id and t.object_id is not null
  left join private.voice_recordings w on w.call_id = r.id
  where r.kind = 'call' and (select auth.is_operator());
comment on view operator.calls is
  'Calls without the addresses of their rooms: whether their sound is kept, with a picture or without, and whether a part was refused for good.';

create view operator.call_logs with (security_barrier) as
  select l.call_id, l.id, l.level, l.log, l.time from private.voice_call_logs l where (select auth.is_operator());
comment on view operator.call_logs is 'The log lines of calls.';

create view operator.call_evidence with (security_barrier) as
  select e.call_id, e.position, e.kind, e.at, e.data from private.voice_evidence e where (select auth.is_operator());
comment on view operator.call_evidence is 'What can be proved of calls: kinds, times and keyed digests.';

create function operator.end_call(p_id uuid) returns boolean
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.operate('call.end', p_id::text);
  update private.voice_live_calls set end_asked_at = coalesce(end_asked_at, now()) where call_id = p_id;
  return found;
end $$;
comment on function operator.end_call(uuid) is
  'Asks the process that carries a call to end it; false when nobody carries it.';

create function operator.delete_call(p_id uuid) returns boolean
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.operate('call.delete', p_id::text);
  delete from private.voice_records r where r.id = p_id and r.kind = 'call'
    and not exists (select from private.voice_live_calls l where l.call_id = r.id);
  return found;
end $$;
comment on function operator.delete_call(uuid) is
  'Deletes a call with its words, log and recording; false when there is no such one, or it goes on. Its evidence stays.';

create function operator.listen_call(p_id uuid) returns boolean
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.operate('call.listen', p_id::text);
  return exists (select from private.voice_recordings t where t.call_id = p_id and t.object_id is not null);
end $$;
comment on function operator.listen_call(uuid) is
  'Notes that an operator plays the recording of a call; false when there is no recording.';
grant select on operator.calls, operator.call_logs, operator.call_evidence to authenticated, service_role;
revoke all on function operator.end_call(uuid), operator.delete_call(uuid), operator.listen_call(uuid) from public;
grant execute on function operator.end_call(uuid), operator.delete_call(uuid), operator.listen_call(uuid)
  to authenticated, service_role;

-- People who asked not to be called: the list outlives calls, records and erasures, and holds a keyed digest in place of
-- the number.

create table private.voice_do_not_call (
  destination text primary key,
  ending text not null,
  source text not null check (source in ('call', 'operator')),
  call_id uuid,
  created_at timestamptz not null default now()
);
comment on table private.voice_do_not_call is
  'Numbers and addresses that asked not to be called: no call goes out to them.';
comment on column private.voice_do_not_call.destination is 'A keyed digest of the number or address.';
comment on column private.voice_do_not_call.ending is 'Its last characters, so that an operator can tell entries apart.';
comment on column private.voice_do_not_call.call_id is 'The call in which it was asked for; the call may be gone.';
create index voice_do_not_call_created_idx on private.voice_do_not_call (created_at);

alter table private.voice_do_not_call enable row level security;

-- Campaigns: many customers called one after another, by hours and pace, through restarts.

create table private.voice_campaigns (
  id uuid primary key default gen_random_uuid(),
  body jsonb not null,
  status text not null default 'scheduled' check (status in ('scheduled', 'in-progress', 'ended')),
  ended_reason text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
comment on table private.voice_campaigns is 'Campaigns: which assistant calls, from which number, when, and how fast.';
comment on column private.voice_campaigns.body is 'What POST /campaign was given, without its customers.';
create index voice_campaigns_created_idx on private.voice_campaigns (created_at desc, id);
create index voice_campaigns_open_idx on private.voice_campaigns (created_at) where status <> 'ended';

create table private.voice_campaign_customers (
  campaign_id uuid not null references private.voice_campaigns (id) on delete cascade,
  position integer not null,
  customer jsonb not null,
  state text not null default 'waiting' check (state in ('waiting', 'calling', 'done', 'refused', 'stopped')),
  attempts integer not null default 0,
  due_at timestamptz not null default now(),
  last_at timestamptz,
  call_id uuid,
  outcome text,
  primary key (campaign_id, position)
);
comment on table private.voice_campaign_customers is
  'Customers of a campaign, and the state of each. A customer is marked as being called before anything is sent.';
comment on column private.voice_campaign_customers.call_id is 'The last call; its record may be deleted.';
comment on column private.voice_campaign_customers.outcome is 'Why the last call ended, or the code of what refused it.';
create index voice_campaign_customers_due_idx on private.voice_campaign_customers (campaign_id, due_at, position)
  where state = 'waiting';
create index voice_campaign_customers_calling_idx on private.voice_campaign_customers (call_id) where state = 'calling';

alter table private.voice_campaigns enable row level security;
alter table private.voice_campaign_customers enable row level security;

-- Assistants at the console: their earlier versions, the people who changed them, and deleting one.

create table private.voice_assistant_versions (
  assistant_id uuid not null references private.voice_records (id) on delete cascade,
  version integer not null check (version > 0),
  body jsonb not null,
  author uuid references auth.users (id) on delete set null,
  at timestamptz(3) not null default now(),
  primary key (assistant_id, version)
);
comment on table private.voice_assistant_versions is
  'The body of an assistant after each change, in whatever way the change came; the last hundred. Without secrets: a key that was changed does not come back.';
comment on column private.voice_assistant_versions.author is 'Null for the platform''s API and the product itself.';
create index voice_assistant_versions_author_idx on private.voice_assistant_versions (author);
alter table private.voice_assistant_versions enable row level security;

create function private.keep_assistant_version() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  next integer := coalesce((select max(v.version) from private.voice_assistant_versions v
                             where v.assistant_id = new.id), 0) + 1;
begin
  insert into private.voice_assistant_versions (assistant_id, version, body, author)
    values (new.id, next, new.body, auth.uid());
  delete from private.voice_assistant_versions v where v.assistant_id = new.id and v.version <= next - 100;
  return null;
end $$;
comment on function private.keep_assistant_version() is 'Keeps the new body of an assistant as its next version.';
revoke execute on function private.keep_assistant_version() from public;

create trigger keep_first_version after insert on private.voice_records
  for each row when (new.kind = 'assistant') execute function private.keep_assistant_version();
comment on trigger keep_first_version on private.voice_records is 'Keeps the first version of an assistant.';
create trigger keep_version after update of body on private.voice_records
  for each row when (new.kind = 'assistant' and new.body is distinct from old.body)
  execute function private.keep_assistant_version();
comment on trigger keep_version on private.voice_records is 'Keeps the body of an assistant after a change.';

create view operator.assistants with (security_barrier) as
  select r.id, r.body, r.created_at, r.updated_at,
         (select max(v.version) from private.voice_assistant_versions v where v.assistant_id = r.id) as version
  from private.voice_records r where r.kind = 'assistant' and (select auth.is_operator());
comment on view operator.assistants is 'Assistants without their secrets, and which version of each is the present one.';

create view operator.assistant_versions with (security_barrier) as
  select v.assistant_id, v.version, v.body, (select u.email from auth.users u where u.id = v.author) as author, v.at
  from private.voice_assistant_versions v where (select auth.is_operator());
comment on view operator.assistant_versions is 'Earlier bodies of assistants, and the people who changed them.';

create view operator.assistant_parts with (security_barrier) as
  select r.id, r.kind, coalesce(r.body ->> 'name', r.body #>> '{function,name}', r.body ->> 'type') as name,
         r.body ->> 'status' as status, r.created_at
  from private.voice_records r where r.kind in ('file', 'tool') and (select auth.is_operator());
comment on view operator.assistant_parts is 'Files and tools that an assistant may be given.';

create function operator.delete_assistant(p_id uuid) returns boolean
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.operate('assistant.delete', p_id::text);
  delete from private.voice_records r where r.id = p_id and r.kind = 'assistant';
  return found;
end $$;
comment on function operator.delete_assistant(uuid) is
  'Deletes an assistant with its versions; false when there is no such assistant.';
grant select on operator.assistants, operator.assistant_versions, operator.assistant_parts
  to authenticated, service_role;
revoke all on function operator.delete_assistant(uuid) from public;
grant execute on function operator.delete_assistant(uuid) to authenticated, service_role;

-- Tests of assistants: conversations with expected answers, and the outcome of each run.

create table private.voice_evals (
  id uuid primary key default gen_random_uuid(),
  assistant_id uuid references private.voice_records (id) on delete set null,
  body jsonb not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
comment on table private.voice_evals is 'Conversations with expected answers: the caller''s words, and the rule by which each reply is judged.';
comment on column private.voice_evals.assistant_id is 'The assistant whose page of the console lists it; null for none.';
create index voice_evals_created_idx on private.voice_evals (created_at desc, id);
create index voice_evals_assistant_idx on private.voice_evals (assistant_id);
alter table private.voice_evals enable row level security;

create table private.voice_eval_runs (
  id uuid primary key,
  eval_id uuid references private.voice_evals (id) on delete set null,
  assistant_id uuid references private.voice_records (id) on delete set null,
  assistant_version integer,
  body jsonb not null,
  secrets text,
  status text not null default 'running' check (status in ('running', 'ended')),
  passed boolean,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
comment on table private.voice_eval_runs is 'The outcome of each run of a test; the last thousand.';
comment on column private.voice_eval_runs.assistant_version is 'The present version of a kept assistant when the run began; null for a draft and for one that was described.';
comment on column private.voice_eval_runs.secrets is 'Those of an assistant that was described, encrypted; gone when the run has ended.';
create index voice_eval_runs_created_idx on private.voice_eval_runs (created_at desc, id);
create index voice_eval_runs_eval_idx on private.voice_eval_runs (eval_id, created_at desc);
create index voice_eval_runs_assistant_idx on private.voice_eval_runs (assistant_id);
alter table private.voice_eval_runs enable row level security;

create view operator.evals with (security_barrier) as
  select e.id, e.assistant_id, e.body, e.created_at, e.updated_at
  from private.voice_evals e where (select auth.is_operator());
comment on view operator.evals is 'Tests of assistants.';

create view operator.eval_runs with (security_barrier) as
  select r.id, r.eval_id, r.assistant_id, r.assistant_version, r.body, r.status, r.passed, r.created_at
  from private.voice_eval_runs r where (select auth.is_operator());
comment on view operator.eval_runs is 'Runs of tests, without the secrets of a described assistant.';
grant select on operator.evals, operator.eval_runs to authenticated, service_role;

create table private.voice_open_rooms (
  room_id uuid primary key references private.voice_records (id) on delete cascade,
  worker text not null,
  seen_at timestamptz not null default now()
);
comment on table private.voice_open_rooms is
  'Which process holds a room in which somebody is; everybody in a room meets in one process.';
comment on column private.voice_open_rooms.seen_at is
  'Renewed while somebody is in the room: one whose process is gone is taken over after half a minute.';

alter table private.voice_open_rooms enable row level security;

-- The cost of tests and previews of assistants. It counts towards the caps of a day as the cost of calls does, also when
-- the test is deleted.

create table private.voice_trial_costs (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('test', 'preview', 'transcript')),
  minutes float8 not null check (minutes >= 0),
  cost float8 not null check (cost > 0),
  costs jsonb not null default '[]',
  at timestamptz not null default now()
);
comment on table private.voice_trial_costs is
  'What each test and preview of an assistant, and each minute of a meeting''s transcript, cost its providers; kept for a week. Free ones have no row.';
comment on column private.voice_trial_costs.minutes is
  'How long the test was held, the preview is heard, or the meeting was transcribed.';
comment on column private.voice_trial_costs.cost is 'US dollars.';
comment on column private.voice_trial_costs.costs is 'What of it each stored credential paid: type, cost and credentialId.';
create index voice_trial_costs_at_idx on private.voice_trial_costs (at);
alter table private.voice_trial_costs enable row level security;

-- Telephone calls that came in, by their caller: one number may have only a few at once and within an hour.

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
  'A keyed digest of the number or address that called; all callers who withhold their number share one.';
comment on column private.voice_callers.told is
  'The call was not taken: its caller was told that there were too many, once an hour.';
comment on column private.voice_callers.seen_at is
  'When its process last said that the call goes on; half a minute later it is given up.';
create index voice_callers_caller_idx on private.voice_callers (caller, at);
create index voice_callers_at_idx on private.voice_callers (at);
alter table private.voice_callers enable row level security;

create function operator.attend_call(p_id uuid, p_act text) returns text
  language plpgsql security definer set search_path = '' as $$
begin
  if p_act is null or p_act not in ('listen_in', 'say', 'whisper', 'take_over', 'give_back') then
    raise exception 'There is no act %', p_act using errcode = '22023';
  end if;
  perform private.operate('call.' || p_act, p_id::text);
  if not exists (select from private.voice_live_calls l where l.call_id = p_id) then
    return null;
  end if;
  return coalesce(
    (select left(coalesce(nullif(btrim(u.raw_user_meta_data ->> 'full_name'), ''), u.email), 200)
     from auth.users u where u.id = auth.uid()),
    'The agency');
end $$;
comment on function operator.attend_call(uuid, text) is
  'Notes what an operator is about to do in a call that goes on; the operator''s name, null when nobody carries the call.';

create function operator.may_attend() returns boolean
  language sql stable security definer set search_path = '' as $$
  select auth.is_operator() and (auth.role() = 'service_role' or exists (
    select from auth.sessions s
    where s.id::text = auth.jwt() ->> 'session_id' and s.user_id = auth.uid() and coalesce(s.not_after > now(), true)))
$$;
comment on function operator.may_attend() is
  'Whether the caller still is an operator whose session goes on: listening to a call ends when either is over.';

revoke all on function operator.attend_call(uuid, text), operator.may_attend() from public;
grant execute on function operator.attend_call(uuid, text), operator.may_attend() to authenticated, service_role;

create function private.delete_voice_video() returns trigger
  language plpgsql security definer set search_path = ''
  as $$
begin
  if tg_table_schema = 'private' then
    delete from storage.objects where id = old.video_object_id and bucket_id = 'voice-recordings';
  else
    update private.voice_recordings set video = null, video_object_id = null, video_bytes = null
      where video_object_id = old.id;
  end if;
  return null;
end
$$;
comment on function private.delete_voice_video() is
  'Deletes the video of a recording with its row, and what the row says of it with the video.';

revoke execute on function private.delete_voice_video() from public;

create trigger delete_video after delete on private.voice_recordings
  for each row when (old.video_object_id is not null) execute function private.delete_voice_video();
comment on trigger delete_video on private.voice_recordings is
  'Deletes the stored video of a recording that is deleted, expires, or goes with its call.';
create trigger delete_voice_video after delete on storage.objects
  for each row when (old.bucket_id = 'voice-recordings') execute function private.delete_voice_video();
comment on trigger delete_voice_video on storage.objects is
  'Forgets the video of a recording that was deleted from the store.';

-- Behind a proxy, a request to leave a meeting may reach another process than the one that holds its room.

create table private.voice_room_leavings (
  session_id uuid primary key,
  asked_at timestamptz not null default now()
);
comment on table private.voice_room_leavings is
  'People who left a meeting by another process than the one that holds its room. That process puts them out and deletes the row.';
comment on column private.voice_room_leavings.session_id is
  'Their session in the room, a random id from when they entered.';
comment on column private.voice_room_leavings.asked_at is
  'A row that no process has taken for a minute is deleted: the person was not there any more.';

alter table private.voice_room_leavings enable row level security;

-- Behind a proxy, the report of a page may reach another process than the one that holds its room.

create table private.voice_room_reports (
  session_id uuid not null,
  kind text not null check (kind in ('error', 'network', 'log')),
  reported_at timestamptz not null default now(),
  primary key (session_id, kind)
);
comment on table private.voice_room_reports is
  'Reports of pages in rooms that reached another process than the one that holds the room. That process logs them and deletes the row. One of each kind, without words.';
comment on column private.voice_room_reports.session_id is
  'Their session in the room, a random id from when they entered.';
comment on column private.voice_room_reports.reported_at is
  'A row that no process has taken for a minute is deleted: the person is not there any more.';

alter table private.voice_room_reports enable row level security;

create function private.delete_meeting_recording() returns trigger
  language plpgsql security definer set search_path = ''
  as $$
begin
  delete from storage.objects
    where bucket_id = 'voice-recordings' and name like old.call_id::text || '.%.webm';
  delete from private.voice_records where id = old.call_id and kind = 'recording';
  return null;
end
$$;
comment on function private.delete_meeting_recording() is
  'Deletes what only the recording of a meeting has: separate pictures of its people, and the list of people.';

revoke execute on function private.delete_meeting_recording() from public;

create trigger delete_meeting_recording after delete on private.voice_recordings
  for each row execute function private.delete_meeting_recording();
comment on trigger delete_meeting_recording on private.voice_recordings is
  'Deletes the pictures and the record of a meeting whose recording is deleted or expires.';

create view operator.meeting_recordings with (security_barrier) as
  select r.id, r.body, r.created_at, t.seconds, t.expires_at, t.video,
         t.call_id is not null and t.object_id is null and t.refused is null as goes_on,
         t.refused is not null as refused
  from private.voice_records r
  left join private.voice_recordings t on t.call_id = r.id
  where r.kind = 'recording' and (select auth.is_operator());
comment on view operator.meeting_recordings is
  'Recordings of meetings: the room, the people with their times, and the state of sound and pictures.';

create function operator.delete_meeting_recording(p_id uuid) returns boolean
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.operate('recording.delete', p_id::text);
  delete from private.voice_records r where r.id = p_id and r.kind = 'recording'
    and not exists (select from private.voice_recordings t
                     where t.call_id = r.id and t.object_id is null and t.refused is null);
  return found;
end $$;
comment on function operator.delete_meeting_recording(uuid) is
  'Deletes the recording of a meeting with its list of people; false when there is no such one, or it goes on. Its evidence stays.';
grant select on operator.meeting_recordings to authenticated, service_role;
revoke all on function operator.delete_meeting_recording(uuid) from public;
grant execute on function operator.delete_meeting_recording(uuid) to authenticated, service_role;
