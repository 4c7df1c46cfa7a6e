-- Several courses of one customer: each has a title and a place, and lessons are in one of them. What a plan takes is
-- counted for the customer, as before.

create table public.courses (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  title text not null check (char_length(title) between 1 and 200 and title = btrim(title)),
  position integer not null,
  created_at timestamptz not null default now(),
  -- What lessons refer to, so that none is in a course of another.
  unique (id, user_id)
);
comment on table public.courses is 'Courses of course customers, in the order that they gave them.';
comment on column public.courses.position is 'Place among the courses of the customer, from 1.';
create index courses_user_id_idx on public.courses (user_id, position);

insert into public.courses (user_id, title, position)
select distinct user_id, 'My course', 1 from public.course_lessons;

alter table public.course_lessons add column course_id uuid;
update public.course_lessons lesson set course_id = course.id
  from public.courses course where course.user_id = lesson.user_id;
-- Deferred: with an account both go, in whatever order.
alter table public.course_lessons alter column course_id set not null,
  add constraint course_lessons_course_fkey foreign key (course_id, user_id) references public.courses (id, user_id)
    deferrable initially deferred;
comment on column public.course_lessons.course_id is 'The course that it is in.';
create index course_lessons_course_id_idx on public.course_lessons (course_id, position);

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
comment on function private.course_caller() is 'Who changes courses; refuses (42501) who has not signed in.';

create or replace function private.store_lesson() returns trigger
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
  select id into course from public.courses where user_id = new.owner
   order by (id::text is not distinct from lower(new.user_metadata ->> 'course')) desc, position, id limit 1;
  if course is null then
    insert into public.courses (user_id, title, position) values (new.owner, 'My course', 1) returning id into course;
  end if;
  insert into public.course_uploads (object_id, user_id, seconds, bytes) values (new.id, new.owner, seconds, bytes);
  insert into public.course_lessons
    (user_id, object_id, file_path, file_name, file_size, mime_type, duration_seconds, title, course_id, position)
  values (
    new.owner, new.id, new.name, given, bytes, new.metadata ->> 'mimetype', seconds,
    coalesce(nullif(left(regexp_replace(given, '\.[A-Za-z0-9]{1,5}$', ''), 200), ''), 'Lesson'), course,
    (select coalesce(max(position), 0) + 1 from public.course_lessons where course_id = course));
  return null;
end
$$;

create function public.create_course(p_title text) returns uuid
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
  if (select count(*) from public.courses where user_id = caller) >= 50 then
    raise exception 'There are 50 courses at most. Delete one that has no lessons first.' using errcode = '23514';
  end if;
  insert into public.courses (user_id, title, position)
  values (caller, btrim(p_title), (select coalesce(max(position), 0) + 1 from public.courses where user_id = caller))
  returning id into made;
  return made;
end
$$;
comment on function public.create_course(text) is
  'Makes a course of the caller, behind the others; answers its id. Refuses (23514) a title that is none, and a 51st course.';

create function public.delete_course(p_id uuid) returns boolean
  language plpgsql security definer set search_path = ''
  as $$
declare
  caller uuid := private.course_caller();
begin
  perform private.lock_courses(caller);
  if exists (select from public.course_lessons where course_id = p_id and user_id = caller) then
    raise exception 'There are lessons in this course: move or delete them first.' using errcode = '23514';
  end if;
  delete from public.courses where id = p_id and user_id = caller;
  return found;
end
$$;
comment on function public.delete_course(uuid) is
  'Deletes a course of the caller that has no lessons, and refuses (23514) any other; false when there is no such course.';

create function public.order_courses(p_ids uuid[]) returns boolean
  language plpgsql security definer set search_path = ''
  as $$
declare
  caller uuid := private.course_caller();
