-- Analyses of documents and their reports.

create table private.analyses (
  id uuid primary key default gen_random_uuid(),
  file_id uuid not null references public.user_files (id) on delete cascade,
  user_id uuid not null,
  state text not null default 'queued'
    check (state in ('queued', 'sent', 'merging', 'fallback', 'completed', 'failed')),
  target text not null check (target in ('embedded', 'external')),
  deadline_at timestamptz not null,
  context jsonb not null default '{}',
  answer jsonb,
  answer_hash text,
  error_code text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  finished_at timestamptz
);
comment on table private.analyses is 'Analyses of documents, at most one active for a file.';
comment on column private.analyses.state is
  'queued: to be sent; sent: the analyser has it; merging: an automation answered, and its answer is merged with our own reading; fallback: it did not answer in time, so we read it ourselves.';
comment on column private.analyses.context is 'Where the request came from, as the request to the analyser names it.';
comment on column private.analyses.answer is 'The answer of an automation, until it is merged.';
comment on column private.analyses.answer_hash is
  'SHA-256 of the call-back body that closed it: the same body again is answered as before.';

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
comment on table public.analysis_reports is 'The report of a document.';
create index analysis_reports_user_id_idx on public.analysis_reports (user_id);

alter table public.analysis_reports enable row level security;

grant select on public.analysis_reports to authenticated;
grant select, insert, update, delete on public.analysis_reports to service_role;

create policy analysis_reports_own on public.analysis_reports for select to authenticated
  using ((select auth.uid()) = user_id);
create policy analysis_reports_service on public.analysis_reports to service_role using (true) with check (true);

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
comment on trigger announce_start on private.analyses is 'Writes the event document.analysis.requested.';
create trigger announce_end after update of state on private.analyses
  for each row when (old.state is distinct from new.state and new.state in ('completed', 'failed'))
  execute function private.announce_analysis();
comment on trigger announce_end on private.analyses is
  'Writes the event document.analysis.completed or document.analysis.failed.';
