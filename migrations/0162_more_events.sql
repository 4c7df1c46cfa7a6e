-- `call.ended`, and the analysis automation as a target like the others (pause, rotation).

create function private.announce_call() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  -- Ids, times and why: no number, no name, no word of the conversation.
  perform private.announce('call.ended', new.id,
    jsonb_build_object('call_id', new.id, 'assistant_id', new.body -> 'assistantId', 'type', new.body -> 'type',
      'ended_reason', new.body -> 'endedReason', 'started_at', new.body -> 'startedAt',
      'ended_at', coalesce(new.body -> 'endedAt', to_jsonb(now())), 'created_at', new.created_at));
  return null;
end $$;
create trigger announce_ended_new after insert on private.voice_records
  for each row when (new.kind = 'call' and new.body ->> 'status' = 'ended') execute function private.announce_call();
create trigger announce_ended after update of body on private.voice_records
  for each row when (new.kind = 'call' and new.body ->> 'status' = 'ended'
    and old.body ->> 'status' is distinct from 'ended')
  execute function private.announce_call();

update private.outbox_events e set target = 'analysis'
  where e.kind = 'document.analysis.requested' and e.target is null and e.data is null and e.state = 'pending'
    and exists (select 1 from private.analyses a where a.id = e.subject_id and a.target = 'external');
