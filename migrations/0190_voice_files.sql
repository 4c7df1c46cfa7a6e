-- Files that assistants consult (spec/platform.md §7, contract voice §3). A file is a record of the
-- voice platform, an object of the storage service under the same id, and the passages of its text.

alter table private.voice_records drop constraint voice_records_kind_check;
alter table private.voice_records add constraint voice_records_kind_check
  check (kind in ('assistant', 'squad', 'tool', 'credential', 'phone-number', 'call', 'file'));

-- Private, and without a policy: no account sees it, only the server's own key and /voice/v1/file.
insert into storage.buckets (id, name, public, file_size_limit)
values ('voice-files', 'voice-files', false, 20971520);

create table private.voice_passages (
  file_id uuid not null references private.voice_records (id) on delete cascade,
  position integer not null check (position > 0),
  -- Null where the format has no pages.
  page integer,
  text text not null,
  search tsvector generated always as (to_tsvector('english'::regconfig, text)) stored,
  primary key (file_id, position)
);
create index voice_passages_search_idx on private.voice_passages using gin (search);
alter table private.voice_passages enable row level security;

-- Record and object go together, whichever is deleted, and however.
create function private.delete_voice_file() returns trigger
  language plpgsql security definer set search_path = ''
  as $$
begin
  if tg_table_schema = 'private' then
    delete from storage.objects where id = old.id and bucket_id = 'voice-files';
  else
    delete from private.voice_records where id = old.id and kind = 'file';
  end if;
  return null;
end
$$;
revoke execute on function private.delete_voice_file() from public;
create trigger delete_object after delete on private.voice_records
  for each row when (old.kind = 'file') execute function private.delete_voice_file();
create trigger delete_voice_file after delete on storage.objects
  for each row when (old.bucket_id = 'voice-files') execute function private.delete_voice_file();
