-- What the transcripts of meetings cost counts towards the caps of a day as calls do.

alter table private.voice_trial_costs drop constraint voice_trial_costs_kind_check;
alter table private.voice_trial_costs add constraint voice_trial_costs_kind_check
  check (kind in ('test', 'preview', 'transcript'));
comment on table private.voice_trial_costs is
  'What each test and preview of an assistant, and each minute of a meeting''s transcript, cost its providers; kept for a week. Free ones have no row.';
comment on column private.voice_trial_costs.minutes is
  'How long the test was held, the preview is heard, or the meeting was transcribed.';
