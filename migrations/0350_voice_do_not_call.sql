-- Who asked not to be called: the list outlives calls, records and erasures, and holds a keyed digest in place of the number.

create table private.voice_do_not_call (
  destination text primary key,
  ending text not null,
  source text not null check (source in ('call', 'operator')),
  call_id uuid,
  created_at timestamptz not null default now()
);
comment on table private.voice_do_not_call is
  'Numbers and addresses that asked not to be called: no call goes out to them.';
comment on column private.voice_do_not_call.destination is 'A keyed digest of the number or address.';
comment on column private.voice_do_not_call.ending is 'Its last characters, so that an operator can tell entries apart.';
comment on column private.voice_do_not_call.call_id is 'The call in which it was asked for; the call may be gone.';
create index voice_do_not_call_created_idx on private.voice_do_not_call (created_at);

alter table private.voice_do_not_call enable row level security;

insert into private.personal_data (table_name, holds, purpose, found_by, hidden, on_erasure, kept) values
  ('private.voice_do_not_call', 'A keyed digest of a number that asked not to be called, and its last two characters',
    'Not calling it again', null, '{destination}', 'kept', 'For good: the wish outlives everything else that is known of the number');
