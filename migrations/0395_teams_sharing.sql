-- Teams: people who share files, reports and credits. Every policy here stands beside the ones that were there: who is in
-- no team sees and does exactly what they did before.

create table public.teams (
  id uuid primary key default gen_random_uuid(),
  name text not null check (char_length(name) between 1 and 60),
  payer uuid references auth.users (id) on delete set null,
  created_at timestamptz not null default now()
);
comment on table public.teams is 'Teams of customers.';
comment on column public.teams.payer is 'Whose credits and plan the team uses; null while nobody pays.';
create index teams_payer_idx on public.teams (payer);

create table public.team_members (
  user_id uuid primary key references auth.users (id) on delete cascade,
  team_id uuid not null references public.teams (id) on delete cascade,
  role text not null check (role in ('owner', 'member', 'billing')),
  joined_at timestamptz not null default now(),
  -- What team_files refers to.
  unique (user_id, team_id)
);
comment on table public.team_members is 'Who is in a team, each in one at most.';
comment on column public.team_members.role is
  'owner: everything, and who is in it; member: its files and credits; billing: what is paid, and no file.';
create index team_members_team_id_idx on public.team_members (team_id);

create table public.team_files (
  file_id uuid primary key references public.user_files (id) on delete cascade,
  team_id uuid not null,
  shared_by uuid not null,
  shared_at timestamptz not null default now(),
  -- A row lives as long as the membership, also one that is written while its writer is being removed.
  foreign key (shared_by, team_id) references public.team_members (user_id, team_id) on delete cascade
);
comment on table public.team_files is 'Files that their owner shows to the team, with their reports.';
create index team_files_team_id_idx on public.team_files (team_id);
create index team_files_shared_by_idx on public.team_files (shared_by, team_id);

create table private.team_invitations (
  id uuid primary key default gen_random_uuid(),
  team_id uuid not null references public.teams (id) on delete cascade,
  email text not null,
  role text not null check (role in ('owner', 'member', 'billing')),
  token_hash text not null unique,
  invited_by uuid not null references auth.users (id) on delete cascade,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  unique (team_id, email)
);
comment on table private.team_invitations is 'Invitations that wait for an answer, by the hash of their mailed secret.';
create index team_invitations_expires_at_idx on private.team_invitations (expires_at);
create index team_invitations_invited_by_idx on private.team_invitations (invited_by);

-- Read by policies of the very table, which would ask themselves without end.
create function auth.team_id() returns uuid
  language sql stable security definer set search_path = ''
  as $$ select m.team_id from public.team_members m where m.user_id = auth.uid() $$;
comment on function auth.team_id() is 'The caller''s team; null for who is in none.';

create function auth.team_of_files() returns uuid
  language sql stable security definer set search_path = ''
  as $$ select m.team_id from public.team_members m where m.user_id = auth.uid() and m.role in ('owner', 'member') $$;
comment on function auth.team_of_files() is 'The team whose files the caller may see; null for who is in none, and for billing.';

-- Asked once a statement, as arrays, so that both policies of a table are found by their indexes.
create function auth.files_of_team() returns uuid[]
  language sql stable security definer set search_path = ''
  as $$
  select array_agg(t.file_id) from public.team_files t join public.user_files f on f.id = t.file_id
   where t.team_id = auth.team_of_files() and f.deleted_at is null
$$;
comment on function auth.files_of_team() is 'The files that the caller''s team is shown; null where there are none.';

create function auth.folders_of_team() returns text[]
  language sql stable security definer set search_path = ''
  as $$ select array_agg(distinct t.shared_by::text) from public.team_files t where t.team_id = auth.team_of_files() $$;
comment on function auth.folders_of_team() is
  'The folders of who shows files to the caller''s team, so that no other object is asked about.';

create function auth.team_file(p_path text) returns boolean
  language sql stable security definer set search_path = ''
  as $$
  select exists (
    select from public.user_files f join public.team_files t on t.file_id = f.id
     where f.file_path = p_path and f.deleted_at is null and t.team_id = auth.team_of_files())
$$;
comment on function auth.team_file(text) is 'Whether the stored object at a path is a file that the caller''s team is shown.';

create function auth.owns_file(p_file uuid) returns boolean
  language sql stable security definer set search_path = ''
  as $$ select exists (select from public.user_files f where f.id = p_file and f.user_id = auth.uid() and f.deleted_at is null) $$;
