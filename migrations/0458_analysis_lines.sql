-- What the list of files shows of a report: "Invoice · £1,240.00 · due 3 May 2026"; and of a file that no other try can read.

alter table public.user_files add column report_line text;
comment on column public.user_files.report_line is
  'What its report comes to, in a line for lists; null without a report, and where nothing of it fits a line.';

alter table public.user_files add column unreadable boolean not null default false;
comment on column public.user_files.unreadable is
  'The last analysis failed by the file itself, and another one would end the same way: no page offers it.';

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
