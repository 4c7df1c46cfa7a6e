-- Teams: people who share files, reports and credits. Every policy here stands beside those of the tables' owners: people
-- who are in no team see and do only what those allow.

create table northline_app.teams (
  id uuid primary key default gen_random_uuid(),
  name text not null check (char_length(name) between 1 and 60),
  payer uuid references auth.users (id) on delete set null,
  created_at timestamptz not null default now()
);
comment on table northline_app.teams is 'Teams of customers.';
comment on column northline_app.teams.payer is 'Whose credits and plan the team uses; null while nobody pays.';
create index teams_payer_idx on northline_app.teams (payer);

create table northline_app.team_members (
  user_id uuid primary key references auth.users (id) on delete cascade,
  team_id uuid not null references northline_app.teams (id) on delete cascade,
  role text not null check (role in ('owner', 'member', 'billing')),
  joined_at timestamptz not null default now(),
  -- What team_files refers to.
  unique (user_id, team_id)
);
comment on table northline_app.team_members is 'Members of teams; an account is in one team at most.';
comment on column northline_app.team_members.role is
  'owner: everything, also the members; member: files and credits; billing: payments, and no file.';
create index team_members_team_id_idx on northline_app.team_members (team_id);

create table northline_app.team_files (
  file_id uuid primary key references public.user_files (id) on delete cascade,
  team_id uuid not null,
  shared_by uuid not null,
  shared_at timestamptz not null default now(),
  -- A row lives as long as the membership, also one that is written while its writer is being removed.
  foreign key (shared_by, team_id) references northline_app.team_members (user_id, team_id) on delete cascade
);
comment on table northline_app.team_files is 'Files that their owner shows to the team, with their reports.';
create index team_files_team_id_idx on northline_app.team_files (team_id);
create index team_files_shared_by_idx on northline_app.team_files (shared_by, team_id);

