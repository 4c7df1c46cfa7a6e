-- Customers' files, their credits, and the rules that tie both to stored objects (spec/site.md §3, §5, §7).
--
-- A credit on its way: use_credits makes a row `reserved`; an upload turns it `claimed` while bytes
-- flow, the stored object `stored`, the record in user_files `settled`. A step that fails or never
-- comes gives it back (`returned`) or is made up for, so there is never a file without its credit
-- nor a credit without its file.

create table public.customers (
  id uuid primary key default gen_random_uuid(),
  -- Null until the buyer has an account, and again after it is deleted.
  user_id uuid unique references auth.users (id) on delete set null,
  -- The payment provider's id.
  customer_id text unique,
  credits integer not null default 0 check (credits >= 0),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

-- The ledger. A customer's `credits` is the sum of `amount` over the rows that are not `returned`.
create table public.credit_transactions (
  id uuid primary key default gen_random_uuid(),
  user_id uuid references auth.users (id) on delete set null,
  customer_row uuid references public.customers (id) on delete cascade,
  -- Positive gives, negative spends.
  amount integer not null,
  kind text not null check (kind in ('grant', 'spend', 'refund', 'correction')),
  description text,
  state text not null default 'settled' check (state in ('reserved', 'claimed', 'stored', 'settled', 'returned')),
  -- The upload, which becomes the object's id.
  object_id uuid unique,
  file_id uuid,
  invoice_id text unique,
  -- When a reserved credit comes back, or a stored object gets its record from us.
  expires_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index credit_transactions_user_id_idx on public.credit_transactions (user_id, created_at);
create index credit_transactions_customer_row_idx on public.credit_transactions (customer_row);
create index credit_transactions_open_idx on public.credit_transactions (expires_at)
  where state in ('reserved', 'claimed', 'stored');

create table public.user_files (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  file_path text not null unique,
  file_name text not null check (char_length(file_name) between 1 and 255),
  file_type text not null default 'document',
  -- Bytes and type are taken from the stored object.
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
  -- 0 to 100; null when nothing is under way.
  progress smallint check (progress between 0 and 100),
  status_reason text,
  check (split_part(file_path, '/', 1) = user_id::text)
);
create index user_files_user_id_idx on public.user_files (user_id, created_at desc);

-- Takes credits for one upload; false when there are too few (spec/site.md §7).
create function public.use_credits(p_user_id uuid, p_amount integer, p_description text) returns boolean
  language plpgsql security definer set search_path = ''
  as $$
declare
  customer uuid;
begin
  if auth.role() is distinct from 'service_role' and p_user_id is distinct from auth.uid() then
    raise exception 'You can only use your own credits' using errcode = '42501';
  end if;
  if p_amount is null or p_amount < 1 then
    raise exception 'The amount must be at least 1' using errcode = '22023';
  end if;
  update public.customers set credits = credits - p_amount, updated_at = now()
   where user_id = p_user_id and credits >= p_amount
  returning id into customer;
  if not found then
    return false;
  end if;
  insert into public.credit_transactions (user_id, customer_row, amount, kind, description, state, expires_at)
  values (p_user_id, customer, -p_amount, 'spend', left(p_description, 200), 'reserved', now() + interval '10 minutes');
  return true;
end
$$;

-- Gives an open spending back; false when it was settled or given back already.
create function private.return_credit(p_transaction uuid) returns boolean
  language plpgsql security definer set search_path = ''
  as $$
declare
  spent record;
begin
  update public.credit_transactions set state = 'returned', expires_at = null, updated_at = now()
   where id = p_transaction and state in ('reserved', 'claimed', 'stored')
  returning customer_row, amount into spent;
  if not found then
    return false;
  end if;
  update public.customers set credits = credits - spent.amount, updated_at = now() where id = spent.customer_row;
  return true;
end
$$;

-- Gives back one credit that was taken for an upload which was refused before it began.
create function private.return_reserved_credit(p_user_id uuid) returns boolean
  language plpgsql security definer set search_path = ''
  as $$
declare
  reserved uuid;
begin
  select id into reserved from public.credit_transactions
   where user_id = p_user_id and state = 'reserved'
   order by created_at limit 1 for update skip locked;
  return reserved is not null and private.return_credit(reserved);
end
$$;

-- An upload of a user into the bucket takes exactly one reserved credit for its duration.
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

-- An upload that ends without an object gives its credit back in the same transaction.
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

-- A user's object in the bucket appears only together with the credit that its upload claimed.
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

-- An object that goes before it has a record was not used: its credit comes back.
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

-- A record needs the user's stored object, takes size and type from it, and settles its credit.
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

-- `analyzed` says that the report is there, whatever a client writes.
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

-- Deleting the record deletes the file; the bytes follow through private.object_deletions.
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

-- An account that goes takes its files along, recorded or not.
create function private.delete_objects_of_user() returns trigger
  language plpgsql security definer set search_path = ''
  as $$
begin
  delete from storage.objects where bucket_id = 'user-uploads' and owner = old.id;
  return null;
end
$$;
create trigger delete_objects_of_user after delete on auth.users
  for each row execute function private.delete_objects_of_user();

-- Finishes what a crash or a closed page left: expired credits return, stored objects get their record.
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

revoke execute on function
  public.use_credits(uuid, integer, text),
  private.return_credit(uuid), private.return_reserved_credit(uuid), private.sweep_credits(),
  private.claim_credit(), private.release_claimed_credit(), private.store_with_credit(),
  private.release_stored_credit(), private.record_file(), private.keep_analyzed_true_to_status(),
  private.delete_recorded_object(), private.delete_objects_of_user()
from public;
grant execute on function public.use_credits(uuid, integer, text) to authenticated, service_role;

alter table public.customers enable row level security;
alter table public.credit_transactions enable row level security;
alter table public.user_files enable row level security;
revoke all on public.customers, public.credit_transactions, public.user_files from public, anon, authenticated, service_role;

grant select on public.customers, public.credit_transactions to authenticated;
grant select, insert, delete, update (analyzed, updated_at) on public.user_files to authenticated;
grant select, insert, update, delete on public.customers, public.credit_transactions, public.user_files to service_role;

create policy "users see their own customer record" on public.customers for select to authenticated
  using ((select auth.uid()) = user_id);
create policy "users see their own credit transactions" on public.credit_transactions for select to authenticated
  using ((select auth.uid()) = user_id);
create policy "users see their own files" on public.user_files for select to authenticated
  using ((select auth.uid()) = user_id);
create policy "users record their own files" on public.user_files for insert to authenticated
  with check ((select auth.uid()) = user_id);
create policy "users update their own files" on public.user_files for update to authenticated
  using ((select auth.uid()) = user_id) with check ((select auth.uid()) = user_id);
create policy "users delete their own files" on public.user_files for delete to authenticated
  using ((select auth.uid()) = user_id);
create policy "the server's key manages customers" on public.customers
  to service_role using (true) with check (true);
create policy "the server's key manages credit transactions" on public.credit_transactions
  to service_role using (true) with check (true);
create policy "the server's key manages files" on public.user_files
  to service_role using (true) with check (true);
