-- Analyses of documents, their reports, and the outbox of events for other servers.

create table private.analyses (
  id uuid primary key default gen_random_uuid(),
  file_id uuid not null references public.user_files (id) on delete cascade,
  user_id uuid not null,
  -- queued: to be sent; sent: the analyser has it; merging: an automation answered, its answer
  -- is laid over our own reading; fallback: it did not answer in time, we read it ourselves.
  state text not null default 'queued'
    check (state in ('queued', 'sent', 'merging', 'fallback', 'completed', 'failed')),
  target text not null check (target in ('embedded', 'external')),
  deadline_at timestamptz not null,
  -- Where the request came from, as the request to the analyser names it.
  context jsonb not null default '{}',
  -- The answer of an automation, until it is merged.
  answer jsonb,
  -- SHA-256 of the call-back body that closed it: the same body again is answered as before.
  answer_hash text,
  error_code text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  finished_at timestamptz
);
-- A second click finds the analysis of the first.
create unique index analyses_one_active_per_file on private.analyses (file_id)
  where state not in ('completed', 'failed');
create index analyses_file_id_idx on private.analyses (file_id, created_at desc);
create index analyses_deadline_idx on private.analyses (deadline_at)
  where state not in ('completed', 'failed');

create table public.analysis_reports (
  file_id uuid primary key references public.user_files (id) on delete cascade,
  user_id uuid not null references auth.users (id) on delete cascade,
  analysis_id uuid not null unique,
  report jsonb not null,
  blocks jsonb not null,
  created_at timestamptz not null default now()
);
create index analysis_reports_user_id_idx on public.analysis_reports (user_id);

alter table public.analysis_reports enable row level security;
grant select on public.analysis_reports to authenticated;
grant select, insert, update, delete on public.analysis_reports to service_role;
create policy analysis_reports_own on public.analysis_reports for select to authenticated
  using ((select auth.uid()) = user_id);
create policy analysis_reports_service on public.analysis_reports to service_role using (true) with check (true);

-- Events to deliver: only the fact is kept; the message is made anew for each attempt.
create table private.outbox_events (
  id uuid primary key default gen_random_uuid(),
  kind text not null,
  subject_id uuid not null,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'dead', 'cancelled')),
  attempts integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index outbox_events_subject_idx on private.outbox_events (subject_id);
create index outbox_events_pending_idx on private.outbox_events (created_at) where state = 'pending';

create table private.deliveries (
  id bigint generated always as identity primary key,
  event_id uuid not null references private.outbox_events (id) on delete cascade,
  attempt integer not null,
  -- Null when no answer came.
  status integer,
  reply text not null,
  duration_ms integer not null,
  created_at timestamptz not null default now()
);
create index deliveries_event_idx on private.deliveries (event_id);
