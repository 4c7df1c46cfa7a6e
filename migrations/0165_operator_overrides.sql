-- The plan that an operator gives for the analysis payload (spec/readings.md), from the console.

create view operator.plan_overrides with (security_barrier) as
  select o.user_id, o.plan, o.reason, o.set_by, o.created_at, o.until
  from private.plan_overrides o
  where o.ended_at is null and (o.until is null or o.until > now()) and (select auth.is_operator());
grant select on operator.plan_overrides to authenticated, service_role;

create function operator.end_override(p_user uuid) returns boolean
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.operate('customer.end_override', p_user::text);
  update private.plan_overrides set ended_at = now(), ended_by = coalesce(auth.email(), 'server')
    where user_id = p_user and ended_at is null;
  return found;
end $$;

create function operator.override_plan(p_user uuid, p_plan text, p_reason text, p_until timestamptz) returns boolean
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.operate('customer.override', p_user::text,
    jsonb_build_object('plan', p_plan, 'reason', p_reason, 'until', p_until));
  if not exists (select 1 from auth.users u where u.id = p_user and u.deleted_at is null) then return false; end if;
  update private.plan_overrides set ended_at = now(), ended_by = coalesce(auth.email(), 'server')
    where user_id = p_user and ended_at is null;
  insert into private.plan_overrides (user_id, plan, reason, set_by, until)
    values (p_user, p_plan, p_reason, coalesce(auth.email(), 'server'), p_until);
  return true;
end $$;

revoke all on function operator.end_override(uuid), operator.override_plan(uuid, text, text, timestamptz) from public;
grant execute on function operator.end_override(uuid), operator.override_plan(uuid, text, text, timestamptz)
  to authenticated, service_role;
