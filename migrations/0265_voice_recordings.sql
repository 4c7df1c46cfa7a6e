-- Recordings of calls: made with the caller's consent only, kept for a time that is set before, gone with their call.

insert into storage.buckets (id, name, public, file_size_limit)
values ('voice-recordings', 'voice-recordings', false, 536870912);

create table private.voice_recordings (
  call_id uuid primary key references private.voice_records (id) on delete cascade,
  worker text not null,
  object_id uuid,
  seconds numeric(9, 2),
  bytes bigint,
  started_at timestamptz(3) not null default now(),
  expires_at timestamptz not null,
  check ((object_id is null) = (seconds is null) and (object_id is null) = (bytes is null))
);
comment on table private.voice_recordings is
  'The sound of calls whose caller agreed to be recorded: caller left, assistant right. A row without an object is being written.';
comment on column private.voice_recordings.worker is
  'Host and process that writes it; when that process is gone, another of the same host closes the file.';
create index voice_recordings_expires_idx on private.voice_recordings (expires_at);
create index voice_recordings_object_idx on private.voice_recordings (object_id);

alter table private.voice_recordings enable row level security;

create function private.delete_voice_recording() returns trigger
  language plpgsql security definer set search_path = ''
  as $$
begin
  if tg_table_schema = 'private' then
    delete from storage.objects where id = old.object_id and bucket_id = 'voice-recordings';
  else
    delete from private.voice_recordings where object_id = old.id;
  end if;
  return null;
end
$$;
comment on function private.delete_voice_recording() is
  'Deletes the sound of a recording with its row, and the row with the sound.';

revoke execute on function private.delete_voice_recording() from public;

create trigger delete_recording after delete on private.voice_recordings
  for each row when (old.object_id is not null) execute function private.delete_voice_recording();
comment on trigger delete_recording on private.voice_recordings is
  'Deletes the stored sound of a recording that is deleted, expires, or goes with its call.';
create trigger delete_voice_recording after delete on storage.objects
  for each row when (old.bucket_id = 'voice-recordings') execute function private.delete_voice_recording();
comment on trigger delete_voice_recording on storage.objects is
  'Deletes the row of a recording whose stored sound was deleted.';
