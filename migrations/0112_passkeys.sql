-- Passkeys (contract §2; decision 0113; WebAuthn level 3): public keys of people's devices, and the challenges
-- that they have to sign.

create table auth.passkeys (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  credential_id text not null unique,
  public_key bytea not null,
  sign_count bigint not null default 0,
  transports text[] not null default '{}',
  aaguid text not null,
  backed_up boolean not null,
  friendly_name text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  last_used_at timestamptz
);
create index passkeys_user_id_idx on auth.passkeys (user_id, created_at);

create table auth.webauthn_challenges (
  id uuid primary key default gen_random_uuid(),
  kind text not null check (kind in ('registration', 'authentication')),
  -- Of a registration; who signs in is known only afterwards.
  user_id uuid references auth.users (id) on delete cascade,
  challenge text not null,
  expires_at timestamptz not null,
  check ((kind = 'registration') = (user_id is not null))
);
create index webauthn_challenges_expires_at_idx on auth.webauthn_challenges (expires_at);
create index webauthn_challenges_user_id_idx on auth.webauthn_challenges (user_id) where user_id is not null;

alter table auth.passkeys enable row level security;
alter table auth.webauthn_challenges enable row level security;
revoke all on auth.passkeys, auth.webauthn_challenges from public, anon, authenticated, service_role;