comment on function auth.owns_file(uuid) is 'Whether a file is the caller''s own.';

create function private.return_team_credits(p_user_id uuid) returns void
  language plpgsql security definer set search_path = ''
  as $$
declare
  spend uuid;
begin
  for spend in
    select t.id from public.credit_transactions t join public.customers c on c.id = t.customer_row
     where t.user_id = p_user_id and t.state = 'reserved' and c.user_id is distinct from p_user_id
  loop
    perform private.return_credit(spend);
  end loop;
end
$$;
comment on function private.return_team_credits(uuid) is
  'Gives the credits back that somebody has reserved of another''s and not used yet.';

-- Who leaves, or sees no files any more, takes the own ones along. A team without an owner ends, as nobody could let
-- anybody in or out.
create function private.leave_team() returns trigger
  language plpgsql security definer set search_path = ''
  as $$
begin
  -- Of two owners who go at the same moment the second has to see that the first has gone.
  perform 1 from public.teams where id = old.team_id for update;
  perform private.return_team_credits(old.user_id);
  delete from public.team_files where team_id = old.team_id and shared_by = old.user_id;
  if tg_op = 'UPDATE' then
    return null;
  end if;
  -- Else who is removed comes back by an invitation to an address of their own.
  delete from private.team_invitations where team_id = old.team_id and invited_by = old.user_id;
  update public.teams set payer = null where id = old.team_id and payer = old.user_id;
  delete from public.teams t where t.id = old.team_id
    and not exists (select from public.team_members m where m.team_id = t.id and m.role = 'owner');
  return null;
end
$$;
create trigger leave_team after delete on public.team_members
  for each row execute function private.leave_team();
comment on trigger leave_team on public.team_members is
  'Withdraws the files, reserved credits and invitations of who has left, and ends a team whose last owner has.';
create trigger leave_files after update of role on public.team_members
  for each row when (new.role = 'billing' and old.role <> 'billing') execute function private.leave_team();
comment on trigger leave_files on public.team_members is
  'Withdraws the files and reserved credits of who sees no files of the team any more.';

create function private.leave_team_of_hidden_user() returns trigger
  language plpgsql security definer set search_path = ''
  as $$
begin
  delete from public.team_members where user_id = new.id;
  return null;
end
$$;
create trigger leave_team after update of deleted_at on auth.users
  for each row when (new.deleted_at is not null and old.deleted_at is null)
  execute function private.leave_team_of_hidden_user();
comment on trigger leave_team on auth.users is 'An account of which only the number stays leaves its team.';

alter table public.teams enable row level security;
alter table public.team_members enable row level security;
alter table public.team_files enable row level security;
alter table private.team_invitations enable row level security;

revoke all on public.teams, public.team_members, public.team_files from public, anon, authenticated, service_role;
grant select on public.teams, public.team_members to authenticated;
grant select, insert (file_id, team_id, shared_by), delete on public.team_files to authenticated;
grant select, insert, update, delete on public.teams, public.team_members, public.team_files to service_role;
revoke execute on function
  private.leave_team(), private.leave_team_of_hidden_user(), private.return_team_credits(uuid)
from public;

create policy "members see their team" on public.teams for select to authenticated
  using (id = (select auth.team_id()));
create policy "members see each other" on public.team_members for select to authenticated
  using (team_id = (select auth.team_id()));
create policy "members see what is shared" on public.team_files for select to authenticated
  using (team_id = (select auth.team_of_files()) or shared_by = (select auth.uid()));
create policy "members share their own files" on public.team_files for insert to authenticated
  with check (
    shared_by = (select auth.uid()) and team_id = (select auth.team_of_files())
    and auth.owns_file(file_id));
create policy "members withdraw what they share" on public.team_files for delete to authenticated
  using (shared_by = (select auth.uid()));

create policy "a second factor comes first" on public.teams as restrictive to authenticated
  using ((select auth.second_factor_given())) with check ((select auth.second_factor_given()));
create policy "a second factor comes first" on public.team_members as restrictive to authenticated
  using ((select auth.second_factor_given())) with check ((select auth.second_factor_given()));
create policy "a second factor comes first" on public.team_files as restrictive to authenticated
  using ((select auth.second_factor_given())) with check ((select auth.second_factor_given()));

