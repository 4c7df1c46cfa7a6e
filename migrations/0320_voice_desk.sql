-- Calls at the operator's console: lists and actions, and who is talking now, word by word, over realtime.

-- Unlogged: what is said now need not outlive a crash of the database, and stands in no backup.
create unlogged table public.live_calls (
  call_id uuid primary key references private.voice_records (id) on delete cascade,
  status text not null,
  changed_at timestamptz(3) not null default clock_timestamp()
);
comment on table public.live_calls is
  'Calls that ring or go on. An ended one stays for a moment, so that those who watch are told, and goes with a later call.';

create unlogged table public.live_call_words (
  call_id uuid not null references public.live_calls (call_id) on delete cascade,
  position integer not null check (position > 0),
  role text not null check (role in ('user', 'assistant')),
  text text not null check (char_length(text) <= 4000),
  final boolean not null,
  at timestamptz(3) not null default clock_timestamp(),
  primary key (call_id, position)
);
comment on table public.live_call_words is
  'What is being said in calls that go on; gone when the call ends, or its caller does not want it kept.';
comment on column public.live_call_words.final is 'False while the line is still being understood.';

alter table public.live_calls enable row level security;
alter table public.live_call_words enable row level security;
create policy "operators see calls that go on" on public.live_calls for select to authenticated
  using ((select auth.is_operator()));
create policy "operators read along" on public.live_call_words for select to authenticated
  using ((select auth.is_operator()));
create policy "the server's key sees calls that go on" on public.live_calls to service_role
  using (true) with check (true);
create policy "the server's key reads along" on public.live_call_words to service_role
  using (true) with check (true);
revoke all on public.live_calls, public.live_call_words from public, anon, authenticated, service_role;
grant select on public.live_calls, public.live_call_words to authenticated, service_role;

select realtime.watch('public.live_calls'), realtime.watch('public.live_call_words');
comment on trigger realtime_publish on public.live_calls is 'Tells operators of calls that begin and end.';
comment on trigger realtime_publish on public.live_call_words is 'Tells operators what is being said.';

create function private.follow_call() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if new.body ->> 'status' = 'ended' then
    update public.live_calls set status = 'ended', changed_at = clock_timestamp() where call_id = new.id;
    delete from public.live_call_words where call_id = new.id;
  elsif new.body ->> 'status' <> 'scheduled' then
    delete from public.live_calls where call_id in (
      select l.call_id from public.live_calls l
      where l.status = 'ended' and l.changed_at < now() - interval '1 minute' for update skip locked);
    insert into public.live_calls (call_id, status) values (new.id, new.body ->> 'status')
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
comment on trigger follow_call on private.voice_records is 'Tells who watches that a call rings, goes on or is over.';

alter table private.voice_live_calls add column end_asked_at timestamptz;
comment on column private.voice_live_calls.end_asked_at is
  'Somebody at the console hung up; the process that carries the call ends it when it next says that it lives.';

create view operator.calls with (security_barrier) as
  select r.id, r.body - '{webCallUrl,byPublicKey}'::text[] as body, r.created_at,
         coalesce(r.body #>> '{assistant,name}', a.body ->> 'name') as assistant_name,
         t.seconds as recording_seconds, t.started_at as recording_started_at,
         t.expires_at as recording_expires_at
  from private.voice_records r
  left join private.voice_records a on a.kind = 'assistant' and a.id::text = r.body ->> 'assistantId'
  left join private.voice_recordings t on t.call_id = r.id and t.object_id is not null
  where r.kind = 'call' and (select auth.is_operator());
comment on view operator.calls is 'Calls without what opens their rooms, and whether their sound is kept.';

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
  'Deletes a call with its words, log and recording; false when there is none, or it goes on. Its evidence stays.';

create function operator.listen_call(p_id uuid) returns boolean
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.operate('call.listen', p_id::text);
  return exists (select from private.voice_recordings t where t.call_id = p_id and t.object_id is not null);
end $$;
comment on function operator.listen_call(uuid) is
  'Notes that an operator plays the recording of a call; false when there is none.';

revoke all on operator.calls, operator.call_logs, operator.call_evidence from public, anon, authenticated, service_role;
grant select on operator.calls, operator.call_logs, operator.call_evidence to authenticated, service_role;
revoke all on function operator.end_call(uuid), operator.delete_call(uuid), operator.listen_call(uuid) from public;
grant execute on function operator.end_call(uuid), operator.delete_call(uuid), operator.listen_call(uuid)
  to authenticated, service_role;

insert into private.personal_data (table_name, holds, purpose, found_by, hidden, on_erasure, kept) values
  ('public.live_call_words', 'What is being said in a call', 'Reading along at the console', null, '{}', 'deleted',
   'Until the call ends');
