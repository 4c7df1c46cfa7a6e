-- Customers' files, and the rules that tie each to a stored object and to a credit.
-- 
-- A credit on its way: use_credits makes a row `reserved`; an upload turns it `claimed` while bytes
-- flow, the stored object `stored`, the record in user_files `settled`. A step that fails or never
-- comes gives it back (`returned`) or is made up for, so there is never a file without its credit
-- nor a credit without its file.

create table public.user_files (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  file_path text not null unique,
  file_name text not null check (char_length(file_name) between 1 and 255),
  file_type text not null default 'document',
  file_size bigint not null,
  mime_type text not null,
  analyzed boolean not null default false,
  analyzed_url text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  order_id text,
  status text not null default 'uploaded'
    check (status in ('uploaded', 'queued', 'analyzing', 'analyzed', 'failed', 'needs_password')),
  progress smallint check (progress between 0 and 100),
  status_reason text,
  waits_until timestamptz,
  report_line text,
  unreadable boolean not null default false,
  check (split_part(file_path, '/', 1) = user_id::text)
);
comment on table public.user_files is 'Customers'' documents, each the record of one stored object.';
comment on column public.user_files.file_size is 'Bytes and type are taken from the stored object.';
comment on column public.user_files.progress is '0 to 100; null when nothing is under way.';
comment on column public.user_files.waits_until is
  'Not read before, as the owner''s documents ended the reader repeatedly; null when nothing holds it up.';
comment on column public.user_files.report_line is
  'What its report comes to, in a line for lists; null without a report, and where nothing of it fits a line.';
comment on column public.user_files.unreadable is
  'The last analysis failed by the file itself, and another one would end the same way: no page offers it.';
create index user_files_user_id_idx on public.user_files (user_id, created_at desc);
create index user_files_counted_idx on public.user_files (user_id) where deleted_at is null;

create function private.claim_credit() returns trigger
  language plpgsql security definer set search_path = ''
  as $$
begin
  update public.credit_transactions set state = 'claimed', object_id = new.id, expires_at = null, updated_at = now()
   where id = (
     select id from public.credit_transactions
      where user_id = new.user_id and state = 'reserved' and expires_at > now()
      order by created_at limit 1 for update skip locked
   );
  if not found then
    raise exception 'no reserved credit' using errcode = 'NL001';
  end if;
  return null;
end
$$;
create trigger claim_credit after insert on private.uploads
  for each row when (new.bucket_id = 'user-uploads' and new.user_id is not null)
  execute function private.claim_credit();
comment on trigger claim_credit on private.uploads is
  'Takes one reserved credit of the user for an upload into user-uploads; refuses the upload (NL001) without one.';

create function private.release_claimed_credit() returns trigger
  language plpgsql security definer set search_path = ''
  as $$
begin
  perform private.return_credit(id) from public.credit_transactions
    where object_id = old.id and state = 'claimed';
  return null;
end
$$;
create trigger release_claimed_credit after delete on private.uploads
  for each row execute function private.release_claimed_credit();
comment on trigger release_claimed_credit on private.uploads is
  'Returns the credit of an upload that ends without an object.';

create function private.store_with_credit() returns trigger
  language plpgsql security definer set search_path = ''
  as $$
begin
  update public.credit_transactions
     set state = 'stored', expires_at = now() + interval '15 minutes', updated_at = now()
   where object_id = new.id and user_id = new.owner and state = 'claimed';
  if not found then
    raise exception 'no claimed credit' using errcode = 'NL001';
  end if;
  return null;
end
$$;
create trigger store_with_credit after insert on storage.objects
  for each row when (new.bucket_id = 'user-uploads' and new.owner is not null and new.version is not null)
  execute function private.store_with_credit();
comment on trigger store_with_credit on storage.objects is
  'Turns the credit that the upload claimed into a stored one; refuses (NL001) an object of a user in user-uploads without it.';

create function private.release_stored_credit() returns trigger
  language plpgsql security definer set search_path = ''
  as $$
begin
  perform private.return_credit(id) from public.credit_transactions
    where object_id = old.id and state = 'stored';
  return null;
end
$$;
create trigger release_stored_credit after delete on storage.objects
  for each row when (old.bucket_id = 'user-uploads')
  execute function private.release_stored_credit();
comment on trigger release_stored_credit on storage.objects is
  'Returns the credit of an object that goes before it has a record.';

create function private.record_file() returns trigger
  language plpgsql security definer set search_path = ''
  as $$
declare
  stored record;
