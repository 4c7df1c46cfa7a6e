-- Restores into a scratch folder that were checked: the operator has to know the last good one.

create table private.backup_verifications (
  id uuid primary key default gen_random_uuid(),
  started_at timestamptz not null,
  finished_at timestamptz not null default now(),
  -- A daily backup, or the latest second of the archive of the write-ahead log.
  kind text not null check (kind in ('backup', 'second')),
  -- Its folder or place, or the second.
  verified text not null,
  file_count bigint,
  -- What is wrong with it; empty: it is good.
  faults text[] not null default '{}',
  -- Why it could not be verified; null: it was.
  error text,
  check ((error is null) = (file_count is not null))
);
comment on table private.backup_verifications is
  'Backups that were restored into a scratch folder and checked there, each night.';
create index backup_verifications_finished_at_idx on private.backup_verifications (kind, finished_at desc);
alter table private.backup_verifications enable row level security;
