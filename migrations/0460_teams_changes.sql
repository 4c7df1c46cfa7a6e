-- What changes in a team is pushed to its people. Each change moves one row of the team, which whoever is in it may read;
-- what has changed they ask for themselves, under the rights that they have by then.

create table public.team_changes (
  team_id uuid primary key references public.teams (id) on delete cascade,
  changed_at timestamptz not null default now()
);
comment on table public.team_changes is
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
    select m.team_id into team from public.team_members m where m.user_id = new.id;
  elsif tg_table_name = 'customers' then
    select t.id into team from public.teams t where t.payer = new.user_id;
  elsif tg_table_name = 'user_files' then
    select t.team_id into team from public.team_files t where t.file_id = new.id;
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
  update public.team_changes set changed_at = clock_timestamp() where team_id = team;
  return null;
end
$$;
revoke execute on function private.tell_team() from public;

create function private.begin_team_changes() returns trigger
  language plpgsql security definer set search_path = ''
  as $$
begin
  insert into public.team_changes (team_id) values (new.id);
  return null;
end
$$;
revoke execute on function private.begin_team_changes() from public;
create trigger begin_team_changes after insert on public.teams
  for each row execute function private.begin_team_changes();
comment on trigger begin_team_changes on public.teams is 'Gives a new team the row that its changes move.';

-- At the end of the transaction: the row of changes is the last one that is locked, so that no two wait for each other.
create constraint trigger tell_team after insert or update or delete on public.team_members
  deferrable initially deferred for each row execute function private.tell_team();
comment on trigger tell_team on public.team_members is 'Tells a team of who comes, goes or gets another role.';
create constraint trigger tell_team after insert or delete on public.team_files
  deferrable initially deferred for each row execute function private.tell_team();
comment on trigger tell_team on public.team_files is 'Tells a team of files that are shown or hidden.';
create constraint trigger tell_team after insert or update or delete on private.team_invitations
  deferrable initially deferred for each row execute function private.tell_team();
comment on trigger tell_team on private.team_invitations is 'Tells a team of invitations.';
create constraint trigger tell_team after update on public.teams
  deferrable initially deferred for each row execute function private.tell_team();
comment on trigger tell_team on public.teams is 'Tells a team of its name and of who pays.';
create constraint trigger tell_team after update of credits on public.customers
  deferrable initially deferred for each row
  when (new.credits is distinct from old.credits and new.user_id is not null)
  execute function private.tell_team();
comment on trigger tell_team on public.customers is 'Tells a team of the credits of who pays for it.';
create constraint trigger tell_team after update of status, file_name, deleted_at on public.user_files
  deferrable initially deferred for each row execute function private.tell_team();
comment on trigger tell_team on public.user_files is 'Tells a team of a shown file that was analysed, renamed or removed.';
create constraint trigger tell_team after update of email, raw_user_meta_data on auth.users
  deferrable initially deferred for each row
  when (new.email is distinct from old.email
        or new.raw_user_meta_data ->> 'full_name' is distinct from old.raw_user_meta_data ->> 'full_name')
  execute function private.tell_team();
comment on trigger tell_team on auth.users is 'Tells a team of another name or address of somebody in it.';

insert into public.team_changes (team_id) select id from public.teams;

alter table public.team_changes enable row level security;
revoke all on public.team_changes from public, anon, authenticated, service_role;
grant select on public.team_changes to authenticated, service_role;
create policy "members see that their team changed" on public.team_changes for select to authenticated
  using (team_id = (select auth.team_id()));
create policy "a second factor comes first" on public.team_changes as restrictive to authenticated
  using ((select auth.second_factor_given())) with check ((select auth.second_factor_given()));
create policy "the server's key sees changes of teams" on public.team_changes for select to service_role using (true);

-- Who comes and who is removed hears of the own row; the others of the row above.
select realtime.watch('public.team_changes'), realtime.watch('public.team_members');
comment on trigger realtime_publish on public.team_changes is 'Tells the people of a team that it changed.';
comment on trigger realtime_publish on public.team_members is 'Tells people of their own membership.';
