-- Support access: a customer lets the agency see the portal for an hour, sees when it looked, and ends it at any time.

create table private.support_access (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  granted_at timestamptz not null default now(),
  until timestamptz not null,
  ended_at timestamptz,
  ended_by text check (ended_by in ('customer', 'agency')),
  check ((ended_at is null) = (ended_by is null))
);
comment on table private.support_access is
  'When customers let the agency see their portal. Only the end of a row is ever changed.';
comment on column private.support_access.ended_at is 'Null where it lasted until `until`, or still lasts.';
create index support_access_user_id_idx on private.support_access (user_id, until);
alter table private.support_access enable row level security;
create index operator_audit_looks_idx on private.operator_audit (subject, at desc) where action = 'support.look';
insert into private.personal_data (table_name, holds, purpose, found_by, on_erasure, kept) values
  ('private.support_access', 'When you let us see your portal, and until when', 'Help',
   't.user_id = $1', 'account', 'Until the account is deleted');

create function private.support_until(p_user uuid) returns timestamptz
  language sql stable security definer set search_path = ''
  as $$
  select max(s.until) from private.support_access s
    join auth.users u on u.id = s.user_id and u.deleted_at is null
   where s.user_id = p_user and s.ended_at is null and s.until > now()
$$;
comment on function private.support_until(uuid) is
  'Until when the agency may see the portal of an account; null where it may not.';

create function northline_app.support_access() returns jsonb
  language sql stable security definer set search_path = ''
  as $$
  select jsonb_build_object(
           'until', private.support_until(auth.uid()),
           'looks', coalesce((
             select jsonb_agg(jsonb_build_object('at', l.at, 'page', l.details ->> 'page', 'file', l.details ->> 'file')
                              order by l.at desc)
               from (select a.at, a.details from private.operator_audit a
                      where a.action = 'support.look' and a.subject = auth.uid()::text
                        and a.at > now() - interval '30 days'
                      order by a.at desc limit 20) l), '[]'))
   where auth.uid() is not null and auth.second_factor_given()
$$;
comment on function northline_app.support_access() is
  'Until when the caller lets the agency see the portal, and what it looked at in the last thirty days. Null before the second factor.';

create function northline_app.allow_support() returns timestamptz
  language plpgsql security definer set search_path = ''
  as $$
declare
  lasts timestamptz;
begin
  if auth.uid() is null or not auth.second_factor_given() then
    raise exception 'Please sign in first' using errcode = '42501';
  end if;
  perform 1 from auth.users u where u.id = auth.uid() and u.deleted_at is null for no key update;
  if not found then raise exception 'Please sign in first' using errcode = '42501'; end if;
  lasts := private.support_until(auth.uid());
  if lasts is not null then return lasts; end if;
  if (select count(*) from private.support_access s
       where s.user_id = auth.uid() and s.granted_at > now() - interval '1 day') >= 20 then
    raise exception 'Support access was given twenty times today. Please try again tomorrow.' using errcode = 'PT429';
  end if;
  insert into private.support_access (user_id, until) values (auth.uid(), now() + interval '1 hour') returning until into lasts;
  return lasts;
end
$$;
comment on function northline_app.allow_support() is
  'Lets the agency see the caller''s portal for an hour and returns until when. While it lasts, it does not grow longer.';

create function northline_app.end_support() returns boolean
  language plpgsql security definer set search_path = ''
  as $$
begin
  if auth.uid() is null then raise exception 'Please sign in first' using errcode = '42501'; end if;
  update private.support_access set ended_at = now(), ended_by = 'customer'
   where user_id = auth.uid() and ended_at is null and until > now();
  return found;
end
$$;
comment on function northline_app.end_support() is
  'Ends the agency''s access to the caller''s portal at once; false where there was none.';

create function operator.look_as(p_user uuid, p_page text, p_file uuid) returns table (until timestamptz, file_path text, file_name text)
  language plpgsql security definer set search_path = ''
  as $$
begin
  perform private.operate('support.look', p_user::text, jsonb_strip_nulls(jsonb_build_object('page', p_page,
    'file', (select f.file_name from public.user_files f where f.id = p_file and f.user_id = p_user))));
  return query
    select private.support_until(p_user), f.file_path, f.file_name
      from (select) one
      left join public.user_files f on f.id = p_file and f.user_id = p_user and f.deleted_at is null
     where private.support_until(p_user) is not null;
end
$$;
comment on function operator.look_as(uuid, text, uuid) is
  'Records that an operator looks at a page of a customer''s portal, or at one of its files, and returns until when that is allowed; no row where it is not.';

create function operator.end_support(p_user uuid) returns boolean
  language plpgsql security definer set search_path = ''
  as $$
begin
  perform private.operate('support.end', p_user::text);
  update private.support_access set ended_at = now(), ended_by = 'agency'
   where user_id = p_user and ended_at is null and until > now();
  return found;
end
$$;
comment on function operator.end_support(uuid) is 'Ends an access that a customer gave; false where there is none.';

create view operator.support_access with (security_barrier) as
  select s.user_id, s.granted_at, s.until, s.ended_at, s.ended_by
  from private.support_access s where (select auth.is_operator());
comment on view operator.support_access is 'When customers let the agency see their portal.';

revoke execute on function
  private.support_until(uuid), northline_app.support_access(), northline_app.allow_support(), northline_app.end_support(),
  operator.look_as(uuid, text, uuid), operator.end_support(uuid)
from public;
grant execute on function northline_app.support_access(), northline_app.allow_support(), northline_app.end_support()
  to authenticated, service_role;
grant execute on function operator.look_as(uuid, text, uuid), operator.end_support(uuid) to authenticated, service_role;
grant select on operator.support_access to authenticated, service_role;
