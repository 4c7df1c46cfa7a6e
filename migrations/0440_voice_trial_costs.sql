-- What tests and previews of assistants cost: it counts towards the caps of a day as calls do, whatever is deleted.

create table private.voice_trial_costs (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('test', 'preview')),
  minutes float8 not null check (minutes >= 0),
  cost float8 not null check (cost > 0),
  costs jsonb not null default '[]',
  at timestamptz not null default now()
);
comment on table private.voice_trial_costs is
  'What each test and preview of an assistant cost its providers; kept for a week. Free ones have no row.';
comment on column private.voice_trial_costs.minutes is 'How long the test was held, or the preview is heard.';
comment on column private.voice_trial_costs.cost is 'US dollars.';
comment on column private.voice_trial_costs.costs is 'What of it each stored credential paid: type, cost and credentialId.';
create index voice_trial_costs_at_idx on private.voice_trial_costs (at);
alter table private.voice_trial_costs enable row level security;

-- Until now a run of today counted by its own row.
insert into private.voice_trial_costs (kind, minutes, cost, costs, at)
select 'test',
       greatest(0, extract(epoch from (body #>> '{outcome,endedAt}')::timestamptz - (body #>> '{outcome,startedAt}')::timestamptz) / 60),
       (body #>> '{outcome,cost}')::float8, coalesce(body #> '{outcome,costs}', '[]'), created_at
  from private.voice_eval_runs
 where status = 'ended' and created_at > now() - interval '24 hours' and (body #>> '{outcome,cost}')::float8 > 0;
