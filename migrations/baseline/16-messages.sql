-- Messages between a customer and the agency: one thread for each account. Enquiries with the address that the account
-- has proven are shown in the thread and stay where they are.

create table northline_app.messages (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  from_agency boolean not null,
  body text not null check (char_length(body) between 1 and 5000),
  sent_at timestamptz not null default clock_timestamp(),
  read_at timestamptz
);
comment on table northline_app.messages is 'What a customer and the agency write to each other, one thread for each account.';
comment on column northline_app.messages.user_id is 'The customer, also for what the agency wrote.';
comment on column northline_app.messages.read_at is 'When the other side read it.';
create index messages_user_id_idx on northline_app.messages (user_id, sent_at desc, id);
create index messages_unread_idx on northline_app.messages (user_id, from_agency) where read_at is null;

create table northline_app.message_files (
  id uuid primary key default gen_random_uuid(),
  message_id uuid not null references northline_app.messages (id) on delete cascade,
  user_id uuid not null references auth.users (id) on delete cascade,
  file_id uuid references public.user_files (id) on delete set null,
  file_name text not null,
  unique (message_id, file_id)
);
comment on table northline_app.message_files is
  'Files that a customer attached to a message: the customer''s own, no copies. The agency may open one while it is attached.';
comment on column northline_app.message_files.user_id is 'The customer, whose file it is.';
comment on column northline_app.message_files.file_id is 'Null once the file was withdrawn or deleted.';
comment on column northline_app.message_files.file_name is 'As it was called when it was attached.';
create index message_files_user_id_idx on northline_app.message_files (user_id);
create index message_files_file_id_idx on northline_app.message_files (file_id);

create table private.message_notes (
  message_id uuid primary key references northline_app.messages (id) on delete cascade,
  author uuid references auth.users (id) on delete set null,
  mail_due boolean not null default true,
  mailed_at timestamptz,
  told_at timestamptz
);
comment on table private.message_notes is
  'Facts about a message that customers are not shown: its author at the agency, and the state of the mail about it.';
comment on column private.message_notes.author is 'Null for a customer''s own, and for an account that is gone.';
comment on column private.message_notes.mail_due is 'The other side is still to be told by mail, unless it reads it before.';
comment on column private.message_notes.mailed_at is 'When it was told by mail; null where none was needed or wanted.';
comment on column private.message_notes.told_at is
  'When the other side was told, by mail or in its browsers; null while that is due, and where it read the message before.';
create index message_notes_author_idx on private.message_notes (author);
create index message_notes_due_idx on private.message_notes (message_id) where mail_due;

create function private.write_message(p_user uuid, p_from_agency boolean, p_body text, p_files uuid[]) returns uuid
  language plpgsql security definer set search_path = ''
  as $$
declare
  files uuid[] := array(select distinct file from unnest(p_files) as file);
  written uuid;
begin
  -- Locked, so that a file that is being deleted is either there until the end or refused.
  perform 1 from auth.users u where u.id = p_user and u.deleted_at is null for key share;
  if not found then return null; end if;
  perform 1 from public.user_files f
    where f.id = any (files) and f.user_id = p_user and f.deleted_at is null order by f.id for key share;
  if (select count(*) from public.user_files f
       where f.id = any (files) and f.user_id = p_user and f.deleted_at is null) <> cardinality(files) then
    return null;
  end if;
  insert into northline_app.messages (user_id, from_agency, body) values (p_user, p_from_agency, p_body)
    returning id into written;
  insert into private.message_notes (message_id, author) values (written, case when p_from_agency then auth.uid() end);
  insert into northline_app.message_files (message_id, user_id, file_id, file_name)
    select written, p_user, f.id, f.file_name from public.user_files f where f.id = any (files);
  return written;
end
$$;
comment on function private.write_message(uuid, boolean, text, uuid[]) is
  'Writes a message into a customer''s thread and answers its id; null, and nothing is written, when there is no such account, or a file is not its own.';

create function northline_app.read_messages(p_ids uuid[]) returns integer
  language plpgsql security definer set search_path = ''
  as $$
