-- What the site's measured figures rest on. No row refers to a person or a document, so the rows stay
-- when a file is deleted with its analyses.

create table private.running_minutes (
  minute timestamptz primary key
);
comment on table private.running_minutes is 'One row for each minute in which a process of the installation ran.';

create table private.analysis_outcomes (
  id bigint generated always as identity primary key,
  made_report boolean not null,
  seconds double precision not null,
  finished_at timestamptz not null default now()
);
comment on table private.analysis_outcomes is 'How long each analysis took, and whether it made a report.';
create index analysis_outcomes_finished_at_idx on private.analysis_outcomes (finished_at);

create function private.note_analysis_outcome() returns trigger
  language plpgsql set search_path = ''
as $$
begin
  insert into private.analysis_outcomes (made_report, seconds)
  values (
    new.state = 'completed',
    greatest(0, extract(epoch from coalesce(new.finished_at, now()) - new.created_at))
  );
  return null;
end
$$;
create trigger note_analysis_outcome after update of state on private.analyses
  for each row
  when (new.state in ('completed', 'failed') and old.state not in ('completed', 'failed'))
  execute function private.note_analysis_outcome();
comment on trigger note_analysis_outcome on private.analyses is 'Notes duration and success of an analysis that ended.';
