-- Automations that are told what happens, each with its own queue, pause and signing secrets.

create table private.webhook_targets (
  name text primary key,
  url text not null,
  -- Kinds that are announced to it.
  events text[] not null default '{}',
  -- Whether the settings name it.
  active boolean not null,
  -- The secret itself is derived from keys.json; a rotation counts this up.
  secret_version integer not null default 1,
  -- Until then the version before signs as well.
  previous_until timestamptz,
  paused_at timestamptz,
  -- It answered 410: it wants no more.
  disabled_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

alter table private.outbox_events
  add column target text,
  -- What an announcement says: ids and states, no personal data. Null: the message is made anew.
  add column data jsonb,
  -- Null: no job knows of it yet.
  add column queued_at timestamptz,
  -- When its next attempt is planned.
  add column due_at timestamptz;
update private.outbox_events set queued_at = created_at, due_at = created_at;
create index outbox_events_unqueued_idx on private.outbox_events (created_at)
  where state = 'pending' and queued_at is null;
create index outbox_events_target_idx on private.outbox_events (target, state) where target is not null;

-- Announces a change to every automation that wants it, in the transaction of the change.
create function private.announce(p_kind text, p_subject uuid, p_data jsonb) returns void
  language sql security definer set search_path = '' as $$
  insert into private.outbox_events (kind, subject_id, target, data, state)
  select p_kind, p_subject, t.name, p_data, case when t.disabled_at is null then 'pending' else 'dead' end
  from private.webhook_targets t where t.active and p_kind = any (t.events)
$$;
revoke all on function private.announce(text, uuid, jsonb) from public;

create function private.announce_enquiry() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.announce(
    case when new.id like 'COURSE-%' then 'course_inquiry.created' else 'enquiry.created' end, new.event_subject,
    jsonb_build_object('id', new.id, 'enquiry_type', new.enquiry_type, 'user_id', new.user_id,
      'suspect', new.suspect_reasons <> '{}', 'created_at', new.created_at));
  return null;
end $$;
create trigger announce after insert on public.enquiries
  for each row execute function private.announce_enquiry();

create function private.announce_analysis() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.announce(
    'document.analysis.' || case new.state when 'queued' then 'requested' else new.state end, new.id,
    jsonb_build_object('analysis_id', new.id, 'file_id', new.file_id, 'user_id', new.user_id,
      'error_code', new.error_code, 'created_at', new.created_at, 'finished_at', new.finished_at));
  return null;
end $$;
create trigger announce_start after insert on private.analyses
  for each row when (new.state = 'queued') execute function private.announce_analysis();
create trigger announce_end after update of state on private.analyses
  for each row when (old.state is distinct from new.state and new.state in ('completed', 'failed'))
  execute function private.announce_analysis();

create function private.announce_customer() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.announce('customer.created', new.id,
    jsonb_build_object('id', new.id, 'user_id', new.user_id, 'customer_id', new.customer_id,
      'created_at', new.created_at));
  return null;
end $$;
create trigger announce after insert on public.customers
  for each row execute function private.announce_customer();

create function private.announce_subscription() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.announce('subscription.changed', new.id,
    jsonb_build_object('subscription_id', new.subscription_id, 'customer_id', new.customer_id,
      'user_id', (select c.user_id from public.customers c where c.customer_id = new.customer_id),
      'price_id', new.price_id, 'tier', new.tier, 'status', new.status,
      'previous_status', case tg_op when 'UPDATE' then old.status end,
      'current_period_start', new.current_period_start, 'current_period_end', new.current_period_end,
      'cancel_at_period_end', new.cancel_at_period_end));
  return null;
end $$;
create trigger announce_new after insert on public.subscriptions
  for each row execute function private.announce_subscription();
create trigger announce_change after update on public.subscriptions
  for each row when (
    (old.price_id, old.tier, old.status, old.current_period_start, old.current_period_end, old.cancel_at_period_end)
    is distinct from
    (new.price_id, new.tier, new.status, new.current_period_start, new.current_period_end, new.cancel_at_period_end))
  execute function private.announce_subscription();
