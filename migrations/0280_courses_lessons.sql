-- Lessons of course customers: videos in a bucket of their own, each paid with one upload of the plan.

insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
values ('course-videos', 'course-videos', false, 4294967296, array['video/mp4', 'video/webm']);

create policy "course customers see their own folder" on storage.objects for select to authenticated
  using (bucket_id = 'course-videos' and path_tokens[1] = (select auth.uid())::text);
create policy "course customers store in their own folder" on storage.objects for insert to authenticated
  with check (
    bucket_id = 'course-videos'
    and path_tokens[1] = (select auth.uid())::text
    and array_length(path_tokens, 1) > 1
    and owner_id = (select auth.uid())::text
  );
create policy "course customers remove from their own folder" on storage.objects for delete to authenticated
  using (bucket_id = 'course-videos' and path_tokens[1] = (select auth.uid())::text);

create table public.course_uploads (
  object_id uuid primary key,
  user_id uuid not null references auth.users (id) on delete cascade,
  seconds double precision not null,
  bytes bigint not null,
  created_at timestamptz not null default now()
);
comment on table public.course_uploads is
  'Every video that a course customer has uploaded, also when its lesson is deleted: what the plan''s uploads and minutes are counted by.';
comment on column public.course_uploads.seconds is 'Length as the server read it from the file.';
create index course_uploads_user_id_idx on public.course_uploads (user_id, created_at);

create table public.course_lessons (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  object_id uuid not null unique references storage.objects (id) on delete cascade,
  file_path text not null unique,
  file_name text not null check (char_length(file_name) between 1 and 255),
  file_size bigint not null,
  mime_type text not null,
  duration_seconds double precision not null,
  title text not null check (char_length(title) between 1 and 200),
  notes text not null default '' check (char_length(notes) <= 5000),
  position integer not null,
  state text not null default 'received' check (state in ('received', 'in_work', 'published')),
  published_url text check (published_url ~ '^https?://' and char_length(published_url) <= 500),
  told_state text,
  created_at timestamptz not null default now()
);
comment on table public.course_lessons is
  'Lessons of a course: one stored video each, in the order that their customer gave them.';
comment on column public.course_lessons.position is 'Place in the course, from 1.';
comment on column public.course_lessons.state is 'Where the agency is with it.';
comment on column public.course_lessons.told_state is
  'The state that the last mail told of; null until the agency was told of the lesson.';
create index course_lessons_user_id_idx on public.course_lessons (user_id, position);
create index course_lessons_to_tell_idx on public.course_lessons (created_at)
  where told_state is distinct from state;

create table public.course_messages (
  id uuid primary key default gen_random_uuid(),
  lesson_id uuid not null references public.course_lessons (id) on delete cascade,
  user_id uuid not null references auth.users (id) on delete cascade,
  from_agency boolean not null,
  body text not null check (char_length(body) between 1 and 5000),
  mailed_at timestamptz,
  created_at timestamptz not null default now()
);
comment on table public.course_messages is 'What customer and agency wrote to each other about a lesson.';
comment on column public.course_messages.user_id is 'The customer, whoever wrote it.';
comment on column public.course_messages.mailed_at is 'When the other side was told by mail.';
create index course_messages_lesson_id_idx on public.course_messages (lesson_id, created_at);
create index course_messages_user_id_idx on public.course_messages (user_id);
create index course_messages_to_tell_idx on public.course_messages (created_at) where mailed_at is null;

create trigger claim_course_credit after insert on private.uploads
  for each row when (new.bucket_id = 'course-videos' and new.user_id is not null)
  execute function private.claim_credit();
comment on trigger claim_course_credit on private.uploads is
  'Takes one reserved credit of the user for an upload into course-videos; refuses the upload (NL001) without one.';

create function private.store_lesson() returns trigger
  language plpgsql security definer set search_path = ''
  as $$
declare
  given text := coalesce(
    nullif(trim(left(new.user_metadata ->> 'name', 255)), ''),
    nullif(left(regexp_replace(storage.filename(new.name), '^[0-9]+_', ''), 255), ''),
    'video');
  seconds double precision := (new.metadata ->> 'durationSeconds')::double precision;
  bytes bigint := (new.metadata ->> 'size')::bigint;
begin
  update public.credit_transactions set state = 'settled', expires_at = null, updated_at = now()
   where object_id = new.id and user_id = new.owner and state = 'claimed';
  if not found then
    raise exception 'no claimed credit' using errcode = 'NL001';
  end if;
  perform pg_advisory_xact_lock(hashtextextended('course of ' || new.owner::text, 0));
  insert into public.course_uploads (object_id, user_id, seconds, bytes) values (new.id, new.owner, seconds, bytes);
  insert into public.course_lessons
    (user_id, object_id, file_path, file_name, file_size, mime_type, duration_seconds, title, position)
  values (
    new.owner, new.id, new.name, given, bytes, new.metadata ->> 'mimetype', seconds,
    coalesce(nullif(left(regexp_replace(given, '\.[A-Za-z0-9]{1,5}$', ''), 200), ''), 'Lesson'),
    (select coalesce(max(position), 0) + 1 from public.course_lessons where user_id = new.owner));
  return null;
