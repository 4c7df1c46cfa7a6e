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

-- A customer has several courses, each with a title and a place; a lesson is in one of them. The limits of a plan are
-- counted for the customer.

create table northline_app.courses (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  title text not null check (char_length(title) between 1 and 200 and title = btrim(title)),
  position integer not null,
  created_at timestamptz not null default now(),
  -- Lessons refer to both, so that no lesson is in the course of another customer.
  unique (id, user_id)
);
comment on table northline_app.courses is 'Courses of course customers, in the order that they gave them.';
comment on column northline_app.courses.position is 'Place among the courses of the customer, from 1.';
create index courses_user_id_idx on northline_app.courses (user_id, position);

create table northline_app.course_uploads (
  object_id uuid primary key,
  user_id uuid not null references auth.users (id) on delete cascade,
  seconds double precision not null,
  bytes bigint not null,
  created_at timestamptz not null default now()
);
comment on table northline_app.course_uploads is
  'Every video that a course customer has uploaded, also when its lesson is deleted: what the plan''s uploads and minutes are counted by.';
comment on column northline_app.course_uploads.seconds is 'Length as the server read it from the file.';
create index course_uploads_user_id_idx on northline_app.course_uploads (user_id, created_at);

create table northline_app.course_lessons (
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
  created_at timestamptz not null default now(),
  course_id uuid not null,
  -- Deferred: with an account both go, in whatever order.
  constraint course_lessons_course_fkey foreign key (course_id, user_id)
    references northline_app.courses (id, user_id) deferrable initially deferred
);
comment on table northline_app.course_lessons is
  'Lessons of a course: one stored video each, in the order that their customer gave them.';
comment on column northline_app.course_lessons.position is 'Place in the course, from 1.';
comment on column northline_app.course_lessons.state is 'Where the agency is with it.';
comment on column northline_app.course_lessons.told_state is
  'The state that the last mail told of; null until the agency was told of the lesson.';
comment on column northline_app.course_lessons.course_id is 'The course that it is in.';
create index course_lessons_user_id_idx on northline_app.course_lessons (user_id, position);
create index course_lessons_course_id_idx on northline_app.course_lessons (course_id, position);
create index course_lessons_to_tell_idx on northline_app.course_lessons (created_at)
  where told_state is distinct from state;

create table northline_app.course_messages (
  id uuid primary key default gen_random_uuid(),
  lesson_id uuid not null references northline_app.course_lessons (id) on delete cascade,
  user_id uuid not null references auth.users (id) on delete cascade,
  from_agency boolean not null,
  body text not null check (char_length(body) between 1 and 5000),
  mailed_at timestamptz,
  created_at timestamptz not null default now()
);
comment on table northline_app.course_messages is 'What customer and agency wrote to each other about a lesson.';
comment on column northline_app.course_messages.user_id is 'The customer, also for what the agency wrote.';
comment on column northline_app.course_messages.mailed_at is 'When the other side was told by mail.';
create index course_messages_lesson_id_idx on northline_app.course_messages (lesson_id, created_at);
create index course_messages_user_id_idx on northline_app.course_messages (user_id);
create index course_messages_to_tell_idx on northline_app.course_messages (created_at) where mailed_at is null;

create trigger claim_course_credit after insert on private.uploads
  for each row when (new.bucket_id = 'course-videos' and new.user_id is not null)
  execute function private.claim_credit();
comment on trigger claim_course_credit on private.uploads is
  'Takes one reserved credit of the user for an upload into course-videos; refuses the upload (NL001) without one.';

create function private.lock_courses(p_user uuid) returns void
  language sql set search_path = ''
  as $$ select pg_advisory_xact_lock(hashtextextended('course of ' || p_user::text, 0)) $$;
comment on function private.lock_courses(uuid) is
  'One after the other changes the order of what a customer has, so that no two things are at one place.';

create function private.course_caller() returns uuid
  language plpgsql stable security definer set search_path = ''
  as $$
begin
  if auth.uid() is null or not auth.second_factor_given() then
    raise exception 'Please sign in first' using errcode = '42501';
  end if;
  return auth.uid();
end
$$;
comment on function private.course_caller() is 'The account that changes courses; refuses (42501) a caller without a session.';

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
  course uuid;
