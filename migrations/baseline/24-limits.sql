-- Rate limits that all processes of one database count together.

-- Unlogged: a token costs no write to disk, and a crash of the database loses counts of a day at most.
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

-- Rounds that one of several processes does for all.

create table private.periodic_rounds (
  task text primary key,
  begun_at timestamptz not null default now()
);
comment on table private.periodic_rounds is
  'When work that is done every hour or more rarely was last begun, by whichever process of the database came first.';
comment on column private.periodic_rounds.task is 'Its name in the log.';
comment on column private.periodic_rounds.begun_at is 'Begin of the last round.';

alter table private.periodic_rounds enable row level security;
