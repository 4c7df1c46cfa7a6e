-- Campaigns: many customers called one after another, by hours and pace, through restarts.

create table private.voice_campaigns (
  id uuid primary key default gen_random_uuid(),
  body jsonb not null,
  status text not null default 'scheduled' check (status in ('scheduled', 'in-progress', 'ended')),
  ended_reason text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
comment on table private.voice_campaigns is 'Campaigns: who calls, from which number, when, and how fast.';
comment on column private.voice_campaigns.body is 'What POST /campaign was given, without its customers.';
create index voice_campaigns_created_idx on private.voice_campaigns (created_at desc, id);
create index voice_campaigns_open_idx on private.voice_campaigns (created_at) where status <> 'ended';

create table private.voice_campaign_customers (
  campaign_id uuid not null references private.voice_campaigns (id) on delete cascade,
  position integer not null,
  customer jsonb not null,
  state text not null default 'waiting' check (state in ('waiting', 'calling', 'done', 'refused', 'stopped')),
  attempts integer not null default 0,
  due_at timestamptz not null default now(),
  last_at timestamptz,
  call_id uuid,
  outcome text,
  primary key (campaign_id, position)
);
comment on table private.voice_campaign_customers is
  'Who is called in a campaign, and how far that is. A customer is marked as being called before anything is sent.';
comment on column private.voice_campaign_customers.call_id is 'The last call; its record may be deleted.';
comment on column private.voice_campaign_customers.outcome is 'Why the last call ended, or the code of what refused it.';
create index voice_campaign_customers_due_idx on private.voice_campaign_customers (campaign_id, due_at, position)
  where state = 'waiting';
create index voice_campaign_customers_calling_idx on private.voice_campaign_customers (call_id) where state = 'calling';

alter table private.voice_campaigns enable row level security;
alter table private.voice_campaign_customers enable row level security;

insert into private.personal_data (table_name, holds, purpose, found_by, hidden, on_erasure, kept) values
  ('private.voice_campaign_customers', 'Who is to be called: number, name, address', 'Calls of a campaign',
    'regexp_replace(t.customer ->> ''number'', ''\D'', '''', ''g'') = $3 or lower(t.customer ->> ''email'') = $2', '{}', 'deleted',
    'Until the campaign is deleted');
