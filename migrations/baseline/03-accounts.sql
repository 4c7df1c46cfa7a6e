-- Accounts, sessions and one-time tokens (contract §2, §6), the audit log, and the mails.
-- Nothing here is granted to the API roles: only the product's own code reads these tables.

create table auth.users (
  id uuid primary key default gen_random_uuid(),
  aud text not null default 'authenticated',
  role text not null default 'authenticated',
  -- Lower case; unique among accounts that are not owned by a company's sign-on.
  email text check (email = lower(email)),
  phone text unique,
  encrypted_password text,
  email_confirmed_at timestamptz,
  phone_confirmed_at timestamptz,
  invited_at timestamptz,
  confirmation_sent_at timestamptz,
  recovery_sent_at timestamptz,
  reauthentication_sent_at timestamptz,
  -- The wanted address, until both sides have confirmed it.
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
  updated_at timestamptz not null default now()
);
create unique index users_email_key on auth.users (email) where not is_sso_user;
create index users_email_change_idx on auth.users (email_change) where email_change is not null;
create index users_created_at_idx on auth.users (created_at, id);

create table auth.identities (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  provider text not null,
  -- The provider's own name for the person; for `email` the user's id.
  provider_id text not null,
  identity_data jsonb not null default '{}',
  email text generated always as (lower(identity_data ->> 'email')) stored,
  last_sign_in_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (provider, provider_id)
);
create index identities_user_id_idx on auth.identities (user_id);
create index identities_email_idx on auth.identities (email);

create table auth.sessions (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  aal text not null default 'aal1' check (aal in ('aal1', 'aal2', 'aal3')),
  -- [{"method": "password", "timestamp": 1700000000}], newest first.
  amr jsonb not null default '[]',
  factor_id uuid,
  -- The refresh token whose counter this is has not been exchanged yet.
  refresh_counter bigint not null default 0,
  -- The oldest counter that was exchanged in the present run of refreshes within the reuse window.
  window_counter bigint not null default 0,
  -- The highest counter whose access token was seen in use: that client has saved it.
  used_counter bigint not null default 0,
  refreshed_at timestamptz,
  not_after timestamptz,
  user_agent text,
  ip text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index sessions_user_id_idx on auth.sessions (user_id, created_at);

create table auth.mfa_factors (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  friendly_name text,
  factor_type text not null check (factor_type in ('totp', 'phone', 'webauthn')),
  status text not null default 'unverified' check (status in ('unverified', 'verified')),
  phone text,
  secret bytea,
  last_step bigint,
  last_challenged_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index mfa_factors_name_key on auth.mfa_factors (user_id, friendly_name) where friendly_name <> '';
create index mfa_factors_user_id_idx on auth.mfa_factors (user_id);

-- PKCE: the challenge of who asked, and the code that leads back to it (RFC 7636).
create table auth.flow_state (
  id uuid primary key default gen_random_uuid(),
  user_id uuid references auth.users (id) on delete cascade,
  authentication_method text not null,
  code_challenge text not null,
  code_challenge_method text not null check (code_challenge_method in ('s256', 'plain')),
  auth_code_hash bytea unique,
  auth_code_issued_at timestamptz,
  -- The session that the code was exchanged for: a second exchange ends it.
  session_id uuid,
  created_at timestamptz not null default now()
);
create index flow_state_created_at_idx on auth.flow_state (created_at);

create table auth.one_time_tokens (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  token_type text not null check (token_type in (
    'confirmation', 'invite', 'magiclink', 'recovery', 'email_change_current', 'email_change_new',
    'reauthentication', 'phone_confirmation', 'phone_change'
  )),
  -- The address that the token was sent to.
  relates_to text not null,
  -- HMACs, so that a stolen copy of this table opens nothing. The code's goes after too many wrong tries.
  code_hash bytea,
  link_hash bytea not null unique,
  tries smallint not null default 0,
  flow_state_id uuid references auth.flow_state (id) on delete set null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  unique (user_id, token_type)
);
create index one_time_tokens_expires_at_idx on auth.one_time_tokens (expires_at);
create index one_time_tokens_address_idx on auth.one_time_tokens (relates_to);

create table auth.audit_log_entries (
  id uuid primary key default gen_random_uuid(),
  created_at timestamptz not null default now(),
  action text not null,
  actor_id uuid,
  ip_address text,
  payload jsonb not null default '{}'
);
create index audit_log_entries_created_at_idx on auth.audit_log_entries (created_at);
create index audit_log_entries_actor_idx on auth.audit_log_entries (actor_id, created_at);

create function auth.refuse_change() returns trigger
  language plpgsql set search_path = ''
  as $$ begin raise exception 'the audit log is append-only' using errcode = '42501'; end $$;
create trigger audit_log_append_only before update or delete or truncate on auth.audit_log_entries
  for each statement execute function auth.refuse_change();

-- Every process forgets an ended session at once, whichever statement ended it.
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

alter table auth.users enable row level security;
alter table auth.identities enable row level security;
alter table auth.sessions enable row level security;
alter table auth.mfa_factors enable row level security;
alter table auth.flow_state enable row level security;
alter table auth.one_time_tokens enable row level security;
alter table auth.audit_log_entries enable row level security;
revoke all on all tables in schema auth from public, anon, authenticated, service_role;
revoke execute on function auth.refuse_change(), auth.tell_session_ended(), auth.end_sessions_of_barred_user()
  from public;

-- Outbox of mails, and the built-in mailbox while no mail server is configured.
create table private.mails (
  id uuid primary key default gen_random_uuid(),
  recipient text not null,
  sender text not null,
  subject text not null,
  body_text text not null,
  body_html text not null,
  reply_to text,
  state text not null check (state in ('kept', 'waiting', 'sent', 'failed')),
  last_error text,
  created_at timestamptz not null default clock_timestamp(),
  sent_at timestamptz
);
create index mails_created_at_idx on private.mails (created_at desc);
