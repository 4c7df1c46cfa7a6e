-- Documents that customers send by mail: their addresses, the senders whom they allow, and what became of each mail.

create table private.inbox_addresses (
  user_id uuid primary key references auth.users (id) on delete cascade,
  token text not null unique check (token ~ '^[a-z2-7]{20}$'),
  created_at timestamptz not null default now()
);
comment on table private.inbox_addresses is 'The address of a customer at the mailbox of MAIL_IN_ADDRESS.';
comment on column private.inbox_addresses.token is 'Random part of the address, after the plus sign.';

create table private.inbox_senders (
  user_id uuid not null references auth.users (id) on delete cascade,
  address text not null check (address = lower(address) and char_length(address) <= 254),
  asked_at timestamptz not null default now(),
  proven_at timestamptz,
  primary key (user_id, address)
);
comment on table private.inbox_senders is 'Further addresses from which a customer may send documents.';
comment on column private.inbox_senders.asked_at is 'When the last mail asked the address.';
comment on column private.inbox_senders.proven_at is 'When somebody followed the link of that mail; null before.';

create table private.inbox_mails (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  digest bytea not null,
  sender text not null check (char_length(sender) <= 254),
  subject text not null check (char_length(subject) <= 200),
  state text not null default 'working' check (state in ('working', 'done', 'refused')),
  reason text,
  attempts integer not null default 1,
  received_at timestamptz not null default now(),
  unique (user_id, digest)
);
comment on table private.inbox_mails is 'Mails to customers'' addresses. The mail itself is not stored.';
comment on column private.inbox_mails.digest is 'SHA-256 of Message-ID and content: the same mail is taken once, however often it comes.';
comment on column private.inbox_mails.reason is 'Code of the reason why the whole mail was refused; null for other mails.';
comment on column private.inbox_mails.attempts is 'How often taking it has begun.';
create index inbox_mails_user_id_idx on private.inbox_mails (user_id, received_at desc);
create index inbox_mails_received_at_idx on private.inbox_mails (received_at);

create table private.inbox_documents (
  mail_id uuid not null references private.inbox_mails (id) on delete cascade,
  position integer not null check (position >= 0),
  name text not null check (char_length(name) between 1 and 255),
  file_id uuid references public.user_files (id) on delete set null,
  reason text,
  primary key (mail_id, position)
);
comment on table private.inbox_documents is 'Attachments of those mails: each became a document, or was refused.';
comment on column private.inbox_documents.file_id is 'The document; null when it was refused, or deleted later.';
comment on column private.inbox_documents.reason is 'Code of the reason why it was refused; null when it was taken.';
create index inbox_documents_file_id_idx on private.inbox_documents (file_id);

create table private.inbox_mailbox (
  mailbox text primary key,
  uid_validity text not null default '',
  last_uid bigint not null default 0,
  tried_at timestamptz,
  checked_at timestamptz,
  error text,
  leased_until timestamptz
);
comment on table private.inbox_mailbox is 'How far the mailbox of MAIL_IN_IMAP_URL has been read.';
comment on column private.inbox_mailbox.last_uid is 'Highest UID whose mail is done; UIDs count within one UIDVALIDITY (RFC 9051 §2.3.1.1).';
comment on column private.inbox_mailbox.tried_at is 'When a round last began.';
comment on column private.inbox_mailbox.checked_at is 'When a round last ended well.';
comment on column private.inbox_mailbox.error is 'Why the last round failed; null when it did not.';
comment on column private.inbox_mailbox.leased_until is 'Until then one process reads the mailbox.';

alter table private.inbox_addresses enable row level security;
alter table private.inbox_senders enable row level security;
alter table private.inbox_mails enable row level security;
alter table private.inbox_documents enable row level security;
alter table private.inbox_mailbox enable row level security;

insert into private.personal_data (table_name, holds, purpose, found_by, hidden, on_erasure, kept) values
  ('private.inbox_addresses', 'The address for documents by mail', 'Taking documents by mail',
   't.user_id = $1', '{token}', 'account', 'Until the account is deleted'),
  ('private.inbox_senders', 'Addresses that may send documents', 'Taking documents by mail',
   't.user_id = $1', '{}', 'account', 'Until removed'),
  ('private.inbox_mails', 'Mails with documents: sender, subject, what became of them', 'Showing what came, and taking it once',
   't.user_id = $1', '{digest}', 'account', '180 days'),
  ('private.inbox_documents', 'Names of attachments', 'Showing what became of them',
   't.mail_id in (select m.id from private.inbox_mails m where m.user_id = $1)', '{}', 'account', 'With their mail');

alter table private.mails add column in_reply_to text not null default '' check (char_length(in_reply_to) <= 500);
comment on column private.mails.in_reply_to is 'Message-ID of the mail that this one answers; empty for other mails.';
