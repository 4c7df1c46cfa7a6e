-- A user keeps at most so many resumable uploads unfinished, of whatever length (security.md, attack 26). The lock is
-- the quota's, so that parallel creations count each other.
create function private.limit_unfinished_uploads() returns trigger
  language plpgsql security definer set search_path = ''
  as $$
declare
  owner uuid := (select user_id from private.uploads where id = new.id);
begin
  if owner is null then
    return new;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('storage quota ' || owner::text, 0));
  if (select count(*) from private.resumable_uploads join private.uploads using (id)
       where user_id = owner and expires_at > now()) >= 20 then
    raise exception 'too many unfinished uploads' using errcode = 'NL002';
  end if;
  return new;
end
$$;
revoke execute on function private.limit_unfinished_uploads() from public;
create trigger limit_unfinished before insert on private.resumable_uploads
  for each row execute function private.limit_unfinished_uploads();
