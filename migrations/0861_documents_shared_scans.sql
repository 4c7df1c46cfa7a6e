-- Links that also give a scan as a searchable PDF.

alter table northline_app.analysis_shares
  add column with_scan boolean not null default false,
  add constraint analysis_shares_scan check (not (with_scan and without_sensitive));
comment on column northline_app.analysis_shares.with_scan is
  'Whether the link also gives the scan, as a searchable PDF. A link without sensitive data does not.';
grant select (with_scan) on northline_app.analysis_shares to authenticated;
