-- Assistants at the console: what they were before, by whom they were changed, and deleting one.

create table private.voice_assistant_versions (
  assistant_id uuid not null references private.voice_records (id) on delete cascade,
  version integer not null check (version > 0),
  body jsonb not null,
  author uuid references auth.users (id) on delete set null,
  at timestamptz(3) not null default now(),
  primary key (assistant_id, version)
);
comment on table private.voice_assistant_versions is
  'What an assistant was after each change, by whichever way it came; the last hundred. Without secrets: a key that was changed does not come back.';
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
comment on function private.keep_assistant_version() is 'Keeps what an assistant is from now on as its next version.';
revoke execute on function private.keep_assistant_version() from public;

create trigger keep_first_version after insert on private.voice_records
  for each row when (new.kind = 'assistant') execute function private.keep_assistant_version();
comment on trigger keep_first_version on private.voice_records is 'Keeps the first version of an assistant.';
create trigger keep_version after update of body on private.voice_records
  for each row when (new.kind = 'assistant' and new.body is distinct from old.body)
  execute function private.keep_assistant_version();
comment on trigger keep_version on private.voice_records is 'Keeps what an assistant is after a change.';

insert into private.voice_assistant_versions (assistant_id, version, body, at)
  select r.id, 1, r.body, r.updated_at from private.voice_records r where r.kind = 'assistant';

create view operator.assistants with (security_barrier) as
  select r.id, r.body, r.created_at, r.updated_at,
         (select max(v.version) from private.voice_assistant_versions v where v.assistant_id = r.id) as version
  from private.voice_records r where r.kind = 'assistant' and (select auth.is_operator());
comment on view operator.assistants is 'Assistants without their secrets, and which version of each is the present one.';

create view operator.assistant_versions with (security_barrier) as
  select v.assistant_id, v.version, v.body, (select u.email from auth.users u where u.id = v.author) as author, v.at
  from private.voice_assistant_versions v where (select auth.is_operator());
comment on view operator.assistant_versions is 'What assistants were, and who changed them.';

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
  'Deletes an assistant with its versions; false when there is none.';

revoke all on operator.assistants, operator.assistant_versions, operator.assistant_parts
  from public, anon, authenticated, service_role;
grant select on operator.assistants, operator.assistant_versions, operator.assistant_parts
  to authenticated, service_role;
revoke all on function operator.delete_assistant(uuid) from public;
grant execute on function operator.delete_assistant(uuid) to authenticated, service_role;

insert into private.personal_data (table_name, holds, purpose, found_by, hidden, on_erasure, kept) values
  ('private.voice_assistant_versions', 'Who of the agency changed an assistant', 'Going back', 't.author = $1',
   '{body}', 'account', 'The last hundred versions; the name goes with the account');
