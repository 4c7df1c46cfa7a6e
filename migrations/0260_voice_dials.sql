-- Telephone calls that went out, for the caps of a day: they outlive the calls' records, which may be deleted.

create table private.voice_dials (
  id bigint generated always as identity primary key,
  call_id uuid not null,
  destination text not null,
  trunk text not null,
  at timestamptz not null default now()
);
comment on table private.voice_dials is
  'Telephone calls that went out within the last days, so that deleting a call gives nobody another.';
comment on column private.voice_dials.destination is 'A keyed digest of the number or address that was called.';
comment on column private.voice_dials.trunk is 'The trunk''s id, or `loopback`.';
create index voice_dials_at_idx on private.voice_dials (at);

alter table private.voice_dials enable row level security;

create index voice_records_scheduled_idx on private.voice_records (created_at)
  where kind = 'call' and body ->> 'status' = 'scheduled';
