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

create view operator.enquiries with (security_barrier) as
  select e.id, e.name, e.email, e.phone, e.company_name, e.website, e.enquiry_type, e.additional_notes,
         e.course_description, e.user_id, e.suspect_reasons, e.created_at, e.due_at, e.warned_at, e.replied_at,
         (select u.email from auth.users u where u.id = e.replied_by) as replied_by, e.note,
         (select o.state from private.outbox_events o
          where o.subject_id = e.event_subject and o.target = 'enquiries' and o.data is null
          order by o.created_at desc limit 1) as delivery
  from public.enquiries e where (select auth.is_operator());
comment on view operator.enquiries is 'Enquiries with the state of their delivery.';

create view operator.targets with (security_barrier) as
  select t.name, t.url, t.events, t.active, t.paused_at, t.disabled_at, t.secret_version, t.previous_until,
         (select count(*) from private.outbox_events e where e.target = t.name and e.state = 'pending')::integer as pending,
         (select count(*) from private.outbox_events e where e.target = t.name and e.state = 'delivered')::integer as delivered,
         (select count(*) from private.outbox_events e where e.target = t.name and e.state = 'dead')::integer as dead
  from private.webhook_targets t where (select auth.is_operator());
comment on view operator.targets is 'Targets of events with the length of their queues.';

create view operator.events with (security_barrier) as
  select e.id, e.kind, e.target, e.subject_id, e.state, e.attempts, e.created_at, e.updated_at, e.due_at, e.data,
         d.status as last_status, d.reply as last_reply
  from private.outbox_events e
  left join lateral (select status, reply from private.deliveries where event_id = e.id
                     order by id desc limit 1) d on true
  where (select auth.is_operator());
comment on view operator.events is 'Events with the reply to the last attempt.';

create view operator.deliveries with (security_barrier) as
  select d.event_id, d.attempt, d.status, d.reply, d.duration_ms, d.created_at
  from private.deliveries d where (select auth.is_operator());
comment on view operator.deliveries is 'Attempts to deliver events.';

create view operator.mails with (security_barrier) as
  select m.id, m.recipient, m.subject, m.state, m.purpose, m.attempts, m.last_error, m.created_at, m.sent_at
  from private.mails m where (select auth.is_operator());
comment on view operator.mails is 'Mails without their bodies, which hold links that sign people in.';

create view operator.suppressions with (security_barrier) as
  select s.address, s.reason, s.source, s.detail, s.created_at, s.updated_at
  from private.mail_suppressions s where (select auth.is_operator());
comment on view operator.suppressions is 'Addresses that get no mail.';

create view operator.customers with (security_barrier) as
  select u.id as user_id, u.email, u.raw_user_meta_data ->> 'full_name' as full_name, u.created_at,
         u.last_sign_in_at, u.banned_until, c.id as customer_row, c.customer_id, coalesce(c.credits, 0) as credits,
         s.tier, s.status as subscription_status, s.price_id, s.current_period_end, s.cancel_at_period_end,
         (select count(*) from public.user_files f where f.user_id = u.id and f.deleted_at is null)::integer as files
  from auth.users u
  left join public.customers c on c.user_id = u.id
  left join lateral (
    select x.* from public.subscriptions x
    where x.customer_id in (select p.customer_id from private.payment_customers p where p.customer_row = c.id)
       or x.customer_id = c.customer_id
    order by (x.status in ('active', 'trialing')) desc, x.created_at desc limit 1) s on true
  where u.deleted_at is null and (select auth.is_operator());
comment on view operator.customers is 'Accounts with their credits and their best subscription.';

create view operator.ledger with (security_barrier) as
  select t.id, t.user_id, t.customer_row, t.amount, t.kind, t.description, t.state, t.invoice_id, t.expires_at, t.created_at
  from public.credit_transactions t where (select auth.is_operator());
comment on view operator.ledger is 'Entries of the credit ledger.';

create view operator.audit with (security_barrier) as
  select a.id, a.at, (select u.email from auth.users u where u.id = a.actor) as actor, a.action, a.subject, a.details
  from private.operator_audit a where (select auth.is_operator());
comment on view operator.audit is 'What operators did.';

create view operator.plan_overrides with (security_barrier) as
  select o.user_id, o.plan, o.reason, o.set_by, o.created_at, o.until
  from private.plan_overrides o
  where o.ended_at is null and (o.until is null or o.until > now()) and (select auth.is_operator());
comment on view operator.plan_overrides is 'Plan overrides that are in force.';

grant select on all tables in schema operator to authenticated, service_role;

create function operator.mark_replied(p_id text, p_replied boolean) returns boolean
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.operate('enquiry.replied', p_id, jsonb_build_object('replied', p_replied));
  update public.enquiries
    set replied_at = case when p_replied then coalesce(replied_at, now()) end,
        replied_by = case when p_replied then coalesce(replied_by, auth.uid()) end
    where id = p_id;
  return found;
