-- Backups that were made or failed: the operator has to know the last good one.

create table private.backups (
  id uuid primary key default gen_random_uuid(),
  started_at timestamptz not null,
  finished_at timestamptz not null default now(),
  -- Where it is, or was to be.
  folder text not null,
  row_count bigint,
  file_count bigint,
  -- Files whose bytes the installation itself had lost.
  lost_files bigint,
  -- Why it failed; null: it is good.
  error text,
  check ((error is null) = (row_count is not null and file_count is not null and lost_files is not null))
);
comment on table private.backups is 'Backups that were made, and attempts that failed.';
create index backups_finished_at_idx on private.backups (finished_at desc);
