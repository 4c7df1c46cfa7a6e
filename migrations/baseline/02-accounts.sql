-- Accounts, sessions, second factors, passkeys, sign-in by other providers, one-time tokens, the audit log.

create table auth.users (
  id uuid primary key default gen_random_uuid(),
  aud text not null default 'authenticated',
  role text not null default 'authenticated',
  email text check (email = lower(email)),
  phone text unique,
  encrypted_password text,
  email_confirmed_at timestamptz,
  phone_confirmed_at timestamptz,
  invited_at timestamptz,
  confirmation_sent_at timestamptz,
  recovery_sent_at timestamptz,
  reauthentication_sent_at timestamptz,
  email_change text,
  email_change_sent_at timestamptz,
  phone_change text,
  phone_change_sent_at timestamptz,
  last_sign_in_at timestamptz,
  raw_app_meta_data jsonb not null default '{}',
  raw_user_meta_data jsonb not null default '{}',
  is_sso_user boolean not null default false,
  is_anonymous boolean not null default false,
  banned_until timestamptz,
  deleted_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  locale text,
  email_proven_at timestamptz,
  instance_id uuid,
  confirmation_token text constraint confirmation_token_stays_empty check (confirmation_token = ''),
  recovery_token text constraint recovery_token_stays_empty check (recovery_token = ''),
  email_change_token_new text constraint email_change_token_new_stays_empty check (email_change_token_new = ''),
  email_change_token_current text constraint email_change_token_current_stays_empty check (email_change_token_current = ''),
  reauthentication_token text constraint reauthentication_token_stays_empty check (reauthentication_token = ''),
  deletion_due_at timestamptz
);
comment on table auth.users is 'Accounts.';
comment on column auth.users.email is 'Lower case; unique among accounts that are not owned by a company''s sign-on.';
comment on column auth.users.email_change is 'The wanted address, until both sides have confirmed it.';
comment on column auth.users.locale is
  'The language of the browser at sign-up, for mails; `user_metadata.locale` comes before it.';
comment on column auth.users.instance_id is 'Kept and unused: seed files of hosted projects name it.';
comment on column auth.users.confirmation_token is 'Kept and unused, and only ever empty.';
comment on column auth.users.recovery_token is 'Kept and unused, and only ever empty.';
comment on column auth.users.email_change_token_new is 'Kept and unused, and only ever empty.';
comment on column auth.users.email_change_token_current is 'Kept and unused, and only ever empty.';
comment on column auth.users.reauthentication_token is 'Kept and unused, and only ever empty.';
comment on column auth.users.deletion_due_at is
  'When the account will be deleted, as its owner asked for; null for every other one.';
create unique index users_email_key on auth.users (email) where not is_sso_user;
create index users_email_change_idx on auth.users (email_change) where email_change is not null;
create index users_created_at_idx on auth.users (created_at, id);
create index users_anonymous_idx on auth.users (created_at) where is_anonymous;
create index users_phone_change_idx on auth.users (phone_change) where phone_change is not null;
create index users_deletion_due_at_idx on auth.users (deletion_due_at) where deletion_due_at is not null;

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
comment on trigger email_changed on auth.users is 'Forgets that the address was proven when the address changes.';

create function auth.end_sessions_of_barred_user() returns trigger
  language plpgsql set search_path = ''
  as $$
begin
  if new.deleted_at is not null or new.banned_until > pg_catalog.now() then
    delete from auth.sessions where user_id = new.id;
  end if;
  return null;
end
$$;
create trigger user_barred after update of banned_until, deleted_at on auth.users
  for each row execute function auth.end_sessions_of_barred_user();
comment on trigger user_barred on auth.users is 'Ends the sessions of an account that is banned or softly deleted.';

create table auth.identities (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  provider text not null,
  provider_id text not null,
  identity_data jsonb not null default '{}',
  email text generated always as (lower(identity_data ->> 'email')) stored,
  last_sign_in_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (provider, provider_id)
);
comment on table auth.identities is
  'The ways in which a person signs in to an account: its own address or phone, and other providers.';
