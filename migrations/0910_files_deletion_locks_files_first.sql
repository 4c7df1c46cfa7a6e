-- A deletion of an account waits for work on its files before it holds the account (decision 0880).

create function private.lock_files_of_account(account uuid) returns void
  language plpgsql security definer set search_path = ''
  as $$
begin
  perform from public.user_files where user_id = account order by id for update;
end $$;
comment on function private.lock_files_of_account(uuid) is
  'Locks the files of an account in the order of their ids. Called before the account is deleted: other work locks a file first, and then refers to the account.';
revoke execute on function private.lock_files_of_account(uuid) from public;
