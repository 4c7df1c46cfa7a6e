-- Tags are words of a file's owner: they have a table of their own, so that who is shown the file does not read them.

create table public.file_tags (
  file_id uuid primary key references public.user_files (id) on delete cascade,
  user_id uuid not null references auth.users (id) on delete cascade,
  tags text[] not null
);
comment on table public.file_tags is 'Words that customers file their documents under.';
comment on column public.file_tags.user_id is 'The owner of the file.';
comment on column public.file_tags.tags is 'At most twenty of forty characters, none twice in whatever case.';
create index file_tags_user_id_idx on public.file_tags (user_id);

insert into public.file_tags (file_id, user_id, tags) select id, user_id, tags from public.user_files where tags <> '{}';

drop trigger check_tags on public.user_files;
create trigger check_tags before insert or update of tags on public.file_tags
  for each row when (new.tags <> '{}') execute function private.check_tags();
comment on trigger check_tags on public.file_tags is
  'Refuses tags that are empty, too long, too many or there twice, each with a sentence.';

create or replace function private.keep_analyzed_true_to_status() returns trigger
  language plpgsql set search_path = ''
  as $$
begin
  new.analyzed := new.status = 'analyzed';
  new.updated_at := now();
  return new;
end
$$;
alter table public.user_files drop column tags;

create or replace function public.tag_files(p_ids uuid[], p_tag text, p_wanted boolean) returns integer
  language plpgsql set search_path = ''
  as $$
declare
  word text := btrim(p_tag);
  changed integer;
begin
  if p_wanted then
    -- A team's files are seen as well, and are not the caller's to tag.
    insert into public.file_tags as known (file_id, user_id, tags)
    select file.id, file.user_id, array[word] from public.user_files file
     where file.id = any (p_ids) and (file.user_id = auth.uid() or auth.role() = 'service_role')
    on conflict (file_id) do update set tags = known.tags || word
     where not exists (select from unnest(known.tags) as tag where lower(tag) = lower(word));
  else
    update public.file_tags known
       set tags = array(select tag from unnest(known.tags) as tag where lower(tag) <> lower(word))
     where known.file_id = any (p_ids)
       and exists (select from unnest(known.tags) as tag where lower(tag) = lower(word));
  end if;
  get diagnostics changed = row_count;
  return changed;
end
$$;

alter table public.file_tags enable row level security;
revoke all on public.file_tags from public, anon, authenticated, service_role;
grant select, insert, update (tags) on public.file_tags to authenticated;
grant select, insert, update, delete on public.file_tags to service_role;
create policy "users see the tags of their files" on public.file_tags for select to authenticated
  using ((select auth.uid()) = user_id);
create policy "users tag their own files" on public.file_tags for insert to authenticated
  with check ((select auth.uid()) = user_id and auth.owns_file(file_id));
create policy "users change the tags of their files" on public.file_tags for update to authenticated
  using ((select auth.uid()) = user_id) with check ((select auth.uid()) = user_id);
create policy "a second factor comes first" on public.file_tags as restrictive to authenticated
  using ((select auth.second_factor_given())) with check ((select auth.second_factor_given()));
create policy "the server's key manages tags" on public.file_tags to service_role using (true) with check (true);

select realtime.watch('public.file_tags');
comment on trigger realtime_publish on public.file_tags is 'Tells the owner of other tags.';

update private.personal_data set holds = 'Uploaded documents: name, size, kind' where table_name = 'public.user_files';
insert into private.personal_data (table_name, holds, purpose, found_by, hidden, on_erasure, kept) values
  ('public.file_tags', 'Words that documents are filed under', 'Finding them', 't.user_id = $1', '{}', 'account', 'Until the document is deleted');

-- Asked before an account goes: what becomes of others with it.
create function private.team_that_ends(p_user uuid) returns text
  language sql stable security definer set search_path = ''
  as $$
  select t.name from public.team_members m join public.teams t on t.id = m.team_id
   where m.user_id = p_user and m.role = 'owner'
     and exists (select from public.team_members o where o.team_id = t.id and o.user_id <> p_user)
     and not exists (select from public.team_members o where o.team_id = t.id and o.user_id <> p_user and o.role = 'owner')
$$;
comment on function private.team_that_ends(uuid) is
  'The name of the team that ends for other people with an account, as that is its last owner; null for every other account.';
revoke execute on function private.team_that_ends(uuid) from public;
