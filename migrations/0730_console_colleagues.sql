-- Colleagues at the console have a role: an owner does everything, staff the daily work, a reader changes nothing.

-- Whoever is an operator so far goes on doing everything.
update auth.users set raw_app_meta_data = raw_app_meta_data || '{"operator_role": "owner"}'
 where raw_app_meta_data ->> 'role' = 'operator';

create function private.operator_role_of(p_app_metadata jsonb) returns text
  language sql immutable set search_path = '' as $$
  select case
    when p_app_metadata ->> 'role' is distinct from 'operator' then null
    when p_app_metadata ->> 'operator_role' in ('owner', 'staff') then p_app_metadata ->> 'operator_role'
    else 'reader' end
$$;
comment on function private.operator_role_of(jsonb) is
  'The role at the console that the metadata of an account name: owner, staff or reader, the least where none is named; null for an account that is not an operator''s.';

create function auth.operator_role() returns text
  language sql stable security definer set search_path = '' as $$
  select case when auth.role() = 'service_role' then 'owner' else (
    select private.operator_role_of(u.raw_app_meta_data) from auth.users u
    where u.id = auth.uid()
      and auth.jwt() -> 'app_metadata' ->> 'role' = 'operator'
      and u.deleted_at is null and coalesce(u.banned_until < now(), true)
      and (auth.jwt() ->> 'aal' = 'aal2' or not exists (
        select 1 from auth.mfa_factors f where f.user_id = u.id and f.status = 'verified'))) end
$$;
comment on function auth.operator_role() is
  'The caller''s role at the console: the claim says that the caller is an operator, the account still does (a token lives for an hour), and a second factor was used where the account has one. Null for everybody else.';

create or replace function auth.is_operator() returns boolean
  language sql stable security definer set search_path = '' as $$ select auth.operator_role() is not null $$;
comment on function auth.is_operator() is 'Whether the caller has a role at the console.';

alter table private.operator_audit add column role text;
comment on column private.operator_audit.role is 'The actor''s role at that time; null for the command line and for entries that are older than roles.';

create function private.least_role_of(p_action text) returns text
  language sql immutable set search_path = '' as $$
  select case
    when p_action in ('call.listen', 'console.leave', 'course.watch', 'message.open_file') then 'reader'
    when p_action ~ '^(operator|settings|site)\.'
      or p_action in ('api_key.end', 'assistant.delete', 'call.delete', 'customer.refund', 'recording.delete') then 'owner'
    else 'staff' end
$$;
comment on function private.least_role_of(text) is
  'The least role for an action of the audit log: the database''s own check, behind the server''s for each function.';

create or replace function private.operate(p_action text, p_subject text, p_details jsonb default '{}') returns void
  language plpgsql security definer set search_path = '' as $$
declare
  roles constant text[] := '{reader,staff,owner}';
  held constant text := auth.operator_role();
begin
  if held is null or array_position(roles, held) < array_position(roles, private.least_role_of(p_action)) then
    raise exception 'This is for operators with the role %', private.least_role_of(p_action) using errcode = '42501';
  end if;
  insert into private.operator_audit (actor, role, action, subject, details)
    values (auth.uid(), held, p_action, p_subject,
      p_details || case when auth.jwt() ->> 'api_key' is null then '{}'
                   else jsonb_build_object('api_key', auth.jwt() ->> 'api_key') end);
end $$;
comment on function private.operate(text, text, jsonb) is
  'Refuses everybody whose role does not allow the action, and records what is about to be done, in the same transaction.';

create or replace function operator.may_attend() returns boolean
  language sql stable security definer set search_path = '' as $$
  select coalesce(auth.operator_role() in ('owner', 'staff'), false) and (auth.role() = 'service_role' or exists (
    select from auth.sessions s
    where s.id::text = auth.jwt() ->> 'session_id' and s.user_id = auth.uid() and coalesce(s.not_after > now(), true)))
$$;
comment on function operator.may_attend() is
  'Whether the caller still may attend calls, in a session that goes on: listening to a call ends when either is over.';

