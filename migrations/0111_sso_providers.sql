-- Single sign-on of companies by SAML 2.0 (contract §2; decision 0112): identity providers by their metadata,
-- and the mail domains whose people sign in there.

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

create table auth.sso_domains (
  id uuid primary key default gen_random_uuid(),
  sso_provider_id uuid not null references auth.sso_providers (id) on delete cascade,
  domain text not null unique check (domain = lower(domain)),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index sso_domains_provider_idx on auth.sso_domains (sso_provider_id);

alter table auth.sso_providers enable row level security;
alter table auth.sso_domains enable row level security;
revoke all on auth.sso_providers, auth.sso_domains from public, anon, authenticated, service_role;