end $$;
comment on function operator.mark_replied(text, boolean) is
  'Marks an enquiry as replied to, or takes the mark away; false when there is no such enquiry.';

create function operator.set_note(p_id text, p_note text) returns boolean
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.operate('enquiry.note', p_id);
  update public.enquiries set note = p_note where id = p_id;
  return found;
end $$;
comment on function operator.set_note(text, text) is
  'Sets the note of an enquiry; false when there is no such enquiry.';

create function operator.clear_suspicion(p_id text) returns boolean
  language plpgsql security definer set search_path = '' as $$
declare
  subject uuid;
begin
  perform private.operate('enquiry.not_suspect', p_id);
  update public.enquiries set suspect_reasons = '{}' where id = p_id and suspect_reasons <> '{}'
    returning event_subject into subject;
  if subject is null then return false; end if;
  insert into private.outbox_events (kind, subject_id, target)
    select case when p_id like 'COURSE-%' then 'course_inquiry.created' else 'enquiry.created' end, subject, t.name
    from private.webhook_targets t
    where t.name = 'enquiries' and t.active and not exists (
      select 1 from private.outbox_events o where o.subject_id = subject and o.target = 'enquiries' and o.data is null);
  return true;
end $$;
comment on function operator.clear_suspicion(text) is
  'Clears the suspicion of advertising and queues the event that was held back; false when there was none.';

create function operator.pause_target(p_name text, p_paused boolean) returns boolean
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.operate(case when p_paused then 'target.pause' else 'target.resume' end, p_name);
  update private.webhook_targets
    set paused_at = case when p_paused then coalesce(paused_at, now()) end,
        disabled_at = case when p_paused then disabled_at end, updated_at = now()
    where name = p_name;
  return found;
end $$;
comment on function operator.pause_target(text, boolean) is
  'Pauses or resumes a target of events; false when there is no such target.';

create function operator.replay_event(p_id uuid) returns boolean
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.operate('event.replay', p_id::text);
  update private.outbox_events
    set state = 'pending', attempts = 0, queued_at = null, due_at = null, updated_at = now()
    where id = p_id and state in ('dead', 'delivered');
  return found;
end $$;
comment on function operator.replay_event(uuid) is 'Queues a delivered or dead event again; false when it is neither.';

create function operator.replay_dead(p_target text) returns integer
  language plpgsql security definer set search_path = '' as $$
declare
  total integer;
begin
  perform private.operate('target.replay', p_target);
  update private.outbox_events
    set state = 'pending', attempts = 0, queued_at = null, due_at = null, updated_at = now()
    where target = p_target and state = 'dead';
  get diagnostics total = row_count;
  return total;
end $$;
comment on function operator.replay_dead(text) is 'Queues the dead events of a target again and returns their number.';

create function operator.test_target(p_name text) returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  made uuid;
begin
  perform private.operate('target.test', p_name);
  insert into private.outbox_events (kind, subject_id, target, data)
    select 'test', gen_random_uuid(), t.name, '{"test": true}' from private.webhook_targets t where t.name = p_name and t.active
    returning id into made;
  return made;
end $$;
comment on function operator.test_target(text) is
  'Queues a test event for a target and returns its id; null when the target is not active.';

create function operator.retry_mail(p_id uuid) returns boolean
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.operate('mail.retry', p_id::text);
  update private.mails set state = 'waiting', queued_at = null, last_error = null
    where id = p_id and state = 'failed' and body_text <> '';
  return found;
end $$;
comment on function operator.retry_mail(uuid) is
  'Queues a failed mail again; false when it did not fail or its text is gone.';

create function operator.suppress(p_address text) returns boolean
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.operate('mail.suppress', p_address);
  insert into private.mail_suppressions (address, reason, source) values (lower(p_address), 'operator', 'console')
    on conflict (address) do nothing;
  return found;
end $$;
comment on function operator.suppress(text) is 'Stops mail to an address; false when it is stopped already.';

create function operator.lift_suppression(p_address text) returns boolean
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.operate('mail.lift', p_address);
  delete from private.mail_suppressions where address = lower(p_address);
  return found;
end $$;
comment on function operator.lift_suppression(text) is 'Allows mail to an address again; false when it was allowed.';

create function operator.end_override(p_user uuid) returns boolean
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.operate('customer.end_override', p_user::text);
  update private.plan_overrides set ended_at = now(), ended_by = coalesce(auth.email(), 'server')
    where user_id = p_user and ended_at is null;
  return found;
end $$;
comment on function operator.end_override(uuid) is 'Ends the plan override of an account; false when it has none.';

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
comment on function operator.override_plan(uuid, text, text, timestamptz) is
  'Gives an account a plan for the analysis payload; false when there is no such account.';

revoke all on all functions in schema operator from public;
grant execute on all functions in schema operator to authenticated, service_role;
revoke all on function auth.is_operator() from public;
grant execute on function auth.is_operator() to authenticated, service_role;
