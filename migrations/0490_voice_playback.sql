-- What became of the picture of a recorded call, for the console's player.

create or replace view operator.calls with (security_barrier) as
  select r.id, r.body - '{webCallUrl,byPublicKey}'::text[] as body, r.created_at,
         coalesce(r.body #>> '{assistant,name}', a.body ->> 'name') as assistant_name,
         t.seconds as recording_seconds, t.started_at as recording_started_at,
         t.expires_at as recording_expires_at, t.video as recording_video,
         w.refused is not null as recording_refused
  from private.voice_records r
  left join private.voice_records a on a.kind = 'assistant' and a.id::text = r.body ->> 'assistantId'
  left join private.voice_recordings t on t.call_id = r.id and t.object_id is not null
  left join private.voice_recordings w on w.call_id = r.id
  where r.kind = 'call' and (select auth.is_operator());
comment on view operator.calls is
  'Calls without what opens their rooms, whether their sound is kept, with a picture or without, and whether a part was refused for good.';
