-- Mails and text messages: the outbox, the built-in mailbox, and the addresses that want no mail.

create table private.mails (
  id uuid primary key default gen_random_uuid(),
  recipient text not null,
  sender text not null,
  subject text not null,
  body_text text not null,
  body_html text not null,
  reply_to text,
  state text not null check (state in ('kept', 'waiting', 'sent', 'failed', 'bounced', 'suppressed')),
  last_error text,
  created_at timestamptz not null default clock_timestamp(),
  sent_at timestamptz,
  purpose text not null default 'account' check (purpose in ('account', 'service', 'optional')),
  attempts integer not null default 0,
  queued_at timestamptz,
  calendar text not null default ''
);
comment on table private.mails is 'Outbox of mails, and the built-in mailbox while no mail server is configured.';
comment on column private.mails.purpose is
  'account: asked for by the person, or the safety of the account; optional: carries an unsubscribe link.';
comment on column private.mails.queued_at is 'Null: no job knows of it, e.g. after the operator asked for another try.';
comment on column private.mails.calendar is 'An iCalendar object (RFC 5546) that goes with the mail; empty for none.';
create index mails_created_at_idx on private.mails (created_at desc);
create index mails_unqueued_idx on private.mails (created_at) where state = 'waiting' and queued_at is null;
create index mails_recipient_idx on private.mails (lower(recipient), created_at desc);

create table private.mail_suppressions (
  address text primary key check (address = lower(address)),
  reason text not null check (reason in ('bounce', 'complaint', 'unsubscribe', 'operator')),
  source text not null check (source in ('smtp', 'notice', 'link', 'console')),
  detail text not null default '',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
comment on table private.mail_suppressions is
  'Addresses that get no mail: they bounced, complained, unsubscribed, or an operator said so.';
comment on column private.mail_suppressions.address is 'Lower case.';
comment on column private.mail_suppressions.source is
  'smtp: refused during the hand-over; notice: reported later; link: by the person; console: by an operator.';

alter table private.mail_suppressions enable row level security;

create table private.text_messages (
  id uuid primary key default gen_random_uuid(),
  recipient text not null,
  channel text not null check (channel in ('sms', 'whatsapp')),
  body text not null,
  created_at timestamptz not null default clock_timestamp()
);
comment on table private.text_messages is 'The built-in mailbox''s text messages, while no provider is configured.';
comment on column private.text_messages.recipient is 'Digits of the E.164 number, without the plus sign.';
create index text_messages_created_at_idx on private.text_messages (created_at desc);

create view operator.mails with (security_barrier) as
  select m.id, m.recipient, m.subject, m.state, m.purpose, m.attempts, m.last_error, m.created_at, m.sent_at
  from private.mails m where (select auth.is_operator());
comment on view operator.mails is 'Mails without their bodies, which hold links that sign people in.';

create view operator.suppressions with (security_barrier) as
  select s.address, s.reason, s.source, s.detail, s.created_at, s.updated_at
  from private.mail_suppressions s where (select auth.is_operator());
comment on view operator.suppressions is 'Addresses that get no mail.';

create function operator.retry_mail(p_id uuid) returns boolean
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.operate('mail.retry', p_id::text);
  update private.mails set state = 'waiting', queued_at = null, last_error = null
    where id = p_id and state = 'failed' and body_text <> '';
  return found;
end $$;
comment on function operator.retry_mail(uuid) is
  'Queues a failed mail again; false when it did not fail or its text is gone.';

create function operator.suppress(p_address text) returns boolean
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.operate('mail.suppress', p_address);
  insert into private.mail_suppressions (address, reason, source) values (lower(p_address), 'operator', 'console')
    on conflict (address) do nothing;
  return found;
end $$;
comment on function operator.suppress(text) is 'Stops mail to an address; false when it is stopped already.';

create function operator.lift_suppression(p_address text) returns boolean
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.operate('mail.lift', p_address);
  delete from private.mail_suppressions where address = lower(p_address);
  return found;
end $$;
comment on function operator.lift_suppression(text) is 'Allows mail to an address again; false when it was allowed.';

grant select on operator.mails, operator.suppressions to authenticated, service_role;

revoke all on function operator.retry_mail(uuid), operator.suppress(text), operator.lift_suppression(text) from public;
grant execute on function
  operator.retry_mail(uuid), operator.suppress(text), operator.lift_suppression(text)
to authenticated, service_role;

create trigger notify_waiting after insert or update on private.mails
  for each row when (new.state = 'waiting' and new.queued_at is null)
  execute function private.notify_waiting('mails_waiting');
comment on trigger notify_waiting on private.mails is
  'Wakes the processes when a mail waits that no job knows of yet.';