declare
  marked integer;
begin
  if auth.uid() is null or not auth.second_factor_given() then
    raise exception 'Please sign in first' using errcode = '42501';
  end if;
  -- A notice that is being written is written first; the deletion below finds it.
  perform pg_advisory_xact_lock(hashtext('message_mails'), hashtext(auth.uid()::text));
  update northline_app.messages set read_at = now()
   where id = any (p_ids) and user_id = auth.uid() and from_agency and read_at is null;
  get diagnostics marked = row_count;
  if not exists (select from northline_app.messages m
                  where m.user_id = auth.uid() and m.from_agency and m.read_at is null) then
    delete from private.push_notices n using private.push_subscriptions s
     where s.id = n.subscription_id and s.user_id = auth.uid() and n.topic = 'messages';
  end if;
  return marked;
end
$$;
comment on function northline_app.read_messages(uuid[]) is
  'Marks messages of the agency to the caller as read; answers how many were not before.';

create function private.enquiries_of(p_user uuid) returns table (
    id text, from_agency boolean, about text, body text, sent_at timestamptz)
  language sql stable security definer set search_path = ''
  as $$
  -- Anybody may type somebody's address into the form: what looks like advertising stays out until it was answered.
  with own as (
    select e.* from auth.users u join public.enquiries e on lower(e.email) = lower(u.email)
     where u.id = p_user and u.email_proven_at is not null and u.deleted_at is null
       and (e.replied_at is not null or e.suspect_reasons <@ array['no proof of work']))
  select own.id, false, own.enquiry_type,
         concat_ws(E'\n\n', nullif(own.additional_notes, ''), nullif(own.course_description, '')), own.created_at
    from own
  union all
  select reply.id::text, true, own.enquiry_type, reply.body, reply.created_at
    from own join private.enquiry_replies reply on reply.enquiry_id = own.id
$$;
comment on function private.enquiries_of(uuid) is
  'Enquiries with the address that an account has proven, and the answers to them; none while it is not proven.';

create function northline_app.enquiries_in_thread() returns table (
    id text, from_agency boolean, about text, body text, sent_at timestamptz)
  language sql stable security definer set search_path = ''
  as $$ select * from private.enquiries_of(auth.uid()) where auth.second_factor_given() $$;
comment on function northline_app.enquiries_in_thread() is
  'The caller''s enquiries and the answers to them, by the address that the account has proven.';

alter table northline_app.messages enable row level security;
alter table northline_app.message_files enable row level security;
alter table private.message_notes enable row level security;

revoke all on northline_app.messages, northline_app.message_files from public, anon, authenticated, service_role;
grant select on northline_app.messages to authenticated;
grant select, update (file_id) on northline_app.message_files to authenticated;
grant select, insert, update, delete on northline_app.messages, northline_app.message_files to service_role;

create policy "users see their own messages" on northline_app.messages for select to authenticated
  using ((select auth.uid()) = user_id);
create policy "users see the files of their messages" on northline_app.message_files for select to authenticated
  using ((select auth.uid()) = user_id);
create policy "users withdraw the files of their messages" on northline_app.message_files for update to authenticated
  using ((select auth.uid()) = user_id) with check ((select auth.uid()) = user_id and file_id is null);
create policy "a second factor comes first" on northline_app.messages as restrictive to authenticated
  using ((select auth.second_factor_given())) with check ((select auth.second_factor_given()));
create policy "a second factor comes first" on northline_app.message_files as restrictive to authenticated
  using ((select auth.second_factor_given())) with check ((select auth.second_factor_given()));
create policy "the server's key manages messages" on northline_app.messages
  to service_role using (true) with check (true);
create policy "the server's key manages files of messages" on northline_app.message_files
  to service_role using (true) with check (true);

select realtime.watch('northline_app.messages');
comment on trigger realtime_publish on northline_app.messages is 'Tells a customer of new messages, and of messages that were read.';

