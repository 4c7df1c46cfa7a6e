-- An invitation to an address stays that of its account when the account takes another address.

create function private.keep_invitations_of_account() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  update private.team_invitations i set email = pg_catalog.lower(new.email)
   where i.email = pg_catalog.lower(old.email)
     and not exists (select from private.team_invitations o
                      where o.team_id = i.team_id and o.email = pg_catalog.lower(new.email));
  return null;
end
$$;
-- Only from an address that was proven: anybody may sign up with somebody else's.
create trigger keep_invitations_of_account after update of email on auth.users
  for each row when (old.email_proven_at is not null and new.email is not null and new.email is distinct from old.email)
  execute function private.keep_invitations_of_account();
comment on trigger keep_invitations_of_account on auth.users is
  'Invitations to the proven address of an account go on to its new one.';
revoke execute on function private.keep_invitations_of_account() from public;