begin
  new.file_path := normalize(new.file_path, nfc);
  new.status := 'uploaded';
  new.analyzed := false;
  new.analyzed_url := null;
  new.progress := null;
  new.status_reason := null;
  new.waits_until := null;
  new.report_line := null;
  new.unreadable := false;
  new.deleted_at := null;
  new.created_at := now();
  new.updated_at := now();
  select id, metadata into stored from storage.objects
   where bucket_id = 'user-uploads' and name = new.file_path and owner = new.user_id;
  if not found then
    raise exception 'There is no uploaded file at this path' using errcode = '42501';
  end if;
  new.file_size := (stored.metadata ->> 'size')::bigint;
  new.mime_type := stored.metadata ->> 'mimetype';
  update public.credit_transactions
     set state = 'settled', file_id = new.id, expires_at = null, updated_at = now()
   where object_id = stored.id and user_id = new.user_id and state = 'stored';
  if not found then
    if exists (select 1 from public.user_files where file_path = new.file_path) then
      raise exception 'This file is recorded already'
        using errcode = '23505', constraint = 'user_files_file_path_key';
    end if;
    raise exception 'The uploaded file has no credit' using errcode = '42501';
  end if;
  return new;
end
$$;
create trigger record_file before insert on public.user_files
  for each row execute function private.record_file();
comment on trigger record_file on public.user_files is
  'Requires the user''s stored object, takes size and type from it, and settles its credit.';

create function private.keep_analyzed_true_to_status() returns trigger
  language plpgsql set search_path = ''
  as $$
begin
  new.analyzed := new.status = 'analyzed';
  new.updated_at := now();
  return new;
end
$$;
create trigger keep_analyzed_true_to_status before update on public.user_files
  for each row execute function private.keep_analyzed_true_to_status();
comment on trigger keep_analyzed_true_to_status on public.user_files is
  'Derives `analyzed` from `status`, whatever a client writes.';

create function private.delete_recorded_object() returns trigger
  language plpgsql security definer set search_path = ''
  as $$
begin
  delete from storage.objects where bucket_id = 'user-uploads' and name = old.file_path;
  return null;
end
$$;
create trigger delete_recorded_object after delete on public.user_files
  for each row execute function private.delete_recorded_object();
comment on trigger delete_recorded_object on public.user_files is
  'Deletes the object of a deleted record; the bytes follow through private.object_deletions.';

create function private.delete_objects_of_user() returns trigger
  language plpgsql security definer set search_path = ''
  as $$
begin
  delete from storage.objects where bucket_id in ('user-uploads', 'course-videos', 'account-pictures') and owner = old.id;
  return null;
end
$$;
create trigger delete_objects_of_user after delete on auth.users
  for each row execute function private.delete_objects_of_user();
comment on trigger delete_objects_of_user on auth.users is 'Deletes the objects of a deleted account, recorded or not.';

create function private.sweep_credits() returns table (returned integer, adopted integer)
  language plpgsql security definer set search_path = ''
  as $$
declare
  left_over record;
begin
  returned := 0;
  adopted := 0;
  for left_over in
    select id from public.credit_transactions
     where state = 'reserved' and expires_at <= now()
     order by expires_at limit 500 for update skip locked
  loop
    if private.return_credit(left_over.id) then returned := returned + 1; end if;
  end loop;
  for left_over in
    select spending.id, spending.user_id, object.name
      from public.credit_transactions spending
      left join storage.objects object on object.id = spending.object_id
     where spending.state = 'stored' and spending.expires_at <= now()
     order by spending.expires_at limit 500 for update of spending skip locked
  loop
    if left_over.name is null or left_over.user_id is null then
      if private.return_credit(left_over.id) then returned := returned + 1; end if;
    else
      -- A record whose object was removed before may still stand at this path: then it has its file again.
      update public.credit_transactions spending set state = 'settled', file_id = file.id, expires_at = null, updated_at = now()
        from public.user_files file
       where spending.id = left_over.id and file.file_path = left_over.name;
      if not found then
        insert into public.user_files (user_id, file_path, file_name, file_size, mime_type)
        values (left_over.user_id, left_over.name,
                coalesce(nullif(left(regexp_replace(storage.filename(left_over.name), '^[0-9]+_', ''), 255), ''), 'file'),
                0, '');
      end if;
      adopted := adopted + 1;
    end if;
  end loop;
  return next;
end
$$;
comment on function private.sweep_credits() is
  'Finishes what a crash or a closed page left: expired credits return, stored objects get their record.';

revoke execute on function
  private.claim_credit(), private.release_claimed_credit(), private.store_with_credit(),
  private.release_stored_credit(), private.record_file(), private.keep_analyzed_true_to_status(),
  private.delete_recorded_object(), private.delete_objects_of_user(), private.sweep_credits()
from public;

alter table public.user_files enable row level security;

revoke all on public.user_files from public, anon, authenticated, service_role;
grant select, insert, delete, update (analyzed, updated_at) on public.user_files to authenticated;
grant select, insert, update, delete on public.user_files to service_role;

create policy "users see their own files" on public.user_files for select to authenticated
  using ((select auth.uid()) = user_id);
create policy "users record their own files" on public.user_files for insert to authenticated
  with check ((select auth.uid()) = user_id);
create policy "users update their own files" on public.user_files for update to authenticated
  using ((select auth.uid()) = user_id) with check ((select auth.uid()) = user_id);
create policy "users delete their own files" on public.user_files for delete to authenticated
  using ((select auth.uid()) = user_id);
create policy "the server's key manages files" on public.user_files
  to service_role using (true) with check (true);

select realtime.watch('public.user_files');
comment on trigger realtime_publish on public.user_files is
  'Publishes every change to the subscribers of realtime, with keys only.';

