-- Recordings of meetings: of those who agreed, each with tracks of their own until they are put together.

alter table private.voice_records drop constraint voice_records_kind_check;
alter table private.voice_records add constraint voice_records_kind_check
  check (kind in ('assistant', 'squad', 'tool', 'credential', 'phone-number', 'call', 'file', 'room', 'recording'));

comment on table private.voice_recordings is
  'The sound of calls and meetings, of those who agreed to be recorded: of calls caller left, assistant right; and the pictures of their cameras where they belong to it. A row without an object is being written.';
comment on column private.voice_recordings.call_id is
  'The call, or the record of the kind recording that a meeting has.';
comment on column private.voice_recordings.video_object_id is
  'The stored video; where it is separate the picture alone, of a meeting the last of them: the others have its id and their numbers as names.';

create function private.delete_meeting_recording() returns trigger
  language plpgsql security definer set search_path = ''
  as $$
begin
  delete from storage.objects
    where bucket_id = 'voice-recordings' and name like old.call_id::text || '.%.webm';
  delete from private.voice_records where id = old.call_id and kind = 'recording';
  return null;
end
$$;
comment on function private.delete_meeting_recording() is
  'Deletes what only the recording of a meeting has: the pictures of its people where they stayed apart, and who was in it.';

revoke execute on function private.delete_meeting_recording() from public;

create trigger delete_meeting_recording after delete on private.voice_recordings
  for each row execute function private.delete_meeting_recording();
comment on trigger delete_meeting_recording on private.voice_recordings is
  'Deletes the pictures and the record of a meeting whose recording is deleted or expires.';

create view operator.meeting_recordings with (security_barrier) as
  select r.id, r.body, r.created_at, t.seconds, t.expires_at, t.video,
         t.call_id is not null and t.object_id is null and t.refused is null as goes_on,
         t.refused is not null as refused
  from private.voice_records r
  left join private.voice_recordings t on t.call_id = r.id
  where r.kind = 'recording' and (select auth.is_operator());
comment on view operator.meeting_recordings is
  'Recordings of meetings: in which room, who was recorded from when to when, and what became of sound and pictures.';

create function operator.delete_meeting_recording(p_id uuid) returns boolean
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.operate('recording.delete', p_id::text);
  delete from private.voice_records r where r.id = p_id and r.kind = 'recording'
    and not exists (select from private.voice_recordings t
                     where t.call_id = r.id and t.object_id is null and t.refused is null);
  return found;
end $$;
comment on function operator.delete_meeting_recording(uuid) is
  'Deletes the recording of a meeting with who was in it; false when there is none, or it goes on. Its evidence stays.';

revoke all on operator.meeting_recordings from public, anon, authenticated, service_role;
grant select on operator.meeting_recordings to authenticated, service_role;
revoke all on function operator.delete_meeting_recording(uuid) from public;
grant execute on function operator.delete_meeting_recording(uuid) to authenticated, service_role;

update private.personal_data
  set holds = 'The sound of calls and meetings, and the pictures of their cameras, of those who agreed'
  where table_name = 'private.voice_recordings';
update private.personal_data
  set holds = 'Calls by telephone: number, what was said; who was in recorded meetings'
  where table_name = 'private.voice_records';
