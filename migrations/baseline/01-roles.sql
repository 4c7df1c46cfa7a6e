-- Schemas, the roles that requests take, and the helpers that policies use.
-- PostgreSQL 15 understands all of it; names are those of the hosted contract (contracts §8).

create schema if not exists auth;
create schema if not exists storage;
create schema if not exists realtime;
create schema if not exists private;
revoke all on schema private from public;

-- Roles belong to the server, not to the database: another installation may have made them.
do $$
declare
  wanted record;
begin
  for wanted in
    select * from (values
      ('anon', 'nologin noinherit'),
      ('authenticated', 'nologin noinherit'),
      ('service_role', 'nologin noinherit bypassrls'),
      ('authenticator', 'login noinherit')
    ) as role (name, options)
  loop
    if exists (select 1 from pg_roles where rolname = wanted.name) then
      continue;
    end if;
    begin
      execute format('create role %I %s', wanted.name, wanted.options);
    exception
      when duplicate_object or unique_violation then
        null;
      when insufficient_privilege then
        -- Before PostgreSQL 16 only a superuser gives bypassrls; our own tables have policies for service_role.
        if wanted.name <> 'service_role' then raise; end if;
        create role service_role nologin noinherit;
    end;
  end loop;
end
$$;

do $$
declare
  member text;
begin
  foreach member in array array['anon', 'authenticated', 'service_role'] loop
    if not pg_has_role('authenticator', member, 'member') then
      execute format('grant %I to authenticator', member);
    end if;
  end loop;
end
$$;

alter role authenticator set statement_timeout = '15s';
alter role authenticator set idle_in_transaction_session_timeout = '30s';
alter role authenticator set lock_timeout = '10s';

grant usage on schema public, auth, storage, realtime to anon, authenticated, service_role;
revoke create on schema public from public;

-- Claims of the request: empty string after a transaction, so nullif (contract §7, trap 8).
create function auth.jwt() returns jsonb
  language sql stable set search_path = ''
  as $$ select coalesce(nullif(current_setting('request.jwt.claims', true), ''), '{}')::jsonb $$;

create function auth.uid() returns uuid
  language sql stable set search_path = ''
  as $$ select nullif(auth.jwt() ->> 'sub', '')::uuid $$;

create function auth.role() returns text
  language sql stable set search_path = ''
  as $$ select auth.jwt() ->> 'role' $$;

create function auth.email() returns text
  language sql stable set search_path = ''
  as $$ select auth.jwt() ->> 'email' $$;

-- Facts about the installation itself, e.g. the fingerprint of its keys.
create table private.installation (
  key text primary key,
  value text not null
);
