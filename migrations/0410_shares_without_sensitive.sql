-- A link may leave out what was found sensitive in its document.
alter table public.analysis_shares add column without_sensitive boolean not null default false;
comment on column public.analysis_shares.without_sensitive is
  'The link shows the report and its text with what was found sensitive blotted out.';
grant select (without_sensitive) on public.analysis_shares to authenticated;
