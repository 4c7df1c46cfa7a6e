-- A recording that the store refuses for good ends so, its files left where they were made; and a picture may end before its sound.

alter table private.voice_recordings
  add column refused text check (char_length(refused) <= 100),
  add column picture_seconds numeric(9, 2) check (picture_seconds >= 0);
comment on column private.voice_recordings.refused is
  'With which code the store refused it for good, without an object its sound, else its video; its files are on the host of `worker`. Null where it was not.';
comment on column private.voice_recordings.picture_seconds is
  'After how many seconds its picture ended, where more sound was recorded; null where both ended together.';
