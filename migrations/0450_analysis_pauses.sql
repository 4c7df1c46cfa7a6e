-- A pause before the next document of a customer whose documents end the reader one after the other (decision 0450).

create table private.reading_failures (
  user_id uuid primary key references auth.users (id) on delete cascade,
  count integer not null check (count > 0),
  analysis_id uuid not null,
  ended_at timestamptz not null
);
comment on table private.reading_failures is
  'Customers whose last documents ended the reader by their time, their memory or a crash. A document that is read removes the row.';
comment on column private.reading_failures.count is 'How many in a row, within a day of each other.';
comment on column private.reading_failures.analysis_id is 'The last of them: told twice, it counts once.';
comment on column private.reading_failures.ended_at is 'When the last of them ended; the pause begins there.';
alter table private.reading_failures enable row level security;

insert into private.personal_data (table_name, holds, purpose, found_by, hidden, on_erasure, kept) values
  ('private.reading_failures', 'How many documents in a row ended the reader', 'Fair use of the reader by all customers', 't.user_id = $1', '{}', 'account', 'Until a document is read');

alter table public.user_files add column waits_until timestamptz;
comment on column public.user_files.waits_until is
  'Not read before, as the owner''s documents ended the reader repeatedly; null when nothing holds it up.';

create or replace function private.record_file() returns trigger
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
