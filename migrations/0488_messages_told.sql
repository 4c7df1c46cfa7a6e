-- When a side of a thread was told of a message, by whichever way: a customer without mails has the same pause.

alter table private.message_notes add column told_at timestamptz;
comment on column private.message_notes.told_at is
  'When the other side was told, by mail or in its browsers; null while that is due, and where it read the message before.';
update private.message_notes set told_at = mailed_at where mailed_at is not null;
