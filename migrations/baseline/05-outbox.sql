-- Events for other servers: their targets, what waits for them, and every attempt.

create table private.webhook_targets (
  name text primary key,
  url text not null,
  events text[] not null default '{}',
  active boolean not null,
  secret_version integer not null default 1,
  previous_until timestamptz,
  paused_at timestamptz,
  disabled_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
comment on table private.webhook_targets is
  'Servers that receive events, each with its own queue, pause and signing secrets.';
comment on column private.webhook_targets.events is 'Kinds of events that it receives.';
comment on column private.webhook_targets.active is 'Whether the settings name it.';
comment on column private.webhook_targets.secret_version is
  'The secret itself is derived from keys.json; a rotation counts this up.';
comment on column private.webhook_targets.previous_until is 'Until then the previous version signs as well.';
comment on column private.webhook_targets.disabled_at is 'It answered 410 Gone: it wants no more.';

create table private.outbox_events (
  id uuid primary key default gen_random_uuid(),
  kind text not null,
  subject_id uuid not null,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'dead', 'cancelled')),
  attempts integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  target text,
  data jsonb,
  queued_at timestamptz,
  due_at timestamptz
);
comment on table private.outbox_events is
  'Events to deliver. Only the fact is kept; the message is built again for each attempt.';
comment on column private.outbox_events.data is
  'What the event says: ids and states, no personal data. Null: the message is built for each attempt.';
comment on column private.outbox_events.queued_at is 'Null: no job knows of it yet.';
comment on column private.outbox_events.due_at is 'When its next attempt is planned.';
create index outbox_events_subject_idx on private.outbox_events (subject_id);
create index outbox_events_pending_idx on private.outbox_events (created_at) where state = 'pending';

create table private.deliveries (
  id bigint generated always as identity primary key,
  event_id uuid not null references private.outbox_events (id) on delete cascade,
  attempt integer not null,
  status integer,
  reply text not null,
  duration_ms integer not null,
  created_at timestamptz not null default now()
);
comment on table private.deliveries is 'Every attempt to deliver an event, with the reply.';
comment on column private.deliveries.status is 'Null when no answer came.';
create index deliveries_event_idx on private.deliveries (event_id);
create index outbox_events_unqueued_idx on private.outbox_events (created_at)
  where state = 'pending' and queued_at is null;
create index outbox_events_target_idx on private.outbox_events (target, state) where target is not null;

create function private.announce(p_kind text, p_subject uuid, p_data jsonb) returns void
  language sql security definer set search_path = '' as $$
  insert into private.outbox_events (kind, subject_id, target, data, state)
  select p_kind, p_subject, t.name, p_data, case when t.disabled_at is null then 'pending' else 'dead' end
  from private.webhook_targets t where t.active and p_kind = any (t.events)
$$;
comment on function private.announce(text, uuid, jsonb) is
  'Writes an event for every target that subscribes to its kind, in the transaction of the change.';

revoke all on function private.announce(text, uuid, jsonb) from public;

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

grant select on operator.targets, operator.events, operator.deliveries to authenticated, service_role;

revoke all on function
  operator.pause_target(text, boolean), operator.replay_event(uuid), operator.replay_dead(text),
  operator.test_target(text)
from public;
grant execute on function
  operator.pause_target(text, boolean), operator.replay_event(uuid), operator.replay_dead(text),
  operator.test_target(text)
to authenticated, service_role;

create trigger notify_waiting after insert or update on private.outbox_events
  for each row when (new.state = 'pending' and new.queued_at is null)
  execute function private.notify_waiting('outbox_waiting');

create trigger notify_waiting after update of paused_at on private.webhook_targets
  for each row when (old.paused_at is not null and new.paused_at is null)
  execute function private.notify_waiting('outbox_waiting');

comment on trigger notify_waiting on private.outbox_events is
  'Wakes the processes when an event waits that no job knows of yet.';
comment on trigger notify_waiting on private.webhook_targets is
  'Wakes the processes when a target is resumed.';
