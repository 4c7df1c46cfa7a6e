-- Behind a proxy who leaves a meeting may come to another process than the one that holds its room.

create table private.voice_room_leavings (
  session_id uuid primary key,
  asked_at timestamptz not null default now()
);
comment on table private.voice_room_leavings is
  'People who left a meeting by another process than the one that holds its room: that one puts them out, and takes the row away.';
comment on column private.voice_room_leavings.session_id is
  'Who left: their session in the room, which was drawn by chance when they entered.';
comment on column private.voice_room_leavings.asked_at is
  'One that nobody has taken for a minute was not there any more, and is deleted.';

alter table private.voice_room_leavings enable row level security;