create policy "the server's key manages teams" on public.teams to service_role using (true) with check (true);
create policy "the server's key manages members" on public.team_members to service_role using (true) with check (true);
create policy "the server's key manages shared files" on public.team_files
  to service_role using (true) with check (true);

-- Reading, and nothing else: what is done with a file stays its owner's.
create policy "members see the files of their team" on public.user_files for select to authenticated
  using (id = any ((select auth.files_of_team())::uuid[]));
create policy "members see the reports of their team" on public.analysis_reports for select to authenticated
  using (file_id = any ((select auth.files_of_team())::uuid[]));
create policy "members see the corrections of their team" on public.analysis_corrections for select to authenticated
  using (file_id = any ((select auth.files_of_team())::uuid[]));
create policy "members read the documents of their team" on storage.objects for select to authenticated
  using (
    bucket_id = 'user-uploads' and path_tokens[1] = any ((select auth.folders_of_team())::text[])
    and auth.team_file(name));
-- Also of who has left, and of accounts that are gone: the payer's balance is explained by them.
create policy "payers see what their team spends" on public.credit_transactions for select to authenticated
  using (
    kind = 'spend' and user_id is distinct from (select auth.uid())
    and customer_row = (select c.id from public.customers c where c.user_id = (select auth.uid())));

-- One's own credits first; then, for owners and members, those of who pays for the team.
create or replace function public.use_credits(p_user_id uuid, p_amount integer, p_description text) returns boolean
  language plpgsql security definer set search_path = ''
  as $$
declare
  customer uuid;
  spend uuid;
begin
  if auth.role() is distinct from 'service_role' and p_user_id is distinct from auth.uid() then
    raise exception 'You can only use your own credits' using errcode = '42501';
  end if;
  if not auth.second_factor_given() then
    raise exception 'Please confirm your second factor first' using errcode = '42501';
  end if;
  if p_amount is null or p_amount < 1 then
    raise exception 'The amount must be at least 1' using errcode = '22023';
  end if;
  update public.customers set credits = credits - p_amount, updated_at = now()
   where user_id = p_user_id and credits >= p_amount
  returning id into customer;
  if not found then
    -- Who is removed at this moment is waited for, and then takes nothing.
    perform 1 from public.teams t join public.team_members m on m.team_id = t.id
     where m.user_id = p_user_id for share of t;
    update public.customers set credits = credits - p_amount, updated_at = now()
     where credits >= p_amount and user_id = (
       select t.payer from public.team_members m join public.teams t on t.id = m.team_id
        where m.user_id = p_user_id and m.role in ('owner', 'member') and t.payer <> p_user_id)
    returning id into customer;
  end if;
  if customer is null then
    return false;
  end if;
  insert into public.credit_transactions (user_id, customer_row, amount, kind, description, state, expires_at)
  values (p_user_id, customer, -p_amount, 'spend', left(p_description, 200), 'reserved', now() + interval '10 minutes')
  returning id into spend;
  perform private.allocate_credits(spend, customer, p_amount);
  return true;
end
$$;

create function public.team_credits() returns integer
  language sql stable security definer set search_path = ''
  as $$
  select coalesce((
    select c.credits from public.team_members m
      join public.teams t on t.id = m.team_id join public.customers c on c.user_id = t.payer
     where m.user_id = auth.uid() and m.role in ('owner', 'member') and t.payer <> m.user_id
       and auth.second_factor_given()), 0)
$$;
comment on function public.team_credits() is
  'Credits of another that `use_credits` would take for the caller; 0 for who is in no team.';
revoke execute on function public.team_credits() from public, anon;
grant execute on function public.team_credits() to authenticated, service_role;

insert into private.personal_data (table_name, holds, purpose, found_by, hidden, on_erasure, kept) values
  ('public.teams', 'Teams: name, who pays', 'The service', 't.payer = $1 or t.id = (select m.team_id from public.team_members m where m.user_id = $1)', '{}', 'account', 'Until the last owner leaves'),
  ('public.team_members', 'Who is in which team, in which role', 'The service', 't.user_id = $1', '{}', 'account', 'Until they leave'),
  ('public.team_files', 'Files that were shown to a team', 'The service', 't.shared_by = $1', '{}', 'account', 'Until they are withdrawn'),
  ('private.team_invitations', 'Addresses that were invited to a team', 'Inviting them', 'lower(t.email) = $2', '{token_hash}', 'deleted', 'Seven days, or until they are answered');