create table private.team_invitations (
  id uuid primary key default gen_random_uuid(),
  team_id uuid not null references northline_app.teams (id) on delete cascade,
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
  as $$ select m.team_id from northline_app.team_members m where m.user_id = auth.uid() $$;
comment on function auth.team_id() is 'The caller''s team; null for a caller without a team.';

create function auth.team_of_files() returns uuid
  language sql stable security definer set search_path = ''
  as $$ select m.team_id from northline_app.team_members m where m.user_id = auth.uid() and m.role in ('owner', 'member') $$;
comment on function auth.team_of_files() is 'The team whose files the caller may see; null for a caller without a team, and for billing.';

-- Asked once a statement, as arrays, so that both policies of a table are found by their indexes.
create function auth.files_of_team() returns uuid[]
  language sql stable security definer set search_path = ''
  as $$
  select array_agg(t.file_id) from northline_app.team_files t join public.user_files f on f.id = t.file_id
   where t.team_id = auth.team_of_files() and f.deleted_at is null
$$;
comment on function auth.files_of_team() is 'The files that the caller''s team is shown; null where there are none.';

create function auth.folders_of_team() returns text[]
  language sql stable security definer set search_path = ''
  as $$ select array_agg(distinct t.shared_by::text) from northline_app.team_files t where t.team_id = auth.team_of_files() $$;
comment on function auth.folders_of_team() is
  'The folders of people who show files to the caller''s team, so that no other object is asked about.';

create function auth.team_file(p_path text) returns boolean
  language sql stable security definer set search_path = ''
  as $$
  select exists (
    select from public.user_files f join northline_app.team_files t on t.file_id = f.id
     where f.file_path = p_path and f.deleted_at is null and t.team_id = auth.team_of_files())
$$;
comment on function auth.team_file(text) is 'Whether the stored object at a path is a file that the caller''s team is shown.';

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

-- Members who leave, or who may see no files any more, take their own files along. A team without an owner ends, as nobody
-- could let anybody in or out.
create function private.leave_team() returns trigger
  language plpgsql security definer set search_path = ''
  as $$
begin
  -- When two owners leave at the same moment, the second has to see that the first has gone.
  perform 1 from northline_app.teams where id = old.team_id for update;
  perform private.return_team_credits(old.user_id);
  delete from northline_app.team_files where team_id = old.team_id and shared_by = old.user_id;
  if tg_op = 'UPDATE' then
    return null;
  end if;
  -- Else a removed member could come back by an invitation to another own address.
  delete from private.team_invitations where team_id = old.team_id and invited_by = old.user_id;
  update northline_app.teams set payer = null where id = old.team_id and payer = old.user_id;
  delete from northline_app.teams t where t.id = old.team_id
    and not exists (select from northline_app.team_members m where m.team_id = t.id and m.role = 'owner');
  return null;
end
$$;
create trigger leave_team after delete on northline_app.team_members
  for each row execute function private.leave_team();
comment on trigger leave_team on northline_app.team_members is
  'Withdraws the files, reserved credits and invitations of a member who has left, and ends a team whose last owner has left.';
create trigger leave_files after update of role on northline_app.team_members
  for each row when (new.role = 'billing' and old.role <> 'billing') execute function private.leave_team();
comment on trigger leave_files on northline_app.team_members is
  'Withdraws the files and reserved credits of a member who may see no files of the team any more.';

create function private.leave_team_of_hidden_user() returns trigger
  language plpgsql security definer set search_path = ''
  as $$
begin
  delete from northline_app.team_members where user_id = new.id;
  return null;
end
$$;
create trigger leave_team after update of deleted_at on auth.users
  for each row when (new.deleted_at is not null and old.deleted_at is null)
  execute function private.leave_team_of_hidden_user();
comment on trigger leave_team on auth.users is 'An account of which only the number stays leaves its team.';

alter table northline_app.teams enable row level security;
alter table northline_app.team_members enable row level security;
alter table northline_app.team_files enable row level security;
alter table private.team_invitations enable row level security;

revoke all on northline_app.teams, northline_app.team_members, northline_app.team_files from public, anon, authenticated, service_role;
grant select on northline_app.teams, northline_app.team_members to authenticated;
grant select, insert (file_id, team_id, shared_by), delete on northline_app.team_files to authenticated;
grant select, insert, update, delete on northline_app.teams, northline_app.team_members, northline_app.team_files to service_role;
revoke execute on function
  private.leave_team(), private.leave_team_of_hidden_user(), private.return_team_credits(uuid)
from public;

create policy "members see their team" on northline_app.teams for select to authenticated
  using (id = (select auth.team_id()));
create policy "members see each other" on northline_app.team_members for select to authenticated
  using (team_id = (select auth.team_id()));
create policy "members see what is shared" on northline_app.team_files for select to authenticated
  using (team_id = (select auth.team_of_files()) or shared_by = (select auth.uid()));
create policy "members share their own files" on northline_app.team_files for insert to authenticated
  with check (
    shared_by = (select auth.uid()) and team_id = (select auth.team_of_files())
    and auth.owns_file(file_id));
create policy "members withdraw what they share" on northline_app.team_files for delete to authenticated
  using (shared_by = (select auth.uid()));

create policy "a second factor comes first" on northline_app.teams as restrictive to authenticated
  using ((select auth.second_factor_given())) with check ((select auth.second_factor_given()));
create policy "a second factor comes first" on northline_app.team_members as restrictive to authenticated
  using ((select auth.second_factor_given())) with check ((select auth.second_factor_given()));
create policy "a second factor comes first" on northline_app.team_files as restrictive to authenticated
  using ((select auth.second_factor_given())) with check ((select auth.second_factor_given()));

create policy "the server's key manages teams" on northline_app.teams to service_role using (true) with check (true);
create policy "the server's key manages members" on northline_app.team_members to service_role using (true) with check (true);
create policy "the server's key manages shared files" on northline_app.team_files
  to service_role using (true) with check (true);

-- Members read only: everything else that is done with a file is up to its owner.
create policy "members see the files of their team" on public.user_files for select to authenticated
  using (id = any ((select auth.files_of_team())::uuid[]));
create policy "members see the reports of their team" on northline_app.analysis_reports for select to authenticated
  using (file_id = any ((select auth.files_of_team())::uuid[]));
create policy "members see the corrections of their team" on northline_app.analysis_corrections for select to authenticated
  using (file_id = any ((select auth.files_of_team())::uuid[]));
create policy "members read the documents of their team" on storage.objects for select to authenticated
  using (
    bucket_id = 'user-uploads' and path_tokens[1] = any ((select auth.folders_of_team())::text[])
    and auth.team_file(name));

-- Also the spends of former members and deleted accounts: they explain the payer's balance.
create policy "payers see what their team spends" on public.credit_transactions for select to authenticated
  using (
    kind = 'spend' and user_id is distinct from (select auth.uid())
    and customer_row = (select c.id from public.customers c where c.user_id = (select auth.uid())));

create function northline_app.team_credits() returns integer
  language sql stable security definer set search_path = ''
  as $$
  select coalesce((
    select c.credits from northline_app.team_members m
      join northline_app.teams t on t.id = m.team_id join public.customers c on c.user_id = t.payer
     where m.user_id = auth.uid() and m.role in ('owner', 'member') and t.payer <> m.user_id
       and auth.second_factor_given()), 0)
$$;
comment on function northline_app.team_credits() is
  'Credits of the team''s payer that `use_credits` would take for the caller; 0 for a caller without a team.';
revoke execute on function northline_app.team_credits() from public, anon;
grant execute on function northline_app.team_credits() to authenticated, service_role;

-- Changes of a team are pushed to its members. Each change moves one row of the team, which every member may read; their
-- pages then ask for the rest under the rights that they have by then.

create table northline_app.team_changes (
  team_id uuid primary key references northline_app.teams (id) on delete cascade,
  changed_at timestamptz not null default now()
);
comment on table northline_app.team_changes is
  'When something of a team changed last: its people, what they show, what is paid. Realtime tells its people of it.';

create function private.tell_team() returns trigger
  language plpgsql security definer set search_path = ''
  as $$
declare
  team uuid;
  gone boolean := tg_op = 'DELETE';
begin
  if tg_table_name = 'teams' then
    team := new.id;
  elsif tg_table_name = 'users' then
    select m.team_id into team from northline_app.team_members m where m.user_id = new.id;
  elsif tg_table_name = 'customers' then
    select t.id into team from northline_app.teams t where t.payer = new.user_id;
  elsif tg_table_name = 'user_files' then
    select t.team_id into team from northline_app.team_files t where t.file_id = new.id;
  elsif gone then
    team := old.team_id;
  else
    team := new.team_id;
  end if;
  -- A hundred files that are shown at once are one change.
  if team is null or current_setting('northline.told_team', true) is not distinct from team::text then
    return null;
  end if;
  perform set_config('northline.told_team', team::text, true);
  update northline_app.team_changes set changed_at = clock_timestamp() where team_id = team;
  return null;
end
$$;
revoke execute on function private.tell_team() from public;

create function private.begin_team_changes() returns trigger
  language plpgsql security definer set search_path = ''
  as $$
begin
  insert into northline_app.team_changes (team_id) values (new.id);
  return null;
end
$$;
revoke execute on function private.begin_team_changes() from public;
create trigger begin_team_changes after insert on northline_app.teams
  for each row execute function private.begin_team_changes();
comment on trigger begin_team_changes on northline_app.teams is 'Gives a new team the row that its changes move.';

-- At the end of the transaction: the row of changes is the last one that is locked, so that no two wait for each other.
create constraint trigger tell_team after insert or update or delete on northline_app.team_members
  deferrable initially deferred for each row execute function private.tell_team();
comment on trigger tell_team on northline_app.team_members is 'Tells a team of members who come, go or get another role.';
create constraint trigger tell_team after insert or delete on northline_app.team_files
  deferrable initially deferred for each row execute function private.tell_team();
comment on trigger tell_team on northline_app.team_files is 'Tells a team of files that are shown or hidden.';
create constraint trigger tell_team after insert or update or delete on private.team_invitations
  deferrable initially deferred for each row execute function private.tell_team();
comment on trigger tell_team on private.team_invitations is 'Tells a team of invitations.';
create constraint trigger tell_team after update on northline_app.teams
  deferrable initially deferred for each row execute function private.tell_team();
comment on trigger tell_team on northline_app.teams is 'Tells a team of its name and its payer.';
create constraint trigger tell_team after update of credits on public.customers
  deferrable initially deferred for each row
  when (new.credits is distinct from old.credits and new.user_id is not null)
  execute function private.tell_team();
comment on trigger tell_team on public.customers is 'Tells a team of the credits of its payer.';
create constraint trigger tell_team after update of status, file_name, deleted_at on public.user_files
  deferrable initially deferred for each row execute function private.tell_team();
comment on trigger tell_team on public.user_files is 'Tells a team of a shown file that was analysed, renamed or removed.';
create constraint trigger tell_team after update of email, raw_user_meta_data on auth.users
  deferrable initially deferred for each row
  when (new.email is distinct from old.email
        or new.raw_user_meta_data ->> 'full_name' is distinct from old.raw_user_meta_data ->> 'full_name')
  execute function private.tell_team();
comment on trigger tell_team on auth.users is 'Tells a team of another name or address of somebody in it.';

alter table northline_app.team_changes enable row level security;
revoke all on northline_app.team_changes from public, anon, authenticated, service_role;
grant select on northline_app.team_changes to authenticated, service_role;
create policy "members see that their team changed" on northline_app.team_changes for select to authenticated
  using (team_id = (select auth.team_id()));
create policy "a second factor comes first" on northline_app.team_changes as restrictive to authenticated
  using ((select auth.second_factor_given())) with check ((select auth.second_factor_given()));
create policy "the server's key sees changes of teams" on northline_app.team_changes for select to service_role using (true);

-- New and removed members are told of their own row; the others of the row above.
select realtime.watch('northline_app.team_changes'), realtime.watch('northline_app.team_members');
comment on trigger realtime_publish on northline_app.team_changes is 'Tells the people of a team that it changed.';
comment on trigger realtime_publish on northline_app.team_members is 'Tells people of their own membership.';

-- Asked before an account is deleted, as its team may end for others.
create function private.team_that_ends(p_user uuid) returns text
  language sql stable security definer set search_path = ''
  as $$
  select t.name from northline_app.team_members m join northline_app.teams t on t.id = m.team_id
   where m.user_id = p_user and m.role = 'owner'
     and exists (select from northline_app.team_members o where o.team_id = t.id and o.user_id <> p_user)
     and not exists (select from northline_app.team_members o where o.team_id = t.id and o.user_id <> p_user and o.role = 'owner')
$$;
comment on function private.team_that_ends(uuid) is
  'The name of the team that ends for other people with an account, as that is its last owner; null for every other account.';
revoke execute on function private.team_that_ends(uuid) from public;