end
$$;
create trigger store_lesson after insert on storage.objects
  for each row when (new.bucket_id = 'course-videos' and new.owner is not null and new.version is not null)
  execute function private.store_lesson();
comment on trigger store_lesson on storage.objects is
  'Settles the credit of a stored course video and makes its lesson; refuses (NL001) an object without a credit.';

create function private.delete_lesson_object() returns trigger
  language plpgsql security definer set search_path = ''
  as $$
begin
  delete from storage.objects where id = old.object_id;
  return null;
end
$$;
create trigger delete_lesson_object after delete on public.course_lessons
  for each row execute function private.delete_lesson_object();
comment on trigger delete_lesson_object on public.course_lessons is
  'Deletes the video of a deleted lesson; the bytes follow through private.object_deletions.';

create or replace function private.delete_objects_of_user() returns trigger
  language plpgsql security definer set search_path = ''
  as $$
begin
  delete from storage.objects where bucket_id in ('user-uploads', 'course-videos') and owner = old.id;
  return null;
end
$$;

create function public.order_course_lessons(p_ids uuid[]) returns boolean
  language plpgsql security definer set search_path = ''
  as $$
declare
  caller uuid := auth.uid();
begin
  if caller is null or not auth.second_factor_given() then
    raise exception 'Please sign in first' using errcode = '42501';
  end if;
  perform pg_advisory_xact_lock(hashtextextended('course of ' || caller::text, 0));
  if (select array_agg(id order by id) from public.course_lessons where user_id = caller)
     is distinct from (select array_agg(id order by id) from unnest(p_ids) as id) then
    return false;
  end if;
  update public.course_lessons lesson set position = place.number
    from unnest(p_ids) with ordinality as place (id, number)
   where lesson.id = place.id and lesson.user_id = caller and lesson.position <> place.number;
  return true;
end
$$;
comment on function public.order_course_lessons(uuid[]) is
  'Gives the caller''s lessons this order; false when the list is not exactly the caller''s lessons.';

create function public.unfinished_course_uploads() returns table (
    id uuid, file_name text, received bigint, length bigint, expires_at timestamptz)
  language sql stable security definer set search_path = ''
  as $$
  select upload.id, coalesce(resumable.user_metadata ->> 'name', storage.filename(upload.name)),
         resumable.received, resumable.length, upload.expires_at
    from private.uploads upload join private.resumable_uploads resumable on resumable.id = upload.id
   where upload.bucket_id = 'course-videos' and upload.user_id = auth.uid() and upload.expires_at > now()
     and auth.second_factor_given()
   order by upload.created_at
$$;
comment on function public.unfinished_course_uploads() is
  'The caller''s videos that have not arrived whole: their upload can go on, or be ended, by its id.';

