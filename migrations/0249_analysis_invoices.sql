-- What people note about their invoices.

create table public.analysis_invoice_marks (
  file_id uuid primary key references public.analysis_reports (file_id) on delete cascade,
  user_id uuid not null references auth.users (id) on delete cascade,
  paid_on date not null,
  marked_at timestamptz not null default now()
);
comment on table public.analysis_invoice_marks is 'Invoices that somebody marked as paid, with the day.';
create index analysis_invoice_marks_user_id_idx on public.analysis_invoice_marks (user_id);

alter table public.analysis_invoice_marks enable row level security;

grant select on public.analysis_invoice_marks to authenticated;
grant select, insert, update, delete on public.analysis_invoice_marks to service_role;

create policy analysis_invoice_marks_own on public.analysis_invoice_marks for select to authenticated
  using ((select auth.uid()) = user_id);
create policy "a second factor comes first" on public.analysis_invoice_marks as restrictive to authenticated
  using ((select auth.second_factor_given())) with check ((select auth.second_factor_given()));
create policy analysis_invoice_marks_service on public.analysis_invoice_marks to service_role
  using (true) with check (true);
