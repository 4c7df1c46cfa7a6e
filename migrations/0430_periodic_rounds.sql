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
