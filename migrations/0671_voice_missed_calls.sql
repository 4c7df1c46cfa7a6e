-- People whose call nobody answered get a link to the booking page.

create table private.missed_calls (
  call_id uuid primary key references private.voice_records (id) on delete cascade,
  number text check (char_length(number) <= 40),
  email text check (char_length(email) <= 254),
  caller bytea,
  outcome text check (outcome in ('text', 'mail', 'not wanted', 'no way', 'told before')),
  created_at timestamptz not null default now()
);
comment on table private.missed_calls is
  'Calls that nobody answered or that broke off, for one message to the caller. A row lives for two days.';
comment on column private.missed_calls.number is 'The caller''s number, until the message is sent.';
comment on column private.missed_calls.email is 'The caller''s address where the call named one, until the message is sent.';
comment on column private.missed_calls.caller is 'A keyed digest of the number, by which nobody is told twice in a day.';
comment on column private.missed_calls.outcome is 'How the caller was told, or why not; null: this is still to be done.';
create index missed_calls_caller_idx on private.missed_calls (caller, created_at);
create index missed_calls_waiting_idx on private.missed_calls (created_at) where outcome is null;
alter table private.missed_calls enable row level security;
insert into private.personal_data (table_name, holds, purpose, found_by, hidden, on_erasure, kept) values
  ('private.missed_calls', 'Calls that nobody answered: number and address until the caller is told, then a keyed digest of the number',
   'Telling the caller how to reach us', 'regexp_replace(t.number, ''\D'', '''', ''g'') = $3 or lower(t.email) = $2', '{caller}', 'deleted', 'Two days');

create function private.note_missed_call() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  insert into private.missed_calls (call_id, number, email)
    values (new.id, left(new.body #>> '{customer,number}', 40), left(new.body #>> '{customer,email}', 254))
    on conflict (call_id) do nothing;
  return null;
end $$;
comment on function private.note_missed_call() is 'Keeps who called, in the transaction that ends the call.';
revoke all on function private.note_missed_call() from public;

create function private.is_missed_call(p_body jsonb) returns boolean
  language sql immutable set search_path = '' as $$
  select p_body ->> 'status' = 'ended' and p_body #>> '{customer,number}' is not null and case p_body ->> 'type'
    when 'inboundPhoneCall' then p_body ->> 'endedReason' in (
      'customer-did-not-answer', 'call.ringing.sip-inbound-caller-hungup-before-call-connect',
      'call.ringing.error-sip-inbound-call-failed-to-connect', 'pipeline-error-custom-voice-failed',
      'pipeline-error-custom-llm-llm-failed', 'call.in-progress.error-vapifault-worker-died', 'worker-shutdown',
      'unknown-error')
    when 'outboundPhoneCall' then p_body ->> 'endedReason' in ('customer-did-not-answer', 'customer-busy')
    else false end
$$;
comment on function private.is_missed_call(jsonb) is
  'Whether a call by telephone ended without a conversation, or broke off through a fault of ours.';
revoke all on function private.is_missed_call(jsonb) from public;

create trigger note_missed_new after insert on private.voice_records
  for each row when (new.kind = 'call' and private.is_missed_call(new.body)) execute function private.note_missed_call();
comment on trigger note_missed_new on private.voice_records is 'A missed call that is recorded when it is over is followed up.';
create trigger note_missed after update of body on private.voice_records
  for each row when (new.kind = 'call' and old.body ->> 'status' is distinct from 'ended' and private.is_missed_call(new.body))
  execute function private.note_missed_call();
comment on trigger note_missed on private.voice_records is 'A missed call is followed up when it ends.';
create trigger notify_waiting after insert on private.missed_calls
  for each row execute function private.notify_waiting('missed_calls');
comment on trigger notify_waiting on private.missed_calls is 'Wakes the processes that tell the callers.';
