-- Buckets, objects and what the storage service remembers about bytes.
-- A row of storage.objects is the file; its bytes lie in the object store under `version`,
-- a name that only the server makes.

create table storage.buckets (
  id text primary key check (id ~ '^[A-Za-z0-9][A-Za-z0-9._ -]{0,99}$'),
  name text not null unique,
  owner uuid,
  owner_id text,
  public boolean not null default false,
  file_size_limit bigint check (file_size_limit >= 0),
  allowed_mime_types text[],
  type text not null default 'STANDARD',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
comment on table storage.buckets is 'Buckets of the storage service.';
comment on column storage.buckets.file_size_limit is 'Bytes; null = the service''s own limit.';
comment on column storage.buckets.allowed_mime_types is 'Exact types or `image/*`; null = all.';

create table storage.objects (
  id uuid primary key default gen_random_uuid(),
  bucket_id text not null references storage.buckets (id) on update cascade,
  name text collate "C" not null check (name <> '' and octet_length(name) <= 1024),
  owner uuid,
  owner_id text,
  version text unique,
  metadata jsonb,
  user_metadata jsonb,
  path_tokens text[] generated always as (string_to_array(name, '/')) stored,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  last_accessed_at timestamptz not null default now(),
  unique (bucket_id, name)
);
comment on table storage.objects is 'Stored files. The bytes lie in the object store.';
comment on column storage.objects.id is 'The first upload''s id; stays when the content is replaced.';
comment on column storage.objects.version is
  'Name of the bytes in the object store. Null only while a permission is tried out in a transaction that is rolled back.';
comment on column storage.objects.metadata is
  '{eTag, size, mimetype, cacheControl, lastModified, contentLength, httpStatusCode}';
comment on column storage.objects.user_metadata is 'What the client gave as `metadata`.';
create index objects_owner_idx on storage.objects (owner);

create table private.uploads (
  id uuid primary key,
  bucket_id text not null references storage.buckets (id) on delete cascade,
  name text not null,
  user_id uuid,
  reserved_bytes bigint not null,
  expires_at timestamptz not null,
  created_at timestamptz not null default now()
);
comment on table private.uploads is
  'An upload under way: its lease, and the bytes that it holds of the owner''s quota.';
comment on column private.uploads.id is 'Becomes the object''s `version`, and its `id` when the object is new.';
comment on column private.uploads.user_id is 'Null for the server''s own key.';
create index uploads_user_id_idx on private.uploads (user_id);
create index uploads_expires_at_idx on private.uploads (expires_at);

create table private.object_deletions (
  version text primary key,
  created_at timestamptz not null default now()
);
comment on table private.object_deletions is 'Bytes whose row is gone and which still have to be unlinked.';

create table private.spent_upload_tickets (
  id uuid primary key,
  expires_at timestamptz not null
);
comment on table private.spent_upload_tickets is
  'Signed upload addresses that have stored their object: each stores once. Kept until the address would have expired.';
create index spent_upload_tickets_expires_at_idx on private.spent_upload_tickets (expires_at);

create table private.resumable_uploads (
  id uuid primary key references private.uploads (id) on delete cascade,
  length bigint not null check (length >= 0),
  received bigint not null default 0 check (received between 0 and length),
  role text not null,
  replace boolean not null,
  content_type text not null,
  cache_control text not null,
  user_metadata jsonb,
  ticket_id uuid,
  ticket_expires_at timestamptz,
  writer uuid,
  writing_until timestamptz
);
comment on table private.resumable_uploads is
  'Uploads that come in several requests (tus 1.0.0): what the next request has to know. Quota, credit and lease are those of the row in private.uploads.';
comment on column private.resumable_uploads.received is 'Bytes that are safe on disk.';
comment on column private.resumable_uploads.role is
  'The database role of the caller who opened it; the user stands in the upload.';
comment on column private.resumable_uploads.ticket_id is 'The signed upload address that it uses, if any.';
comment on column private.resumable_uploads.writer is 'The request that is writing, and until when it counts as alive.';

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
create trigger limit_unfinished before insert on private.resumable_uploads
  for each row execute function private.limit_unfinished_uploads();
comment on trigger limit_unfinished on private.resumable_uploads is
  'Refuses (NL002) a user''s 21st unfinished resumable upload, of whatever length, under the lock of the quota.';

create function storage.foldername(name text) returns text[]
  language sql immutable set search_path = ''
  as $$ select (string_to_array(name, '/'))[1 : array_length(string_to_array(name, '/'), 1) - 1] $$;
comment on function storage.foldername(text) is 'The folders of an object''s name.';

create function storage.filename(name text) returns text
  language sql immutable set search_path = ''
  as $$ select (string_to_array(name, '/'))[array_length(string_to_array(name, '/'), 1)] $$;
comment on function storage.filename(text) is 'The last part of an object''s name.';

create function storage.extension(name text) returns text
  language sql immutable set search_path = ''
  as $$ select case when storage.filename(name) like '%.%' then reverse(split_part(reverse(storage.filename(name)), '.', 1)) else '' end $$;
comment on function storage.extension(text) is 'What follows the last dot of an object''s name; empty without a dot.';

create function private.queue_object_deletion() returns trigger
  language plpgsql security definer set search_path = ''
  as $$
begin
  if old.version is not null then
    insert into private.object_deletions (version) values (old.version) on conflict do nothing;
  end if;
  return null;
end
$$;
create trigger queue_deletion after delete on storage.objects
  for each row execute function private.queue_object_deletion();
comment on trigger queue_deletion on storage.objects is
  'Queues the bytes of a deleted object for unlinking, in whatever way it was deleted.';
create trigger queue_replacement after update of version on storage.objects
  for each row when (old.version is distinct from new.version)
  execute function private.queue_object_deletion();
comment on trigger queue_replacement on storage.objects is
  'Queues the former bytes of a replaced object for unlinking.';

create function private.refuse_object_without_bytes() returns trigger
  language plpgsql set search_path = ''
  as $$
begin
  raise exception 'an object is stored through the storage service only' using errcode = '42501';
end
$$;
create constraint trigger needs_bytes after insert or update on storage.objects
  deferrable initially deferred
  for each row when (new.version is null)
  execute function private.refuse_object_without_bytes();
comment on trigger needs_bytes on storage.objects is
  'Refuses to commit an object without bytes. Callers insert one only to find out whether they might: the service rolls it back, and they have no right to `version`.';

create function private.storage_limit_bytes(p_user_id uuid) returns bigint
  language plpgsql stable security definer set search_path = ''
  as $$
declare
  megabytes integer;
begin
  select max(plan.megabytes) into megabytes
    from public.customers customer
    join public.subscriptions subscription using (customer_id)
    join private.plan_allowances plan on plan.price_id = subscription.price_id
   where customer.user_id = p_user_id and subscription.status in ('active', 'trialing');
  if megabytes is null then
    select plan.megabytes into megabytes from private.plan_allowances plan where price_id = '';
  end if;
  return coalesce(megabytes, 250)::bigint * 1024 * 1024;
end
$$;
comment on function private.storage_limit_bytes(uuid) is
  'Bytes that a user may store: the largest of the user''s valid plans, else the default.';

create function private.storage_used_bytes(p_user_id uuid) returns bigint
  language sql stable security definer set search_path = ''
  as $$
  select (select coalesce(sum((metadata ->> 'size')::bigint), 0)
            from storage.objects where owner = p_user_id)::bigint
       + (select coalesce(sum(reserved_bytes), 0) from private.uploads where user_id = p_user_id)::bigint
$$;
comment on function private.storage_used_bytes(uuid) is 'Bytes that a user''s objects and uploads under way take.';

create function private.begin_upload(
  p_id uuid, p_bucket_id text, p_name text, p_user_id uuid, p_declared bigint, p_limit bigint, p_lease interval
) returns bigint
  language plpgsql security definer set search_path = ''
  as $$
declare
  room bigint := p_limit;
  reserved bigint;
begin
  if p_user_id is not null then
    -- One at a time for a user, so that two uploads cannot both take the last room.
    perform pg_advisory_xact_lock(hashtextextended('storage quota ' || p_user_id::text, 0));
    room := private.storage_limit_bytes(p_user_id) - private.storage_used_bytes(p_user_id);
  end if;
  reserved := least(coalesce(p_declared, room), p_limit);
  if reserved > room or (p_declared is null and room <= 0) then
    return null;
  end if;
  insert into private.uploads (id, bucket_id, name, user_id, reserved_bytes, expires_at)
  values (p_id, p_bucket_id, p_name, p_user_id, reserved, now() + p_lease);
  return reserved;
end
$$;
comment on function private.begin_upload(uuid, text, text, uuid, bigint, bigint, interval) is
  'Opens an upload: counts its bytes against the quota and gives it a lease. Returns how many bytes it may have: what was declared, or what is left when nothing was declared. Null: the quota is used up.';

revoke execute on function
  private.queue_object_deletion(), private.refuse_object_without_bytes(), private.limit_unfinished_uploads(),
  private.storage_limit_bytes(uuid), private.storage_used_bytes(uuid),
  private.begin_upload(uuid, text, text, uuid, bigint, bigint, interval)
from public;

alter table storage.buckets enable row level security;
alter table storage.objects enable row level security;

grant select on storage.buckets to anon, authenticated;
grant select, insert, update, delete on storage.buckets to service_role;
grant select, delete on storage.objects to anon, authenticated;

-- Everything but `version`: see needs_bytes.
grant insert (id, bucket_id, name, owner, owner_id, metadata, user_metadata),
      update (name, bucket_id, metadata, user_metadata, updated_at)
  on storage.objects to anon, authenticated;

grant select, insert, update, delete on storage.objects to service_role;

create policy "the server's key manages buckets" on storage.buckets
  to service_role using (true) with check (true);
create policy "the server's key manages objects" on storage.objects
  to service_role using (true) with check (true);

-- Customers' documents: private, and each user's first folder is the user's id.
-- There is no policy for update: nothing here is ever overwritten, renamed or moved.
insert into storage.buckets (id, name, public, file_size_limit)
values ('user-uploads', 'user-uploads', false, 104857600);

create policy "users see their own folder" on storage.objects for select to authenticated
  using (bucket_id = 'user-uploads' and path_tokens[1] = (select auth.uid())::text);
create policy "users store in their own folder" on storage.objects for insert to authenticated
  with check (
    bucket_id = 'user-uploads'
    and path_tokens[1] = (select auth.uid())::text
    and array_length(path_tokens, 1) > 1
    and owner_id = (select auth.uid())::text
  );
create policy "users remove from their own folder" on storage.objects for delete to authenticated
  using (bucket_id = 'user-uploads' and path_tokens[1] = (select auth.uid())::text);
create policy "a second factor comes first" on storage.objects as restrictive to authenticated
  using ((select auth.second_factor_given())) with check ((select auth.second_factor_given()));

-- Storage follows the plan that a subscription runs on, which may be one that is not sold any more.

create table private.plan_allowances (
  price_id text primary key,
  megabytes integer not null,
  course_uploads integer
);
comment on table private.plan_allowances is
  'Megabytes of storage by plan, written from the catalogue at every start and change. '''' is no plan.';
comment on column private.plan_allowances.course_uploads is
  'Videos a month that a course plan takes; null for other plans.';
insert into private.plan_allowances (price_id, megabytes) values ('', 250);
alter table private.plan_allowances enable row level security;

-- Documents go on after a lost line as lessons do: uploads that have not arrived whole are listed by bucket.

create function northline_app.unfinished_uploads(p_bucket text) returns table (
    id uuid, path text, file_name text, modified jsonb, received bigint, length bigint, expires_at timestamptz)
  language sql stable security definer set search_path = ''
  as $$
  select upload.id, upload.name, coalesce(resumable.user_metadata ->> 'name', storage.filename(upload.name)),
         resumable.user_metadata -> 'modified', resumable.received, resumable.length,
         upload.expires_at
    from private.uploads upload join private.resumable_uploads resumable on resumable.id = upload.id
   where upload.bucket_id = p_bucket and upload.user_id = auth.uid() and upload.expires_at > now()
     and resumable.ticket_id is null and auth.second_factor_given()
   order by upload.created_at
$$;
comment on function northline_app.unfinished_uploads(text) is
  'The caller''s uploads into a bucket that have not arrived whole: each can go on, or be ended, by its id. modified is when the file was changed last, as its sender said.';

revoke execute on function northline_app.unfinished_uploads(text) from public;
grant execute on function northline_app.unfinished_uploads(text) to authenticated, service_role;
