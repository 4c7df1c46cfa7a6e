-- What the triggers of 0200 are for.

comment on trigger notify_waiting on private.outbox_events is
  'Wakes the processes when an event waits that no job knows of yet.';
comment on trigger notify_waiting on private.webhook_targets is
  'Wakes the processes when a target is resumed.';
comment on trigger notify_waiting on private.mails is
  'Wakes the processes when a mail waits that no job knows of yet.';
