-- Mails that come back, addresses that want none, and who may still write to them.

alter table private.mails
  drop constraint mails_state_check,
  add constraint mails_state_check
    check (state in ('kept', 'waiting', 'sent', 'failed', 'bounced', 'suppressed')),
  -- account: asked for by the person, or the safety of the account; optional: carries an unsubscribe link.
  add column purpose text not null default 'account' check (purpose in ('account', 'service', 'optional')),
  add column attempts integer not null default 0,
  -- Null: no job knows of it, e.g. after the operator asked for another try.
  add column queued_at timestamptz;
update private.mails set queued_at = created_at;
create index mails_unqueued_idx on private.mails (created_at) where state = 'waiting' and queued_at is null;
create index mails_recipient_idx on private.mails (lower(recipient), created_at desc);

create table private.mail_suppressions (
  -- Lower case.
  address text primary key check (address = lower(address)),
  reason text not null check (reason in ('bounce', 'complaint', 'unsubscribe', 'operator')),
  -- smtp: refused while it was handed over; notice: told later; link: by the person; console: by an operator.
  source text not null check (source in ('smtp', 'notice', 'link', 'console')),
  detail text not null default '',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
alter table private.mail_suppressions enable row level security;
