-- Tests of assistants: conversations with expected answers, and what came of running them.

create table private.voice_evals (
  id uuid primary key default gen_random_uuid(),
  assistant_id uuid references private.voice_records (id) on delete set null,
  body jsonb not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
comment on table private.voice_evals is 'Conversations with expected answers: what a caller types, and how each reply is judged.';
comment on column private.voice_evals.assistant_id is 'Whose page of the console lists it; null where it is nobody''s.';
create index voice_evals_created_idx on private.voice_evals (created_at desc, id);
create index voice_evals_assistant_idx on private.voice_evals (assistant_id);
alter table private.voice_evals enable row level security;

create table private.voice_eval_runs (
  id uuid primary key,
  eval_id uuid references private.voice_evals (id) on delete set null,
  assistant_id uuid references private.voice_records (id) on delete set null,
  assistant_version integer,
  body jsonb not null,
  secrets text,
  status text not null default 'running' check (status in ('running', 'ended')),
  passed boolean,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
comment on table private.voice_eval_runs is 'What came of each run of a test; the last thousand.';
comment on column private.voice_eval_runs.assistant_version is 'The present version of a kept assistant when the run began; null for a draft and for one that was described.';
comment on column private.voice_eval_runs.secrets is 'Those of an assistant that was described, encrypted; gone when the run has ended.';
create index voice_eval_runs_created_idx on private.voice_eval_runs (created_at desc, id);
create index voice_eval_runs_eval_idx on private.voice_eval_runs (eval_id, created_at desc);
create index voice_eval_runs_assistant_idx on private.voice_eval_runs (assistant_id);
alter table private.voice_eval_runs enable row level security;

create view operator.evals with (security_barrier) as
  select e.id, e.assistant_id, e.body, e.created_at, e.updated_at
  from private.voice_evals e where (select auth.is_operator());
comment on view operator.evals is 'Tests of assistants.';

create view operator.eval_runs with (security_barrier) as
  select r.id, r.eval_id, r.assistant_id, r.assistant_version, r.body, r.status, r.passed, r.created_at
  from private.voice_eval_runs r where (select auth.is_operator());
comment on view operator.eval_runs is 'Runs of tests, without what is secret of an assistant that was described.';

revoke all on operator.evals, operator.eval_runs from public, anon, authenticated, service_role;
grant select on operator.evals, operator.eval_runs to authenticated, service_role;