begin
  update public.credit_transactions set state = 'settled', expires_at = null, updated_at = now()
   where object_id = new.id and user_id = new.owner and state = 'claimed';
  if not found then
    raise exception 'no claimed credit' using errcode = 'NL001';
  end if;
  perform private.lock_courses(new.owner);
  -- The course that was named, else the first: one that was deleted while its video was on its way loses no lesson.
  select id into course from northline_app.courses where user_id = new.owner
   order by (id::text is not distinct from lower(new.user_metadata ->> 'course')) desc, position, id limit 1;
  if course is null then
    insert into northline_app.courses (user_id, title, position) values (new.owner, 'My course', 1) returning id into course;
  end if;
  insert into northline_app.course_uploads (object_id, user_id, seconds, bytes) values (new.id, new.owner, seconds, bytes);
  insert into northline_app.course_lessons
    (user_id, object_id, file_path, file_name, file_size, mime_type, duration_seconds, title, course_id, position)
  values (
    new.owner, new.id, new.name, given, bytes, new.metadata ->> 'mimetype', seconds,
    coalesce(nullif(left(regexp_replace(given, '\.[A-Za-z0-9]{1,5}$', ''), 200), ''), 'Lesson'), course,
    (select coalesce(max(position), 0) + 1 from northline_app.course_lessons where course_id = course));
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
create trigger delete_lesson_object after delete on northline_app.course_lessons
  for each row execute function private.delete_lesson_object();
comment on trigger delete_lesson_object on northline_app.course_lessons is
  'Deletes the video of a deleted lesson; the bytes follow through private.object_deletions.';

create function northline_app.order_course_lessons(p_ids uuid[]) returns boolean
  language plpgsql security definer set search_path = ''
  as $$
declare
  caller uuid := private.course_caller();
  course uuid;
begin
  perform private.lock_courses(caller);
  select course_id into course from northline_app.course_lessons where id = p_ids[1] and user_id = caller;
  if (select array_agg(id order by id) from northline_app.course_lessons where user_id = caller and course_id = course)
     is distinct from (select array_agg(id order by id) from unnest(p_ids) as id) then
    return false;
  end if;
  update northline_app.course_lessons lesson set position = place.number
    from unnest(p_ids) with ordinality as place (id, number)
   where lesson.id = place.id and lesson.user_id = caller and lesson.position <> place.number;
  return true;
end
$$;
comment on function northline_app.order_course_lessons(uuid[]) is
  'Gives the lessons of one course of the caller this order; false when the list is not exactly the lessons of one.';

alter table northline_app.course_uploads enable row level security;
alter table northline_app.course_lessons enable row level security;
alter table northline_app.course_messages enable row level security;

revoke all on northline_app.course_uploads, northline_app.course_lessons, northline_app.course_messages
  from public, anon, authenticated, service_role;
grant select on northline_app.course_uploads, northline_app.course_messages to authenticated;
grant select, delete, update (title, notes) on northline_app.course_lessons to authenticated;
grant select, insert, update, delete on northline_app.course_uploads, northline_app.course_lessons, northline_app.course_messages
  to service_role;

create policy "users see their own course uploads" on northline_app.course_uploads for select to authenticated
  using ((select auth.uid()) = user_id);
create policy "users see their own lessons" on northline_app.course_lessons for select to authenticated
  using ((select auth.uid()) = user_id);
create policy "users name their own lessons" on northline_app.course_lessons for update to authenticated
  using ((select auth.uid()) = user_id) with check ((select auth.uid()) = user_id);
create policy "users delete their own lessons" on northline_app.course_lessons for delete to authenticated
  using ((select auth.uid()) = user_id);
create policy "users see the messages of their lessons" on northline_app.course_messages for select to authenticated
  using ((select auth.uid()) = user_id);
create policy "a second factor comes first" on northline_app.course_uploads as restrictive to authenticated
  using ((select auth.second_factor_given())) with check ((select auth.second_factor_given()));
create policy "a second factor comes first" on northline_app.course_lessons as restrictive to authenticated
  using ((select auth.second_factor_given())) with check ((select auth.second_factor_given()));
create policy "a second factor comes first" on northline_app.course_messages as restrictive to authenticated
  using ((select auth.second_factor_given())) with check ((select auth.second_factor_given()));
create policy "the server's key manages course uploads" on northline_app.course_uploads
  to service_role using (true) with check (true);
create policy "the server's key manages lessons" on northline_app.course_lessons
  to service_role using (true) with check (true);
