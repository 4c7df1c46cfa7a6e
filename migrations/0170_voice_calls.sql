-- Calls that are going on, and what can be proved of calls afterwards (issue of the voice platform).

-- Which process carries a call; `seen_at` is renewed while it does. A call whose process is gone is
-- closed by another, or by the same installation when it starts again.
create table private.voice_live_calls (
  call_id uuid primary key references private.voice_records (id) on delete cascade,
  worker text not null,
  seen_at timestamptz not null default now()
);
alter table private.voice_live_calls enable row level security;

-- A chain for each call: every entry carries the mark of the one before it. It outlives the call's
-- record, and holds no words, only keyed digests of them.
create table private.voice_evidence (
  call_id uuid not null,
  position integer not null check (position > 0),
  kind text not null check (kind in ('begun', 'disclosure', 'consent', 'turn', 'ended', 'deleted')),
  at timestamptz(3) not null,
  data jsonb not null,
  previous text not null,
  mark text not null,
  primary key (call_id, position)
);
alter table private.voice_evidence enable row level security;
create index voice_evidence_at_idx on private.voice_evidence (at);