create policy "a second factor comes first" on public.user_files as restrictive to authenticated
  using ((select auth.second_factor_given())) with check ((select auth.second_factor_given()));

create function auth.owns_file(p_file uuid) returns boolean
  language sql stable security definer set search_path = ''
  as $$ select exists (select from public.user_files f where f.id = p_file and f.user_id = auth.uid() and f.deleted_at is null) $$;
comment on function auth.owns_file(uuid) is 'Whether a file is the caller''s own.';

-- Tags belong to the owner of a file. They have a table of their own, so that people who are shown the file do not
-- read them.

create table northline_app.file_tags (
  file_id uuid primary key references public.user_files (id) on delete cascade,
  user_id uuid not null references auth.users (id) on delete cascade,
  tags text[] not null
);
comment on table northline_app.file_tags is 'Words that customers file their documents under.';
comment on column northline_app.file_tags.user_id is 'The owner of the file.';
comment on column northline_app.file_tags.tags is 'At most twenty of forty characters, none twice in whatever case.';
create index file_tags_user_id_idx on northline_app.file_tags (user_id);

create function private.check_tags() returns trigger
  language plpgsql set search_path = ''
  as $$
begin
  if exists (select from unnest(new.tags) as tag
              where tag is null or tag <> btrim(tag) or char_length(tag) not between 1 and 40 or tag ~ '[[:cntrl:]]') then
    raise exception 'A tag has 1 to 40 characters and no blanks around them.' using errcode = '23514';
  end if;
  if cardinality(new.tags) > 20 then
    raise exception 'A file has at most 20 tags.' using errcode = '23514';
  end if;
  if cardinality(new.tags) <> (select count(distinct lower(tag)) from unnest(new.tags) as tag) then
    raise exception 'A file has each tag once.' using errcode = '23514';
  end if;
  return new;
end
$$;
revoke execute on function private.check_tags() from public;

create function northline_app.tag_files(p_ids uuid[], p_tag text, p_wanted boolean) returns integer
  language plpgsql set search_path = ''
  as $$
declare
  word text := btrim(p_tag);
  changed integer;
begin
  if p_wanted then
    -- A team's files are seen as well, and are not the caller's to tag.
    insert into northline_app.file_tags as known (file_id, user_id, tags)
    select file.id, file.user_id, array[word] from public.user_files file
     where file.id = any (p_ids) and (file.user_id = auth.uid() or auth.role() = 'service_role')
    on conflict (file_id) do update set tags = known.tags || word
     where not exists (select from unnest(known.tags) as tag where lower(tag) = lower(word));
  else
    update northline_app.file_tags known
       set tags = array(select tag from unnest(known.tags) as tag where lower(tag) <> lower(word))
     where known.file_id = any (p_ids)
       and exists (select from unnest(known.tags) as tag where lower(tag) = lower(word));
  end if;
  get diagnostics changed = row_count;
  return changed;
end
$$;
comment on function northline_app.tag_files(uuid[], text, boolean) is
  'Gives files of the caller a tag, or takes it from them; answers how many were changed.';
revoke execute on function northline_app.tag_files(uuid[], text, boolean) from public, anon;
grant execute on function northline_app.tag_files(uuid[], text, boolean) to authenticated, service_role;
create trigger check_tags before insert or update of tags on northline_app.file_tags
  for each row when (new.tags <> '{}') execute function private.check_tags();
comment on trigger check_tags on northline_app.file_tags is
  'Refuses tags that are empty, too long, too many or there twice, each with a sentence.';

alter table northline_app.file_tags enable row level security;
revoke all on northline_app.file_tags from public, anon, authenticated, service_role;
grant select, insert, update (tags) on northline_app.file_tags to authenticated;
grant select, insert, update, delete on northline_app.file_tags to service_role;
create policy "users see the tags of their files" on northline_app.file_tags for select to authenticated
  using ((select auth.uid()) = user_id);
create policy "users tag their own files" on northline_app.file_tags for insert to authenticated
  with check ((select auth.uid()) = user_id and auth.owns_file(file_id));
create policy "users change the tags of their files" on northline_app.file_tags for update to authenticated
  using ((select auth.uid()) = user_id) with check ((select auth.uid()) = user_id);
create policy "a second factor comes first" on northline_app.file_tags as restrictive to authenticated
  using ((select auth.second_factor_given())) with check ((select auth.second_factor_given()));
create policy "the server's key manages tags" on northline_app.file_tags to service_role using (true) with check (true);

select realtime.watch('northline_app.file_tags');
comment on trigger realtime_publish on northline_app.file_tags is 'Tells the owner of other tags.';

create view northline_app.files with (security_invoker = true) as
  select f.*, coalesce(t.tags, '{}') as tags
  from public.user_files f left join northline_app.file_tags t on t.file_id = f.id;
comment on view northline_app.files is 'Files with the tags of their owner, which are empty for everybody else.';
revoke all on northline_app.files from public, anon, authenticated, service_role;
grant select on northline_app.files to authenticated, service_role;
