-- Accounts by phone number and without any address, and text messages (contract §2, §6).

alter table auth.users
  -- The language of the browser at sign-up, for mails; `user_metadata.locale` comes before it.
  add column locale text;
create index users_anonymous_idx on auth.users (created_at) where is_anonymous;
create index users_phone_change_idx on auth.users (phone_change) where phone_change is not null;

-- A code that signs in is not the code that confirms a sign-up: see decision 0013.
alter table auth.one_time_tokens drop constraint one_time_tokens_token_type_check;
alter table auth.one_time_tokens add constraint one_time_tokens_token_type_check check (token_type in (
  'confirmation', 'invite', 'magiclink', 'recovery', 'email_change_current', 'email_change_new',
  'reauthentication', 'phone_confirmation', 'phone_login', 'phone_change'
));

-- The built-in mailbox's text messages, while no provider is configured.
create table private.text_messages (
  id uuid primary key default gen_random_uuid(),
  -- Digits of the E.164 number, without the plus sign.
  recipient text not null,
  channel text not null check (channel in ('sms', 'whatsapp')),
  body text not null,
  created_at timestamptz not null default clock_timestamp()
);
create index text_messages_created_at_idx on private.text_messages (created_at desc);
