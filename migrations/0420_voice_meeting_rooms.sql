-- Rooms that stay: people enter them by their address and a token.

alter table private.voice_records drop constraint voice_records_kind_check;
alter table private.voice_records add constraint voice_records_kind_check
  check (kind in ('assistant', 'squad', 'tool', 'credential', 'phone-number', 'call', 'file', 'room'));
comment on table private.voice_records is
  'Assistants, squads, tools, credentials, phone numbers, calls, files and meeting rooms of the voice platform.';
create unique index voice_records_room_key on private.voice_records ((body ->> 'name')) where kind = 'room';

create table private.voice_open_rooms (
  room_id uuid primary key references private.voice_records (id) on delete cascade,
  worker text not null,
  seen_at timestamptz not null default now()
);
comment on table private.voice_open_rooms is
  'Which process holds a room in which somebody is; everybody in a room meets in one process.';
comment on column private.voice_open_rooms.seen_at is
  'Renewed while somebody is in the room: one whose process is gone is taken over after half a minute.';

alter table private.voice_open_rooms enable row level security;
