-- The operator's console. What it may see and do stands here: views that are empty and functions that
-- refuse unless the caller is an operator. No table is granted to anybody for it, and the data service
-- does not serve this schema.

create schema operator;

grant usage on schema operator to authenticated, service_role;

create function auth.is_operator() returns boolean
  language sql stable security definer set search_path = '' as $$
  select coalesce(auth.role() = 'service_role', false) or exists (
    select 1 from auth.users u
    where u.id = auth.uid()
      and auth.jwt() -> 'app_metadata' ->> 'role' = 'operator'
      and u.raw_app_meta_data ->> 'role' = 'operator'
      and u.deleted_at is null and coalesce(u.banned_until < now(), true)
      and (auth.jwt() ->> 'aal' = 'aal2' or not exists (
        select 1 from auth.mfa_factors f where f.user_id = u.id and f.status = 'verified')))
$$;
comment on function auth.is_operator() is
  'Whether the caller is an operator: the claim says so, the account still does (a token lives for an hour), and a second factor was used where the account has one.';

create function operator.standing() returns text
  language sql stable security definer set search_path = '' as $$
  select case
    when auth.is_operator() then 'operator'
    when exists (
      select 1 from auth.users u
      where u.id = auth.uid() and u.raw_app_meta_data ->> 'role' = 'operator' and u.deleted_at is null
        and auth.jwt() -> 'app_metadata' ->> 'role' = 'operator') then 'second_factor'
    else 'none' end
$$;
comment on function operator.standing() is
  'What the console shows to a caller: `operator`, `second_factor` (one is to be used first) or `none`.';

create function operator.has_second_factor() returns boolean
  language sql stable security definer set search_path = '' as $$
  select exists (select 1 from auth.mfa_factors f where f.user_id = auth.uid() and f.status = 'verified')
$$;
comment on function operator.has_second_factor() is 'Whether the caller''s account has a verified second factor.';

create table private.operator_audit (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  actor uuid,
  action text not null,
  subject text not null,
  details jsonb not null default '{}'
);
comment on table private.operator_audit is 'What operators did. Append only.';
comment on column private.operator_audit.actor is 'Null for the command line and the server''s own key.';

alter table private.operator_audit enable row level security;

create trigger operator_audit_append_only before update or delete or truncate on private.operator_audit
  for each statement execute function auth.refuse_change();
comment on trigger operator_audit_append_only on private.operator_audit is
  'Refuses every change of the operators'' audit log.';

create function private.operate(p_action text, p_subject text, p_details jsonb default '{}') returns void
  language plpgsql security definer set search_path = '' as $$
begin
  if not auth.is_operator() then
    raise exception 'This is for operators' using errcode = '42501';
  end if;
  insert into private.operator_audit (actor, action, subject, details)
    values (auth.uid(), p_action, p_subject, p_details);
end $$;
comment on function private.operate(text, text, jsonb) is
  'Refuses everybody but operators and records what is about to be done, in the same transaction.';

revoke all on function private.operate(text, text, jsonb) from public;

create view operator.audit with (security_barrier) as
  select a.id, a.at, (select u.email from auth.users u where u.id = a.actor) as actor, a.action, a.subject, a.details
  from private.operator_audit a where (select auth.is_operator());
comment on view operator.audit is 'What operators did.';

grant select on operator.audit to authenticated, service_role;

revoke all on function operator.standing(), operator.has_second_factor(), auth.is_operator() from public;
grant execute on function
  operator.standing(), operator.has_second_factor(), auth.is_operator()
to authenticated, service_role;
