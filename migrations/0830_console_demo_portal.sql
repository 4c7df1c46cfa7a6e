-- A demo customer cannot sign in, so nobody could let the agency see that portal: it is open while there is demo data.

create or replace function private.support_until(p_user uuid) returns timestamptz
  language sql stable security definer set search_path = ''
  as $$
  select max(s.until) from (
    select a.user_id, a.until from private.support_access a where a.user_id = p_user and a.ended_at is null and a.until > now()
    union all select p_user, now() + interval '1 hour' where private.is_demo(p_user::text)) s
    join auth.users u on u.id = s.user_id and u.deleted_at is null
$$;
comment on function private.support_until(uuid) is
  'Until when the agency may see the portal of an account; null where it may not. That of a demo customer is always open.';
