-- Events and mails that no job knows of yet wake the processes that give them one, instead of waiting for their next look.

create function private.notify_waiting() returns trigger
  language plpgsql set search_path = '' as $$
begin
  perform pg_notify(tg_argv[0], '');
  return null;
end $$;
revoke all on function private.notify_waiting() from public;

create trigger notify_waiting after insert or update on private.outbox_events
  for each row when (new.state = 'pending' and new.queued_at is null)
  execute function private.notify_waiting('outbox_waiting');

create trigger notify_waiting after update of paused_at on private.webhook_targets
  for each row when (old.paused_at is not null and new.paused_at is null)
  execute function private.notify_waiting('outbox_waiting');

create trigger notify_waiting after insert or update on private.mails
  for each row when (new.state = 'waiting' and new.queued_at is null)
  execute function private.notify_waiting('mails_waiting');
