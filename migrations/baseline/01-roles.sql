-- Schemas, the roles that requests take, and the functions that read a request's claims.
-- PostgreSQL 15 understands all of it; the names are those of the hosted service whose clients are served.

create schema if not exists auth;
create schema if not exists storage;
create schema if not exists realtime;
create schema if not exists private;
create schema northline_app;
comment on schema northline_app is
  'What the product adds to the tables of its specification, which stand in `public`. The data service always serves it, and an owner makes tables of the same names in `public`.';

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

grant usage on schema public, northline_app, auth, storage, realtime to anon, authenticated, service_role;
revoke create on schema public from public;

create function auth.jwt() returns jsonb
  language sql stable set search_path = ''
  as $$ select coalesce(nullif(current_setting('request.jwt.claims', true), ''), '{}')::jsonb $$;
comment on function auth.jwt() is
  'Claims of the current request; {} outside of one. The setting is an empty string after a transaction, hence nullif.';

create function auth.uid() returns uuid
  language sql stable set search_path = ''
  as $$ select nullif(auth.jwt() ->> 'sub', '')::uuid $$;
comment on function auth.uid() is 'The account of the current request, null for anon and for the server''s own key.';

create function auth.role() returns text
  language sql stable set search_path = ''
  as $$ select auth.jwt() ->> 'role' $$;
comment on function auth.role() is 'The role of the current request: anon, authenticated or service_role.';

create function auth.email() returns text
  language sql stable set search_path = ''
  as $$ select auth.jwt() ->> 'email' $$;
comment on function auth.email() is 'The address in the claims of the current request.';

create table private.installation (
  key text primary key,
  value text not null
);
comment on table private.installation is 'Facts about the installation itself, e.g. the fingerprint of its keys.';

-- Where hosted projects keep extensions: their migrations name it, and requests look there for names without a schema
-- (decision 0496). One that is there already is its owner's.

do $$
begin
  if to_regnamespace('extensions') is null then
    create schema extensions;
    comment on schema extensions is 'Extensions of projects that run on this database; empty as installed.';
    grant usage on schema extensions to anon, authenticated, service_role;
  end if;
end
$$;

-- Rows that no job knows of yet wake the processes that give them one, instead of waiting for their next look.
create function private.notify_waiting() returns trigger
  language plpgsql set search_path = '' as $$
begin
  perform pg_notify(tg_argv[0], '');
  return null;
end $$;
comment on function private.notify_waiting() is 'Notifies the channel that the trigger names, without a payload.';
revoke all on function private.notify_waiting() from public;
