-- Pages of scans are kept while their document is being read, and an analysis knows when its reader started.

create table private.read_pages (
  file_id uuid not null references public.user_files (id) on delete cascade,
  page integer not null check (page between 1 and 500),
  outcome text not null check (length(outcome) <= 2000000),
  read_at timestamptz not null default now(),
  primary key (file_id, page)
);
comment on table private.read_pages is
  'Pages that the reader has read from their pictures, until the document has its report: another reading goes on after them.';
comment on column private.read_pages.outcome is 'JSON that only the reader understands.';
create index read_pages_read_at_idx on private.read_pages (read_at);
alter table private.read_pages enable row level security;

alter table private.analyses
  add column reading_since timestamptz,
  add column pages_done integer,
  add column pages_of integer;
comment on column private.analyses.reading_since is
  'When the reader last started; null while the document waits for its first turn.';
comment on column private.analyses.pages_done is 'Pages that were read from their pictures so far, of pages_of.';