begin
  perform private.lock_courses(caller);
  if (select array_agg(id order by id) from public.courses where user_id = caller)
     is distinct from (select array_agg(id order by id) from unnest(p_ids) as id) then
    return false;
  end if;
  update public.courses course set position = place.number
    from unnest(p_ids) with ordinality as place (id, number)
   where course.id = place.id and course.user_id = caller and course.position <> place.number;
  return true;
end
$$;
comment on function public.order_courses(uuid[]) is
  'Gives the caller''s courses this order; false when the list is not exactly the caller''s courses.';

create or replace function public.order_course_lessons(p_ids uuid[]) returns boolean
  language plpgsql security definer set search_path = ''
  as $$
declare
  caller uuid := private.course_caller();
  course uuid;
begin
  perform private.lock_courses(caller);
  select course_id into course from public.course_lessons where id = p_ids[1] and user_id = caller;
  if (select array_agg(id order by id) from public.course_lessons where user_id = caller and course_id = course)
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
  'Gives the lessons of one course of the caller this order; false when the list is not exactly the lessons of one.';

create function public.move_lesson(p_lesson uuid, p_course uuid) returns boolean
  language plpgsql security definer set search_path = ''
  as $$
declare
  caller uuid := private.course_caller();
begin
  perform private.lock_courses(caller);
  update public.course_lessons lesson
     set course_id = course.id,
         position = (select coalesce(max(other.position), 0) + 1 from public.course_lessons other
                      where other.course_id = course.id)
    from public.courses course
   where lesson.id = p_lesson and lesson.user_id = caller and course.id = p_course and course.user_id = caller
     and lesson.course_id <> course.id;
  return found or exists (select from public.course_lessons where id = p_lesson and user_id = caller and course_id = p_course);
end
$$;
comment on function public.move_lesson(uuid, uuid) is
  'Puts a lesson of the caller behind those of another own course; false when there is no such lesson or course.';

alter table public.courses enable row level security;
revoke all on public.courses from public, anon, authenticated, service_role;
grant select, update (title) on public.courses to authenticated;
grant select, insert, update, delete on public.courses to service_role;
create policy "users see their own courses" on public.courses for select to authenticated
  using ((select auth.uid()) = user_id);
create policy "users name their own courses" on public.courses for update to authenticated
  using ((select auth.uid()) = user_id) with check ((select auth.uid()) = user_id);
create policy "a second factor comes first" on public.courses as restrictive to authenticated
  using ((select auth.second_factor_given())) with check ((select auth.second_factor_given()));
create policy "the server's key manages courses" on public.courses to service_role using (true) with check (true);

revoke execute on function
  private.lock_courses(uuid), private.course_caller(),
  public.create_course(text), public.delete_course(uuid), public.order_courses(uuid[]), public.move_lesson(uuid, uuid)
from public;
grant execute on function
  public.create_course(text), public.delete_course(uuid), public.order_courses(uuid[]), public.move_lesson(uuid, uuid)
to authenticated, service_role;

create or replace view operator.course_lessons with (security_barrier) as
  select l.id, l.user_id, u.email as customer_email, u.raw_user_meta_data ->> 'full_name' as customer_name, l.file_name,
         l.file_path, l.file_size, l.mime_type, l.duration_seconds, l.title, l.notes, l.position, l.state,
         l.published_url, l.created_at,
         coalesce((select not m.from_agency from public.course_messages m where m.lesson_id = l.id
                   order by m.created_at desc, m.id limit 1), false) as waits_for_answer,
         l.course_id, c.title as course_title,
         (select count(*)::integer from public.course_lessons o where o.course_id = l.course_id) as course_lessons
  from public.course_lessons l join public.courses c on c.id = l.course_id join auth.users u on u.id = l.user_id
  where (select auth.is_operator());

insert into private.personal_data (table_name, holds, purpose, found_by, hidden, on_erasure, kept) values
  ('public.courses', 'Courses: their titles and order', 'The service', 't.user_id = $1', '{}', 'account', 'Until deleted');
