-- The Audit page says what an entry is about: a name, where the log has an id.

create function operator.names_of(p_ids text[]) returns table (id text, name text)
  language sql stable security definer set search_path = '' as $$
  with wanted as (
    select i as id, case when i ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then i::uuid end as key from unnest(p_ids) as i)
  select w.id, n.name from wanted w cross join lateral (
    select coalesce(nullif(u.email, ''), u.phone) as name from auth.users u where u.id = w.key
    union all select 'the enquiry of ' || e.name from public.enquiries e where e.id = w.id
    union all select 'the booking of ' || b.name from northline_app.bookings b where b.id = w.key
    union all select l.title from northline_app.course_lessons l where l.id = w.key
    union all select f.name from northline_app.own_fields f where f.id = w.key
    union all select f.file_name from northline_app.message_files f where f.id = w.key
    union all select p.title from public.news_posts p where p.id = w.key
    union all select k.name from private.api_keys k where k.id = w.key
    union all select 'the mail to ' || m.recipient from private.mails m where m.id = w.key
    union all select c.body ->> 'name' from private.voice_campaigns c where c.id = w.key
    union all select v.body ->> 'name' from private.voice_evals v where v.id = w.key
    union all select coalesce(v.body ->> 'name', v.body #>> '{customer,number}') from private.voice_records v where v.id = w.key
  ) n
  where n.name is not null and (select auth.operator_role()) = 'owner'
$$;
comment on function operator.names_of(text[]) is
  'Names for the ids of the audit log: of accounts, enquiries, bookings, lessons and what else an operator changes; for owners only. What is gone has no name.';
revoke all on function operator.names_of(text[]) from public;
grant execute on function operator.names_of(text[]) to authenticated, service_role;