create policy "the server's key manages messages" on northline_app.course_messages
  to service_role using (true) with check (true);

create view operator.course_lessons with (security_barrier) as
  select l.id, l.user_id, u.email as customer_email, u.raw_user_meta_data ->> 'full_name' as customer_name, l.file_name,
         l.file_path, l.file_size, l.mime_type, l.duration_seconds, l.title, l.notes, l.position, l.state,
         l.published_url, l.created_at,
         coalesce((select not m.from_agency from northline_app.course_messages m where m.lesson_id = l.id
                   order by m.created_at desc, m.id limit 1), false) as waits_for_answer,
         l.course_id, c.title as course_title,
         (select count(*)::integer from northline_app.course_lessons o where o.course_id = l.course_id) as course_lessons
  from northline_app.course_lessons l join northline_app.courses c on c.id = l.course_id join auth.users u on u.id = l.user_id
  where (select auth.is_operator());
comment on view operator.course_lessons is 'Lessons of every customer; one waits for an answer when its customer wrote last.';

create view operator.course_messages with (security_barrier) as
  select m.id, m.lesson_id, m.from_agency, m.body, m.created_at
  from northline_app.course_messages m where (select auth.is_operator());
comment on view operator.course_messages is 'What was written about lessons.';
grant select on operator.course_lessons, operator.course_messages to authenticated, service_role;

create function operator.set_lesson_state(p_id uuid, p_state text, p_url text) returns boolean
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.operate('course.state', p_id::text, jsonb_build_object('state', p_state, 'url', p_url));
  update northline_app.course_lessons set state = p_state, published_url = case when p_state = 'published' then p_url end
   where id = p_id;
  return found;
end $$;
comment on function operator.set_lesson_state(uuid, text, text) is
  'Says where the agency is with a lesson, and where it is published; false when there is no such lesson.';

create function operator.answer_lesson(p_id uuid, p_body text) returns boolean
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.operate('course.answer', p_id::text);
  insert into northline_app.course_messages (lesson_id, user_id, from_agency, body)
    select l.id, l.user_id, true, p_body from northline_app.course_lessons l where l.id = p_id;
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
  select file_path into stored from northline_app.course_lessons where id = p_id;
  return stored;
end $$;
comment on function operator.watch_lesson(uuid) is
  'The path of a lesson''s video, for an operator who is about to watch it; null when there is no such lesson.';

revoke execute on function
  private.store_lesson(), private.delete_lesson_object(),
  northline_app.order_course_lessons(uuid[]),
  operator.set_lesson_state(uuid, text, text), operator.answer_lesson(uuid, text), operator.watch_lesson(uuid)
from public;
grant execute on function northline_app.order_course_lessons(uuid[])
  to authenticated, service_role;
grant execute on function
  operator.set_lesson_state(uuid, text, text), operator.answer_lesson(uuid, text), operator.watch_lesson(uuid)
  to authenticated, service_role;

create function private.claim_course_upload() returns trigger
  language plpgsql security definer set search_path = ''
  as $$
declare
  room bigint;
begin
  -- Uploads of one user begin one after another (private.begin_upload), and a stored one leaves private.uploads in the
  -- transaction that counts it.
  select max(plan.course_uploads
             - (select count(*) from northline_app.course_uploads stored
                 where stored.user_id = new.user_id and stored.created_at >= subscription.current_period_start)
             - (select count(*) from private.uploads under_way
                 where under_way.user_id = new.user_id and under_way.bucket_id = 'course-videos'
                   and under_way.id <> new.id and under_way.expires_at > now()))
    into room
    from public.customers customer
    join public.subscriptions subscription using (customer_id)
    join private.plan_allowances plan on plan.price_id = subscription.price_id
   where customer.user_id = new.user_id and subscription.status in ('active', 'trialing')
     and plan.course_uploads is not null;
  if room <= 0 then
    raise exception 'no course upload left' using errcode = 'NL003';
  end if;
  return null;
end
$$;
revoke execute on function private.claim_course_upload() from public;
create trigger claim_course_upload after insert on private.uploads
  for each row when (new.bucket_id = 'course-videos' and new.user_id is not null)
  execute function private.claim_course_upload();
comment on trigger claim_course_upload on private.uploads is
  'Refuses a video (NL003) when those that are stored and those on their way are all uploads of the plan''s month.';

create function northline_app.create_course(p_title text) returns uuid
  language plpgsql security definer set search_path = ''
  as $$
