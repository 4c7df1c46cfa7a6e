-- Behind a proxy who leaves a call may come to another process than the one that carries it.

alter table private.voice_live_calls add column end_reason text check (char_length(end_reason) <= 100);
comment on column private.voice_live_calls.end_reason is
  'Why it is to end, where that was asked at another process; null where an operator hung up.';
comment on column private.voice_live_calls.end_asked_at is
  'Somebody hung up at another process; the one that carries the call ends it when it next says that it lives.';