create view operator.messages with (security_barrier) as
  select m.id, m.user_id, m.from_agency, m.body, m.sent_at, m.read_at,
         (select u.email from private.message_notes n join auth.users u on u.id = n.author
           where n.message_id = m.id) as author
  from northline_app.messages m where (select auth.is_operator());
comment on view operator.messages is 'Messages of all customers, and their authors at the agency.';

create view operator.message_files with (security_barrier) as
  select a.id, a.message_id, a.user_id, a.file_id, a.file_name
  from northline_app.message_files a where (select auth.is_operator());
comment on view operator.message_files is 'Files that are attached to messages.';

create view operator.threads with (security_barrier) as
  select t.user_id, u.email, u.raw_user_meta_data ->> 'full_name' as full_name, t.unread, t.last_at,
         last.from_agency as answered, left(last.body, 160) as last_words
  from (select m.user_id, count(*) filter (where not m.from_agency and m.read_at is null)::integer as unread,
               max(m.sent_at) as last_at
          from northline_app.messages m group by m.user_id) t
  join auth.users u on u.id = t.user_id and u.deleted_at is null
  join lateral (select m.from_agency, m.body from northline_app.messages m
                 where m.user_id = t.user_id order by m.sent_at desc, m.id limit 1) last on true
  where (select auth.is_operator());
comment on view operator.threads is
  'Customers with whom there are messages: how many of theirs are unread, and how the last one begins.';

create function operator.enquiries_of(p_user uuid) returns table (
    id text, from_agency boolean, about text, body text, sent_at timestamptz)
  language sql stable security definer set search_path = ''
  as $$ select * from private.enquiries_of(p_user) where (select auth.is_operator()) $$;
comment on function operator.enquiries_of(uuid) is 'What `enquiries_in_thread` shows to that customer.';

create function operator.send_message(p_user uuid, p_body text) returns uuid
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.operate('message.send', p_user::text);
  return private.write_message(p_user, true, p_body, '{}');
end $$;
comment on function operator.send_message(uuid, text) is
  'Writes to a customer and answers the message''s id; null when there is no such account.';

create function operator.read_messages(p_user uuid, p_ids uuid[]) returns integer
  language plpgsql security definer set search_path = '' as $$
declare
  marked integer;
begin
  if exists (select from northline_app.messages m where m.id = any (p_ids) and m.user_id = p_user
              and not m.from_agency and m.read_at is null) then
    perform private.operate('message.read', p_user::text);
  end if;
  update northline_app.messages set read_at = now()
   where id = any (p_ids) and user_id = p_user and not from_agency and read_at is null and auth.is_operator();
  get diagnostics marked = row_count;
  return marked;
end $$;
comment on function operator.read_messages(uuid, uuid[]) is
  'Marks messages of a customer as read; answers how many were not before.';

create function operator.open_message_file(p_id uuid) returns text
  language plpgsql security definer set search_path = '' as $$
declare
  stored text;
begin
  perform private.operate('message.open_file', p_id::text);
  select f.file_path into stored from northline_app.message_files a
    join public.user_files f on f.id = a.file_id and f.deleted_at is null where a.id = p_id;
  return stored;
end $$;
comment on function operator.open_message_file(uuid) is
  'The path of an attached file, for an operator who is about to open it; null when it is not attached any more.';
grant select on operator.messages, operator.message_files, operator.threads to authenticated, service_role;
revoke execute on function
  private.write_message(uuid, boolean, text, uuid[]), private.enquiries_of(uuid),
  northline_app.read_messages(uuid[]), northline_app.enquiries_in_thread(),
  operator.enquiries_of(uuid), operator.send_message(uuid, text), operator.read_messages(uuid, uuid[]),
  operator.open_message_file(uuid)
from public;
grant execute on function northline_app.read_messages(uuid[]), northline_app.enquiries_in_thread() to authenticated, service_role;
grant execute on function
  operator.enquiries_of(uuid), operator.send_message(uuid, text), operator.read_messages(uuid, uuid[]),
  operator.open_message_file(uuid)
  to authenticated, service_role;
