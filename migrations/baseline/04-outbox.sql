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
