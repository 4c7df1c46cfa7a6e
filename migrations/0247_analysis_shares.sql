-- Links that show a report to somebody without an account.

create table public.analysis_shares (
  id uuid primary key default gen_random_uuid(),
  file_id uuid not null references public.analysis_reports (file_id) on delete cascade,
  user_id uuid not null references auth.users (id) on delete cascade,
  token_hash text not null unique,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  opened integer not null default 0,
  opened_at timestamptz
);
comment on table public.analysis_shares is
  'Links that show a report to whoever has them, until they expire or are withdrawn.';
comment on column public.analysis_shares.token_hash is 'SHA-256 of the secret part of the link, which is stored nowhere.';
comment on column public.analysis_shares.opened is 'How often it was opened.';
create index analysis_shares_user_id_idx on public.analysis_shares (user_id);
create index analysis_shares_file_id_idx on public.analysis_shares (file_id);

alter table public.analysis_shares enable row level security;

grant select (id, file_id, user_id, created_at, expires_at, opened, opened_at) on public.analysis_shares to authenticated;
grant select, insert, update, delete on public.analysis_shares to service_role;

create policy analysis_shares_own on public.analysis_shares for select to authenticated
  using ((select auth.uid()) = user_id);
create policy "a second factor comes first" on public.analysis_shares as restrictive to authenticated
  using ((select auth.second_factor_given())) with check ((select auth.second_factor_given()));
create policy analysis_shares_service on public.analysis_shares to service_role using (true) with check (true);
