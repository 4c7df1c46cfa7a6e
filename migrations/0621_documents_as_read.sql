-- A report follows its corrections; the parts that change with them are kept as they were read.

alter table northline_app.analysis_reports add column as_read jsonb;
comment on column northline_app.analysis_reports.as_read is
  'Title, short summary, attention, items and obligations as the analyser wrote them; null while nothing is corrected.';
