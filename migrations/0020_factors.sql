-- Second factors: challenges, and the back-off after wrong codes (contract §6; security.md, attack 12).

alter table auth.mfa_factors
  add column tries integer not null default 0,
  add column blocked_until timestamptz;

create table auth.mfa_challenges (
  id uuid primary key default gen_random_uuid(),
  factor_id uuid not null references auth.mfa_factors (id) on delete cascade,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index mfa_challenges_factor_id_idx on auth.mfa_challenges (factor_id);
create index mfa_challenges_expires_at_idx on auth.mfa_challenges (expires_at);
create index sessions_factor_id_idx on auth.sessions (factor_id) where factor_id is not null;

alter table auth.mfa_challenges enable row level security;
revoke all on auth.mfa_challenges from public, anon, authenticated, service_role;