create or replace view operator.trail with (security_barrier) as
  select t.log, t.id, t.at, t.action, t.subject, t.details,
         (select u.email from auth.users u where u.id = t.actor) as actor, t.role
  from (
    select 'console' as log, a.id::text as id, a.at, a.actor, a.action, a.subject, a.details, a.role
      from private.operator_audit a
    union all
    select 'accounts', e.id::text, e.created_at, e.actor_id, e.action, coalesce(e.ip_address, ''), e.payload, null
      from auth.audit_log_entries e
    union all
    select 'payments', p.id::text, p.at, p.user_id, p.action, coalesce(p.address, ''),
           jsonb_strip_nulls(jsonb_build_object('reason', p.reason, 'session', p.session_id)), null
      from private.payment_audit p) t
  where (select auth.operator_role()) = 'owner';
drop view operator.audit;

create or replace view operator.api_keys with (security_barrier) as
  select k.id, k.name, k.hint, k.rights, k.created_at, k.expires_at, k.last_used_at, k.ended_at, k.ended_by,
         k.user_id, u.email, k.user_id = auth.uid() as is_mine
  from private.api_keys k join auth.users u on u.id = k.user_id
  where (select auth.operator_role()) = 'owner';

-- Readers answer nothing.
create or replace view operator.colleagues with (security_barrier) as
  select u.email, private.operator_role_of(u.raw_app_meta_data) as role from auth.users u
  where private.operator_role_of(u.raw_app_meta_data) in ('owner', 'staff') and u.deleted_at is null and u.email is not null
    and (select auth.is_operator());
comment on view operator.colleagues is 'Operators to whom an enquiry may be given: owners and staff.';

create or replace function operator.assign_enquiry(p_id text, p_assignee text) returns boolean
  language plpgsql security definer set search_path = '' as $$
declare
  chosen uuid;
begin
  perform private.operate('enquiry.assign', p_id, jsonb_build_object('assignee', p_assignee));
  if p_assignee is null then
    delete from private.enquiry_assignments where enquiry_id = p_id;
    return found;
  end if;
  select u.id into chosen from auth.users u
   where u.email = lower(p_assignee) and private.operator_role_of(u.raw_app_meta_data) in ('owner', 'staff')
     and u.deleted_at is null;
  if chosen is null or not exists (select from public.enquiries e where e.id = p_id) then return false; end if;
  insert into private.enquiry_assignments (enquiry_id, assignee) values (p_id, chosen)
    on conflict (enquiry_id) do update set assignee = excluded.assignee, assigned_at = now();
  return true;
end $$;

create table private.colleague_invitations (
  id uuid primary key default gen_random_uuid(),
  email text not null unique,
  role text not null check (role in ('owner', 'staff', 'reader')),
  token_hash text not null unique,
  invited_by uuid not null references auth.users (id) on delete cascade,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
comment on table private.colleague_invitations is
  'Invitations to the console that wait for an answer, by the hash of their mailed secret. One counts while its inviter is an owner.';
create index colleague_invitations_expires_at_idx on private.colleague_invitations (expires_at);
create index colleague_invitations_invited_by_idx on private.colleague_invitations (invited_by);
alter table private.colleague_invitations enable row level security;

insert into private.personal_data (table_name, holds, purpose, found_by, hidden, on_erasure, kept) values
  ('private.colleague_invitations', 'Addresses that were invited to the console', 'Inviting them',
   'lower(t.email) = $2', '{token_hash}', 'deleted', 'Seven days, or until they are answered');

create function private.is_last_owner(p_user uuid) returns boolean
  language plpgsql security definer set search_path = '' as $$
begin
  if not exists (select from auth.users u where u.id = p_user and private.operator_role_of(u.raw_app_meta_data) = 'owner') then
    return false;
  end if;
  -- Two owners who go at the same moment: the second one is the last.
  perform pg_advisory_xact_lock(hashtext('operators'));
  return not exists (
    select from auth.users u
     where u.id <> p_user and private.operator_role_of(u.raw_app_meta_data) = 'owner'
       and u.deleted_at is null and u.deletion_due_at is null and coalesce(u.banned_until < now(), true));
end $$;
comment on function private.is_last_owner(uuid) is
  'Whether an account is the only owner of the console who stays; other changes of owners wait until the transaction ends.';

revoke all on function auth.operator_role(), private.is_last_owner(uuid), private.least_role_of(text) from public;
grant execute on function auth.operator_role() to authenticated, service_role;