comment on column auth.identities.provider_id is 'The provider''s own name for the person; for `email` the user''s id.';
create index identities_user_id_idx on auth.identities (user_id);
create index identities_email_idx on auth.identities (email);

create table auth.sessions (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  aal text not null default 'aal1' check (aal in ('aal1', 'aal2', 'aal3')),
  amr jsonb not null default '[]',
  factor_id uuid,
  refresh_counter bigint not null default 0,
  window_counter bigint not null default 0,
  used_counter bigint not null default 0,
  refreshed_at timestamptz,
  not_after timestamptz,
  user_agent text,
  ip text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
comment on table auth.sessions is
  'Signed-in browsers and devices. A session is one chain of refresh tokens, which are counters.';
comment on column auth.sessions.amr is '[{"method": "password", "timestamp": 1700000000}], newest first.';
comment on column auth.sessions.refresh_counter is
  'The refresh token whose counter this is has not been exchanged yet.';
comment on column auth.sessions.window_counter is
  'The oldest counter that was exchanged in the present run of refreshes within the reuse window.';
comment on column auth.sessions.used_counter is
  'The highest counter whose access token was seen in use: that client has saved it.';
create index sessions_user_id_idx on auth.sessions (user_id, created_at);
create index sessions_factor_id_idx on auth.sessions (factor_id) where factor_id is not null;

create function auth.tell_session_ended() returns trigger
  language plpgsql set search_path = ''
  as $$
begin
  perform pg_catalog.pg_notify('auth_ended', pg_catalog.json_build_object('session', old.id, 'user', old.user_id)::text);
  return null;
end
$$;
create trigger session_ended after delete on auth.sessions
  for each row execute function auth.tell_session_ended();
comment on trigger session_ended on auth.sessions is
  'Notifies every process that a session has ended, whichever statement ended it, so that its access tokens stop working.';

create table auth.flow_state (
  id uuid primary key default gen_random_uuid(),
  user_id uuid references auth.users (id) on delete cascade,
  authentication_method text not null,
  code_challenge text not null,
  code_challenge_method text not null check (code_challenge_method in ('s256', 'plain')),
  auth_code_hash bytea unique,
  auth_code_issued_at timestamptz,
  session_id uuid,
  created_at timestamptz not null default now(),
  provider text,
  provider_tokens bytea
);
comment on table auth.flow_state is 'PKCE: the challenge of the client that asked, and the code that leads back to it (RFC 7636).';
comment on column auth.flow_state.session_id is
  'The session that the code was exchanged for: a second exchange ends it.';
create index flow_state_created_at_idx on auth.flow_state (created_at);

create table auth.one_time_tokens (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  token_type text not null check (token_type in (
  'confirmation', 'invite', 'magiclink', 'recovery', 'email_change_current', 'email_change_new',
  'reauthentication', 'phone_confirmation', 'phone_login', 'phone_change'
)),
  relates_to text not null,
  code_hash bytea,
  link_hash bytea not null unique,
  tries smallint not null default 0,
  flow_state_id uuid references auth.flow_state (id) on delete set null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  unique (user_id, token_type)
);
comment on table auth.one_time_tokens is
  'Codes and links that were sent to an address or a phone, at most one of each type for an account.';
comment on column auth.one_time_tokens.relates_to is 'The address that the token was sent to.';
comment on column auth.one_time_tokens.code_hash is
  'HMACs, so that a stolen copy of this table opens nothing. The code''s goes after too many wrong tries.';
create index one_time_tokens_expires_at_idx on auth.one_time_tokens (expires_at);
create index one_time_tokens_address_idx on auth.one_time_tokens (relates_to);

create table auth.mfa_factors (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  friendly_name text,
  factor_type text not null check (factor_type in ('totp', 'phone', 'webauthn', 'recovery_code')),
  status text not null default 'unverified' check (status in ('unverified', 'verified')),
  phone text,
  secret bytea,
  last_step bigint,
  last_challenged_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  tries integer not null default 0,
  blocked_until timestamptz,
  credential jsonb
);
comment on table auth.mfa_factors is 'Second factors: authenticator apps, phones, security keys, recovery codes.';
comment on column auth.mfa_factors.credential is
  '{id, public_key (base64), counter, transports}, once the key was made.';
create unique index mfa_factors_name_key on auth.mfa_factors (user_id, friendly_name) where friendly_name <> '';
create index mfa_factors_user_id_idx on auth.mfa_factors (user_id);

-- One set of recovery codes an account.
create unique index mfa_factors_recovery_key on auth.mfa_factors (user_id) where factor_type = 'recovery_code';

create table auth.mfa_challenges (
  id uuid primary key default gen_random_uuid(),
  factor_id uuid not null references auth.mfa_factors (id) on delete cascade,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  code_hash bytea,
  webauthn_challenge text
);
comment on table auth.mfa_challenges is 'Challenges of second factors that wait for their answer.';
comment on column auth.mfa_challenges.webauthn_challenge is 'What the device signs, for a webauthn factor.';
create index mfa_challenges_factor_id_idx on auth.mfa_challenges (factor_id);
create index mfa_challenges_expires_at_idx on auth.mfa_challenges (expires_at);

create table auth.mfa_recovery_codes (
  id uuid primary key default gen_random_uuid(),
  factor_id uuid not null references auth.mfa_factors (id) on delete cascade,
  code_hash bytea not null,
  used_at timestamptz,
  created_at timestamptz not null default now(),
  unique (factor_id, code_hash)
);
comment on table auth.mfa_recovery_codes is 'The codes of a recovery factor, each used once.';
comment on column auth.mfa_recovery_codes.code_hash is 'HMAC, so that a copy of this table opens nothing.';

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
comment on table auth.passkeys is 'Public keys of people''s devices, which sign in by themselves (WebAuthn level 3).';
create index passkeys_user_id_idx on auth.passkeys (user_id, created_at);

create table auth.webauthn_challenges (
  id uuid primary key default gen_random_uuid(),
  kind text not null check (kind in ('registration', 'authentication')),
  user_id uuid references auth.users (id) on delete cascade,
  challenge text not null,
  expires_at timestamptz not null,
  check ((kind = 'registration') = (user_id is not null))
);
comment on table auth.webauthn_challenges is 'Challenges that a passkey has to sign.';
comment on column auth.webauthn_challenges.user_id is 'Set for a registration; at a sign-in the account is known only afterwards.';
create index webauthn_challenges_expires_at_idx on auth.webauthn_challenges (expires_at);
create index webauthn_challenges_user_id_idx on auth.webauthn_challenges (user_id) where user_id is not null;

create table auth.provider_flows (
  id uuid primary key default gen_random_uuid(),
  state_hash bytea not null unique,
  browser_hash bytea not null,
  provider text not null,
  code_verifier bytea,
  nonce text,
  redirect_to text not null,
  code_challenge text,
  code_challenge_method text check (code_challenge_method in ('s256', 'plain')),
  linking_user_id uuid references auth.users (id) on delete cascade,
  expires_at timestamptz not null,
  created_at timestamptz not null default now()
);
comment on table auth.provider_flows is
  'Visitors who left for another provider. The browser that comes back with the state takes the row, once.';
comment on column auth.provider_flows.state_hash is 'HMAC of the state (OAuth) or of the request''s id (SAML).';
comment on column auth.provider_flows.browser_hash is 'HMAC of the cookie of the browser that left.';
comment on column auth.provider_flows.code_verifier is 'Of our own exchange with the provider (RFC 7636); sealed.';
comment on column auth.provider_flows.code_challenge is 'Of the client''s exchange with us (RFC 7636).';
comment on column auth.provider_flows.linking_user_id is 'Set when a signed-in user adds an identity.';
create index provider_flows_expires_at_idx on auth.provider_flows (expires_at);
create index provider_flows_linking_user_idx on auth.provider_flows (linking_user_id) where linking_user_id is not null;

create table auth.used_assertions (
  hash bytea primary key,
  expires_at timestamptz not null
);
comment on table auth.used_assertions is 'Assertions and nonces that were accepted once and are never accepted again.';
create index used_assertions_expires_at_idx on auth.used_assertions (expires_at);

create table auth.sso_providers (
  id uuid primary key default gen_random_uuid(),
  resource_id text unique,
  disabled boolean not null default false,
  entity_id text not null unique,
  metadata_xml text not null,
  metadata_url text,
  attribute_mapping jsonb not null default '{}',
  name_id_format text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
comment on table auth.sso_providers is 'Identity providers of companies (SAML 2.0), by their metadata.';

create table auth.sso_domains (
  id uuid primary key default gen_random_uuid(),
  sso_provider_id uuid not null references auth.sso_providers (id) on delete cascade,
  domain text not null unique check (domain = lower(domain)),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
comment on table auth.sso_domains is 'Mail domains whose people sign in at a company''s identity provider.';
create index sso_domains_provider_idx on auth.sso_domains (sso_provider_id);

create table auth.audit_log_entries (
  id uuid primary key default gen_random_uuid(),
  created_at timestamptz not null default now(),
  action text not null,
  actor_id uuid,
  ip_address text,
  payload jsonb not null default '{}'
);
comment on table auth.audit_log_entries is 'Who did what to which account. Append only.';
create index audit_log_entries_created_at_idx on auth.audit_log_entries (created_at);
create index audit_log_entries_actor_idx on auth.audit_log_entries (actor_id, created_at);

create function auth.refuse_change() returns trigger
  language plpgsql set search_path = ''
  as $$ begin raise exception 'the audit log is append-only' using errcode = '42501'; end $$;
create trigger audit_log_append_only before update or delete or truncate on auth.audit_log_entries
  for each statement execute function auth.refuse_change();
comment on trigger audit_log_append_only on auth.audit_log_entries is 'Refuses every change of the audit log.';

-- Nothing here is granted to the roles of the API: only the product's own code reads these tables.
alter table auth.users enable row level security;
alter table auth.identities enable row level security;
alter table auth.sessions enable row level security;
alter table auth.mfa_factors enable row level security;
alter table auth.mfa_challenges enable row level security;
alter table auth.mfa_recovery_codes enable row level security;
alter table auth.passkeys enable row level security;
alter table auth.webauthn_challenges enable row level security;
alter table auth.flow_state enable row level security;
alter table auth.one_time_tokens enable row level security;
alter table auth.provider_flows enable row level security;
alter table auth.used_assertions enable row level security;
alter table auth.sso_providers enable row level security;
alter table auth.sso_domains enable row level security;
alter table auth.audit_log_entries enable row level security;

revoke all on all tables in schema auth from public, anon, authenticated, service_role;
revoke execute on function
  auth.refuse_change(), auth.tell_session_ended(), auth.end_sessions_of_barred_user(), auth.forget_proof_of_old_email()
from public;

create function auth.read_seeded_account() returns trigger
  language plpgsql set search_path = ''
  as $$
begin
  new.email := lower(new.email);
  new.email_change := nullif(new.email_change, '');
  new.phone := nullif(new.phone, '');
  new.phone_change := nullif(new.phone_change, '');
  return new;
end
$$;
comment on function auth.read_seeded_account() is
  'Seed files write empty text where nothing is meant, and addresses as they are typed.';
create trigger account_seeded before insert on auth.users
  for each row execute function auth.read_seeded_account();
comment on trigger account_seeded on auth.users is 'Brings a row of a seed file into the form of the product''s own rows.';

-- An account with a second factor reads and changes nothing before the factor was given. The rule stands here once.
-- These policies only narrow: the policies that say whose rows they are stay.

create function auth.second_factor_given() returns boolean
  language sql stable security definer set search_path = '' as $$
  select coalesce(auth.jwt() ->> 'aal' = 'aal2', false) or not exists (
    select 1 from auth.mfa_factors f where f.user_id = auth.uid() and f.status = 'verified')
$$;
comment on function auth.second_factor_given() is
  'Whether the caller has given the second factor that the account has; true for an account without one, and without an account.';