create or replace view public.user_subscription with (security_invoker = true) as
  select distinct on (c.user_id)
    s.tier,
    s.status as subscription_status,
    s.price_id,
    extract(epoch from s.current_period_start)::bigint as current_period_start,
    extract(epoch from s.current_period_end)::bigint as current_period_end,
    s.cancel_at_period_end,
    s.payment_method_brand,
    s.payment_method_last4,
    (select count(*)::integer from public.course_uploads u
      where u.user_id = c.user_id and u.created_at >= s.current_period_start) as course_uploads_used,
    (select coalesce(sum(coalesce((r.report #>> '{document,pages}')::integer, 1)), 0)::integer
      from public.analysis_reports r
      where r.user_id = c.user_id and r.created_at >= s.current_period_start) as document_pages_used,
    (select coalesce(ceil(sum(u.seconds) / 60), 0)::integer from public.course_uploads u
      where u.user_id = c.user_id and u.created_at >= s.current_period_start) as video_minutes_used
  from public.customers c
  join public.subscriptions s on s.customer_id = c.customer_id
  where c.user_id is not null
  order by c.user_id,
    case s.status when 'active' then 0 when 'trialing' then 1 when 'past_due' then 2 when 'unpaid' then 3
      when 'incomplete' then 4 else 5 end,
    s.created_at desc, s.id;
comment on view public.user_subscription is
  'The caller''s best subscription, at most one row a user, and what was used in its current period. Pages are those of the reports; a document of a format without pages counts as one. Video minutes are begun ones of all videos together.';

alter table public.course_uploads enable row level security;
alter table public.course_lessons enable row level security;
alter table public.course_messages enable row level security;

revoke all on public.course_uploads, public.course_lessons, public.course_messages
  from public, anon, authenticated, service_role;
grant select on public.course_uploads, public.course_messages to authenticated;
grant select, delete, update (title, notes) on public.course_lessons to authenticated;
grant select, insert, update, delete on public.course_uploads, public.course_lessons, public.course_messages
  to service_role;

create policy "users see their own course uploads" on public.course_uploads for select to authenticated
  using ((select auth.uid()) = user_id);
create policy "users see their own lessons" on public.course_lessons for select to authenticated
  using ((select auth.uid()) = user_id);
create policy "users name their own lessons" on public.course_lessons for update to authenticated
  using ((select auth.uid()) = user_id) with check ((select auth.uid()) = user_id);
create policy "users delete their own lessons" on public.course_lessons for delete to authenticated
  using ((select auth.uid()) = user_id);
create policy "users see the messages of their lessons" on public.course_messages for select to authenticated
  using ((select auth.uid()) = user_id);
create policy "a second factor comes first" on public.course_uploads as restrictive to authenticated
  using ((select auth.second_factor_given())) with check ((select auth.second_factor_given()));
create policy "a second factor comes first" on public.course_lessons as restrictive to authenticated
  using ((select auth.second_factor_given())) with check ((select auth.second_factor_given()));
create policy "a second factor comes first" on public.course_messages as restrictive to authenticated
  using ((select auth.second_factor_given())) with check ((select auth.second_factor_given()));
create policy "the server's key manages course uploads" on public.course_uploads
  to service_role using (true) with check (true);
create policy "the server's key manages lessons" on public.course_lessons
  to service_role using (true) with check (true);
create policy "the server's key manages messages" on public.course_messages
  to service_role using (true) with check (true);

create view operator.course_lessons with (security_barrier) as
  select l.id, l.user_id, u.email as customer_email, u.raw_user_meta_data ->> 'full_name' as customer_name, l.file_name,
         l.file_path, l.file_size, l.mime_type, l.duration_seconds, l.title, l.notes, l.position, l.state,
         l.published_url, l.created_at,
         coalesce((select not m.from_agency from public.course_messages m where m.lesson_id = l.id
                   order by m.created_at desc, m.id limit 1), false) as waits_for_answer
  from public.course_lessons l join auth.users u on u.id = l.user_id where (select auth.is_operator());
comment on view operator.course_lessons is 'Lessons of every customer; one waits for an answer when its customer wrote last.';

create view operator.course_messages with (security_barrier) as
  select m.id, m.lesson_id, m.from_agency, m.body, m.created_at
  from public.course_messages m where (select auth.is_operator());
comment on view operator.course_messages is 'What was written about lessons.';
revoke all on operator.course_lessons, operator.course_messages from public, anon, authenticated, service_role;
grant select on operator.course_lessons, operator.course_messages to authenticated, service_role;

create function operator.set_lesson_state(p_id uuid, p_state text, p_url text) returns boolean
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.operate('course.state', p_id::text, jsonb_build_object('state', p_state, 'url', p_url));
  update public.course_lessons set state = p_state, published_url = case when p_state = 'published' then p_url end
   where id = p_id;
  return found;
end $$;
comment on function operator.set_lesson_state(uuid, text, text) is
  'Says where the agency is with a lesson, and where it is published; false when there is no such lesson.';

create function operator.answer_lesson(p_id uuid, p_body text) returns boolean
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.operate('course.answer', p_id::text);
  insert into public.course_messages (lesson_id, user_id, from_agency, body)
    select l.id, l.user_id, true, p_body from public.course_lessons l where l.id = p_id;
  return found;
end $$;
comment on function operator.answer_lesson(uuid, text) is
  'Writes to the customer about a lesson; false when there is no such lesson.';

create function operator.watch_lesson(p_id uuid) returns text
  language plpgsql security definer set search_path = '' as $$
declare
  stored text;
begin
  perform private.operate('course.watch', p_id::text);
  select file_path into stored from public.course_lessons where id = p_id;
  return stored;
end $$;
comment on function operator.watch_lesson(uuid) is
  'The path of a lesson''s video, for an operator who is about to watch it; null when there is no such lesson.';

revoke execute on function
  private.store_lesson(), private.delete_lesson_object(),
  public.order_course_lessons(uuid[]), public.unfinished_course_uploads(),
  operator.set_lesson_state(uuid, text, text), operator.answer_lesson(uuid, text), operator.watch_lesson(uuid)
from public;
grant execute on function public.order_course_lessons(uuid[]), public.unfinished_course_uploads()
  to authenticated, service_role;
grant execute on function
  operator.set_lesson_state(uuid, text, text), operator.answer_lesson(uuid, text), operator.watch_lesson(uuid)
  to authenticated, service_role;
