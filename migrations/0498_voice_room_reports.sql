-- Behind a proxy what a page reports may come to another process than the one that holds its room.

create table private.voice_room_reports (
  session_id uuid not null,
  kind text not null check (kind in ('error', 'network', 'log')),
  reported_at timestamptz not null default now(),
  primary key (session_id, kind)
);
comment on table private.voice_room_reports is
  'What pages of people in rooms reported at another process than the one that holds the room: that one logs it, and takes the row away. One of each kind, without words.';
comment on column private.voice_room_reports.session_id is
  'Whose page: their session in the room, which was drawn by chance when they entered.';
comment on column private.voice_room_reports.reported_at is
  'One that nobody has taken for a minute is of somebody who is not there any more, and is deleted.';

alter table private.voice_room_reports enable row level security;
