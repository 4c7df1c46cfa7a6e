-- Messages about lessons become messages: each lesson has a thread of its own, and the same mails tell of it.

alter table northline_app.messages
  add column lesson_id uuid references northline_app.course_lessons (id) on delete cascade;
comment on column northline_app.messages.lesson_id is
  'The lesson that the thread is about; null for the thread of the account.';
create index messages_lesson_id_idx on northline_app.messages (lesson_id, sent_at) where lesson_id is not null;

insert into northline_app.messages (id, user_id, from_agency, body, sent_at, lesson_id)
  select id, user_id, from_agency, body, created_at, lesson_id from northline_app.course_messages;
insert into private.message_notes (message_id, mail_due, mailed_at, told_at)
  select id, mailed_at is null, mailed_at, mailed_at from northline_app.course_messages;

create function private.note_message() returns trigger
  language plpgsql security definer set search_path = ''
  as $$
begin
  insert into private.message_notes (message_id, author) values (new.id, case when new.from_agency then auth.uid() end);
  return null;
end
$$;
revoke execute on function private.note_message() from public;
create trigger note_message after insert on northline_app.messages
  for each row execute function private.note_message();
comment on trigger note_message on northline_app.messages is
  'Notes the author of a message, and that the other side is to be told of it.';

drop function private.write_message(uuid, boolean, text, uuid[]);
create function private.write_message(
    p_user uuid, p_from_agency boolean, p_body text, p_files uuid[], p_lesson uuid default null) returns uuid
  language plpgsql security definer set search_path = ''
  as $$
declare
  files uuid[] := array(select distinct file from unnest(p_files) as file);
  written uuid;
begin
  -- Locked, so that what is being deleted is either there until the end or refused.
  perform 1 from auth.users u where u.id = p_user and u.deleted_at is null for key share;
  if not found then return null; end if;
  if p_lesson is not null then
    perform 1 from northline_app.course_lessons l where l.id = p_lesson and l.user_id = p_user for key share;
    if not found then return null; end if;
  end if;
  perform 1 from public.user_files f
    where f.id = any (files) and f.user_id = p_user and f.deleted_at is null order by f.id for key share;
  if (select count(*) from public.user_files f
       where f.id = any (files) and f.user_id = p_user and f.deleted_at is null) <> cardinality(files) then
    return null;
  end if;
  insert into northline_app.messages (user_id, from_agency, body, lesson_id)
    values (p_user, p_from_agency, p_body, p_lesson) returning id into written;
  insert into northline_app.message_files (message_id, user_id, file_id, file_name)
    select written, p_user, f.id, f.file_name from public.user_files f where f.id = any (files);
  return written;
end
$$;
comment on function private.write_message(uuid, boolean, text, uuid[], uuid) is
  'Writes a message into a customer''s thread and returns its id; null, and nothing is written, if there is no such account, or if a file or the lesson is not its own.';
revoke execute on function private.write_message(uuid, boolean, text, uuid[], uuid) from public;

create or replace function northline_app.read_messages(p_ids uuid[]) returns integer
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
                  where m.user_id = auth.uid() and m.lesson_id is null and m.from_agency and m.read_at is null) then
    delete from private.push_notices n using private.push_subscriptions s
     where s.id = n.subscription_id and s.user_id = auth.uid() and n.topic = 'messages';
  end if;
  return marked;
end
$$;

create or replace view operator.messages with (security_barrier) as
  select m.id, m.user_id, m.from_agency, m.body, m.sent_at, m.read_at,
         (select u.email from private.message_notes n join auth.users u on u.id = n.author
           where n.message_id = m.id) as author
  from northline_app.messages m where m.lesson_id is null and (select auth.is_operator());

create or replace view operator.threads with (security_barrier) as
  select t.user_id, u.email, u.raw_user_meta_data ->> 'full_name' as full_name, t.unread, t.last_at,
         last.from_agency as answered, left(last.body, 160) as last_words
  from (select m.user_id, count(*) filter (where not m.from_agency and m.read_at is null)::integer as unread,
               max(m.sent_at) as last_at
          from northline_app.messages m where m.lesson_id is null group by m.user_id) t
  join auth.users u on u.id = t.user_id and u.deleted_at is null
  join lateral (select m.from_agency, m.body from northline_app.messages m
                 where m.user_id = t.user_id and m.lesson_id is null order by m.sent_at desc, m.id limit 1) last on true
  where (select auth.is_operator());

create or replace view operator.course_messages with (security_barrier) as
  select m.id, m.lesson_id, m.from_agency, m.body, m.sent_at as created_at
  from northline_app.messages m where m.lesson_id is not null and (select auth.is_operator());

create or replace view operator.course_lessons with (security_barrier) as
  select l.id, l.user_id, u.email as customer_email, u.raw_user_meta_data ->> 'full_name' as customer_name, l.file_name,
         l.file_path, l.file_size, l.mime_type, l.duration_seconds, l.title, l.notes, l.position, l.state,
         l.published_url, l.created_at,
         coalesce((select not m.from_agency from northline_app.messages m where m.lesson_id = l.id
                   order by m.sent_at desc, m.id limit 1), false) as waits_for_answer,
         l.course_id, c.title as course_title,
         (select count(*)::integer from northline_app.course_lessons o where o.course_id = l.course_id) as course_lessons
  from northline_app.course_lessons l join northline_app.courses c on c.id = l.course_id join auth.users u on u.id = l.user_id
  where (select auth.is_operator());

create or replace function operator.answer_lesson(p_id uuid, p_body text) returns boolean
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.operate('course.answer', p_id::text);
  return private.write_message(
    (select l.user_id from northline_app.course_lessons l where l.id = p_id), true, p_body, '{}', p_id) is not null;
end $$;

drop table northline_app.course_messages;
delete from private.personal_data where table_name = 'northline_app.course_messages';

-- Pages that were loaded before the change still ask for them by this name, and so do processes that run the former version.
create view northline_app.course_messages with (security_invoker = true) as
  select m.id, m.lesson_id, m.user_id, m.from_agency, m.body, m.sent_at as created_at
  from northline_app.messages m where m.lesson_id is not null;
comment on view northline_app.course_messages is 'What customer and agency wrote to each other about lessons.';
revoke all on northline_app.course_messages from public, anon, authenticated, service_role;
grant select on northline_app.course_messages to authenticated, service_role;