declare
  caller uuid := private.course_caller();
  made uuid;
begin
  if char_length(btrim(coalesce(p_title, ''))) not between 1 and 200 then
    raise exception 'A course has a title of 1 to 200 characters.' using errcode = '23514';
  end if;
  perform private.lock_courses(caller);
  if (select count(*) from northline_app.courses where user_id = caller) >= 50 then
    raise exception 'There are 50 courses at most. Delete one that has no lessons first.' using errcode = '23514';
  end if;
  insert into northline_app.courses (user_id, title, position)
  values (caller, btrim(p_title), (select coalesce(max(position), 0) + 1 from northline_app.courses where user_id = caller))
  returning id into made;
  return made;
end
$$;
comment on function northline_app.create_course(text) is
  'Makes a course of the caller, behind the others; answers its id. Refuses (23514) an empty or too long title, and a 51st course.';

create function northline_app.delete_course(p_id uuid) returns boolean
  language plpgsql security definer set search_path = ''
  as $$
declare
  caller uuid := private.course_caller();
begin
  perform private.lock_courses(caller);
  if exists (select from northline_app.course_lessons where course_id = p_id and user_id = caller) then
    raise exception 'There are lessons in this course: move or delete them first.' using errcode = '23514';
  end if;
  delete from northline_app.courses where id = p_id and user_id = caller;
  return found;
end
$$;
comment on function northline_app.delete_course(uuid) is
  'Deletes a course of the caller that has no lessons, and refuses (23514) any other; false when there is no such course.';

create function northline_app.order_courses(p_ids uuid[]) returns boolean
  language plpgsql security definer set search_path = ''
  as $$
declare
  caller uuid := private.course_caller();
begin
  perform private.lock_courses(caller);
  if (select array_agg(id order by id) from northline_app.courses where user_id = caller)
     is distinct from (select array_agg(id order by id) from unnest(p_ids) as id) then
    return false;
  end if;
  update northline_app.courses course set position = place.number
    from unnest(p_ids) with ordinality as place (id, number)
   where course.id = place.id and course.user_id = caller and course.position <> place.number;
  return true;
end
$$;
comment on function northline_app.order_courses(uuid[]) is
  'Gives the caller''s courses this order; false when the list is not exactly the caller''s courses.';

create function northline_app.move_lesson(p_lesson uuid, p_course uuid) returns boolean
  language plpgsql security definer set search_path = ''
  as $$
declare
  caller uuid := private.course_caller();
begin
  perform private.lock_courses(caller);
  update northline_app.course_lessons lesson
     set course_id = course.id,
         position = (select coalesce(max(other.position), 0) + 1 from northline_app.course_lessons other
                      where other.course_id = course.id)
    from northline_app.courses course
   where lesson.id = p_lesson and lesson.user_id = caller and course.id = p_course and course.user_id = caller
     and lesson.course_id <> course.id;
  return found or exists (select from northline_app.course_lessons where id = p_lesson and user_id = caller and course_id = p_course);
end
$$;
comment on function northline_app.move_lesson(uuid, uuid) is
  'Puts a lesson of the caller behind those of another own course; false when there is no such lesson or course.';

alter table northline_app.courses enable row level security;
revoke all on northline_app.courses from public, anon, authenticated, service_role;
grant select, update (title) on northline_app.courses to authenticated;
grant select, insert, update, delete on northline_app.courses to service_role;
create policy "users see their own courses" on northline_app.courses for select to authenticated
  using ((select auth.uid()) = user_id);
create policy "users name their own courses" on northline_app.courses for update to authenticated
  using ((select auth.uid()) = user_id) with check ((select auth.uid()) = user_id);
create policy "a second factor comes first" on northline_app.courses as restrictive to authenticated
  using ((select auth.second_factor_given())) with check ((select auth.second_factor_given()));
create policy "the server's key manages courses" on northline_app.courses to service_role using (true) with check (true);

revoke execute on function
  private.lock_courses(uuid), private.course_caller(),
  northline_app.create_course(text), northline_app.delete_course(uuid), northline_app.order_courses(uuid[]), northline_app.move_lesson(uuid, uuid)
from public;
grant execute on function
  northline_app.create_course(text), northline_app.delete_course(uuid), northline_app.order_courses(uuid[]), northline_app.move_lesson(uuid, uuid)
to authenticated, service_role;
