-- A picture for each account (decision 0510): one object, `{user id}/picture`, in a bucket of its own.

insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
values ('account-pictures', 'account-pictures', false, 262144, array['image/jpeg', 'image/png', 'image/webp']);

-- Asked once a statement, so that no other object is looked at. Read by a policy, so it asks the tables itself.
create function auth.folders_of_members() returns text[]
  language sql stable security definer set search_path = ''
  as $$ select array_agg(m.user_id::text) from northline_app.team_members m where m.team_id = auth.team_id() $$;
comment on function auth.folders_of_members() is
  'The folders of the people in the caller''s team, the caller included; null for a caller without a team.';

create policy "people see their own picture" on storage.objects for select to authenticated
  using (bucket_id = 'account-pictures' and path_tokens[1] = (select auth.uid())::text);
create policy "members see each other's pictures" on storage.objects for select to authenticated
  using (bucket_id = 'account-pictures' and path_tokens[1] = any ((select auth.folders_of_members())::text[]));
create policy "operators see pictures" on storage.objects for select to authenticated
  using (bucket_id = 'account-pictures' and (select auth.is_operator()));
create policy "people store their own picture" on storage.objects for insert to authenticated
  with check (
    bucket_id = 'account-pictures' and name = (select auth.uid())::text || '/picture'
    and owner_id = (select auth.uid())::text
  );

-- Storing another one takes the place of the first; the same name and bucket are asked for before and after.
create policy "people replace their own picture" on storage.objects for update to authenticated
  using (
    bucket_id = 'account-pictures' and name = (select auth.uid())::text || '/picture'
    and owner_id = (select auth.uid())::text
  )
  with check (
    bucket_id = 'account-pictures' and name = (select auth.uid())::text || '/picture'
    and owner_id = (select auth.uid())::text
  );
create policy "people remove their own picture" on storage.objects for delete to authenticated
  using (bucket_id = 'account-pictures' and path_tokens[1] = (select auth.uid())::text);

create function private.delete_picture_of_hidden_user() returns trigger
  language plpgsql security definer set search_path = ''
  as $$
begin
  delete from storage.objects where bucket_id = 'account-pictures' and owner = new.id;
  return null;
end
$$;
create trigger delete_picture after update of deleted_at on auth.users
  for each row when (new.deleted_at is not null and old.deleted_at is null)
  execute function private.delete_picture_of_hidden_user();
comment on trigger delete_picture on auth.users is 'An account of which only the number stays has no picture.';
revoke execute on function private.delete_picture_of_hidden_user() from public;
