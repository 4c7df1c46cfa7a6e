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
  queued_at timestamptz
);
comment on table private.mails is 'Outbox of mails, and the built-in mailbox while no mail server is configured.';
comment on column private.mails.purpose is
  'account: asked for by the person, or the safety of the account; optional: carries an unsubscribe link.';
comment on column private.mails.queued_at is 'Null: no job knows of it, e.g. after the operator asked for another try.';
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
