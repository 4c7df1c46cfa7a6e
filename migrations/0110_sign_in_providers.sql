-- Sign-in by other providers (contract §2, §6; decisions 0110, 0111): what has to be remembered
-- between leaving for a provider and coming back, and which addresses were ever proven.

-- Somebody who left for a provider; the row is taken, once, by whoever comes back with its state.
create table auth.provider_flows (
  id uuid primary key default gen_random_uuid(),
  -- HMAC of the state (OAuth) or of the request's id (SAML).
  state_hash bytea not null unique,
  -- HMAC of the cookie of the browser that left.
  browser_hash bytea not null,
  provider text not null,
  -- Ours towards the provider (RFC 7636); sealed.
  code_verifier bytea,
  nonce text,
  redirect_to text not null,
  -- The client's towards us.
  code_challenge text,
  code_challenge_method text check (code_challenge_method in ('s256', 'plain')),
  -- Set when a signed-in user adds an identity.
  linking_user_id uuid references auth.users (id) on delete cascade,
  expires_at timestamptz not null,
  created_at timestamptz not null default now()
);
create index provider_flows_expires_at_idx on auth.provider_flows (expires_at);
create index provider_flows_linking_user_idx on auth.provider_flows (linking_user_id) where linking_user_id is not null;

-- Assertions and nonces that were accepted once and are so never accepted again.
create table auth.used_assertions (
  hash bytea primary key,
  expires_at timestamptz not null
);
create index used_assertions_expires_at_idx on auth.used_assertions (expires_at);

-- The provider's tokens wait, sealed, for the exchange of the code.
alter table auth.flow_state
  add column provider text,
  add column provider_tokens bytea;

-- When the owner of the address was last known to hold it: by a mail of ours or by a provider's word. An
-- account that confirmed itself has not proven anything (security.md, attack 6).
alter table auth.users add column email_proven_at timestamptz;

create function auth.forget_proof_of_old_email() returns trigger
  language plpgsql set search_path = ''
  as $$
begin
  if new.email_proven_at is not distinct from old.email_proven_at then
    new.email_proven_at := null;
  end if;
  return new;
end
$$;
create trigger email_changed before update of email on auth.users
  for each row when (new.email is distinct from old.email) execute function auth.forget_proof_of_old_email();
revoke execute on function auth.forget_proof_of_old_email() from public;

alter table auth.provider_flows enable row level security;
alter table auth.used_assertions enable row level security;
revoke all on auth.provider_flows, auth.used_assertions from public, anon, authenticated, service_role;
