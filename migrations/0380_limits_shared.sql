-- Rate limits that all processes of one database count together.

-- Unlogged: a token costs no write to disk, and what a crash of the database empties is at most a day old.
create unlogged table private.rate_limits (
  name text not null,
  subject bytea not null,
  full_at timestamptz not null,
  primary key (name, subject)
) with (fillfactor = 70);
comment on table private.rate_limits is
  'Token buckets of addresses and accounts that are not full. Unlogged: a crash of the database fills all of them, a restart of the product none.';
comment on column private.rate_limits.name is 'Which limit.';
comment on column private.rate_limits.subject is 'A keyed digest of the address or account.';
comment on column private.rate_limits.full_at is 'When all tokens will have come back; the row has no use after that.';

alter table private.rate_limits enable row level security;

insert into private.personal_data (table_name, holds, purpose, found_by, hidden, on_erasure, kept) values
  ('private.rate_limits', 'Keyed digests of network addresses and accounts that used a service lately, and how often',
    'Limits against floods and guessing', null, '{subject}', 'kept', 'At most a day: until the limit has filled up again'),
  ('private.voice_live_calls', 'A keyed digest of the network address that a visitor calls from', 'Leaving lines to others',
    null, '{visitor}', 'kept', 'Until the call ends');

alter table private.voice_live_calls add column visitor bytea;
comment on column private.voice_live_calls.visitor is
  'A keyed digest of the address that a visitor calls from; null for calls of the private key and of telephones.';
create index voice_live_calls_visitor_idx on private.voice_live_calls (visitor);
