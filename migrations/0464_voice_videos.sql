-- Recordings with the picture of the caller's camera: put together with the sound when the call is over, and gone with it.

alter table private.voice_recordings
  add column video text,
  add column video_object_id uuid,
  add column video_bytes bigint,
  add constraint voice_recordings_video_check check (video in ('recorded', 'composed', 'separate')),
  add constraint voice_recordings_video_object_check check (
    (video_object_id is null) = (video_bytes is null)
    and (video_object_id is not null) = (video is not null and video <> 'recorded'));
comment on table private.voice_recordings is
  'The sound of calls whose caller agreed to be recorded: caller left, assistant right; and the picture of the caller''s camera where the assistant has it recorded. A row without an object is being written.';
comment on column private.voice_recordings.video is
  'What became of the picture: recorded and not yet put together with the sound, composed with it to one file, or kept separate. Null where there is none.';
comment on column private.voice_recordings.video_object_id is
  'The stored video, or the picture alone where it is separate.';
create index voice_recordings_video_idx on private.voice_recordings (video_object_id) where video_object_id is not null;

create function private.delete_voice_video() returns trigger
  language plpgsql security definer set search_path = ''
  as $$
begin
  if tg_table_schema = 'private' then
    delete from storage.objects where id = old.video_object_id and bucket_id = 'voice-recordings';
  else
    update private.voice_recordings set video = null, video_object_id = null, video_bytes = null
      where video_object_id = old.id;
  end if;
  return null;
end
$$;
comment on function private.delete_voice_video() is
  'Deletes the video of a recording with its row, and what the row says of it with the video.';

revoke execute on function private.delete_voice_video() from public;

create trigger delete_video after delete on private.voice_recordings
  for each row when (old.video_object_id is not null) execute function private.delete_voice_video();
comment on trigger delete_video on private.voice_recordings is
  'Deletes the stored video of a recording that is deleted, expires, or goes with its call.';
create trigger delete_voice_video after delete on storage.objects
  for each row when (old.bucket_id = 'voice-recordings') execute function private.delete_voice_video();
comment on trigger delete_voice_video on storage.objects is
  'Forgets the video of a recording that was deleted from the store.';

update private.personal_data set holds = 'The sound of calls whose caller agreed, and the picture of their camera'
  where table_name = 'private.voice_recordings';
