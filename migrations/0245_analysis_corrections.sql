-- What people put right in their reports.

create table public.analysis_corrections (
  file_id uuid not null references public.analysis_reports (file_id) on delete cascade,
  key text not null check (length(key) between 1 and 100),
  original text not null check (length(original) <= 2000),
  value text not null check (length(value) between 1 and 2000),
  normalized text check (length(normalized) <= 200),
  user_id uuid not null references auth.users (id) on delete cascade,
  corrected_by uuid references auth.users (id) on delete set null,
  corrected_at timestamptz not null default now(),
  primary key (file_id, key, original)
);
comment on table public.analysis_corrections is
  'Values of reports that a person corrected; the report itself keeps what was read.';
comment on column public.analysis_corrections.key is 'Of the field, as in the report.';
comment on column public.analysis_corrections.original is 'The value that was read: a field is found by its key and this.';
comment on column public.analysis_corrections.normalized is
  'ISO date, decimal amount or compact IBAN of the value, where its type has one.';
comment on column public.analysis_corrections.user_id is 'Whose document it is.';
create index analysis_corrections_user_id_idx on public.analysis_corrections (user_id);
create index analysis_corrections_corrected_by_idx on public.analysis_corrections (corrected_by);

alter table public.analysis_corrections enable row level security;

grant select on public.analysis_corrections to authenticated;
grant select, insert, update, delete on public.analysis_corrections to service_role;

create policy analysis_corrections_own on public.analysis_corrections for select to authenticated
  using ((select auth.uid()) = user_id);
create policy analysis_corrections_service on public.analysis_corrections to service_role
  using (true) with check (true);
create policy "a second factor comes first" on public.analysis_corrections as restrictive to authenticated
  using ((select auth.second_factor_given())) with check ((select auth.second_factor_given()));
