-- Changes of watched tables leave by NOTIFY, with keys only: each subscriber's row is read again
-- under that subscriber's rights (contract §5). Runs after the tables exist.

-- A NOTIFY carries less than 8000 bytes.
create function realtime.publish() returns trigger
  language plpgsql security definer set search_path = ''
  as $$
  declare
    line jsonb := case when tg_op = 'DELETE' then pg_catalog.to_jsonb(old) else pg_catalog.to_jsonb(new) end;
    owner text := line ->> 'user_id';
    known jsonb;
    message text;
  begin
    -- The arguments of the trigger are the columns of the primary key.
    select pg_catalog.jsonb_object_agg(name, line -> name) into known
      from pg_catalog.unnest(tg_argv::text[] || array['user_id', 'customer_id']) as name
      where line operator(pg_catalog.?) name;
    if owner is null and (line operator(pg_catalog.?) 'customer_id') and pg_catalog.to_regclass('public.customers') is not null then
      select c.user_id::text into owner from public.customers c where c.customer_id = line ->> 'customer_id';
    end if;
    message := pg_catalog.jsonb_build_object(
      'schema', tg_table_schema, 'table', tg_table_name, 'type', tg_op, 'known', known, 'owner', owner,
      'at', pg_catalog.clock_timestamp())::text;
    if pg_catalog.octet_length(message) > 7800 then
      message := pg_catalog.jsonb_build_object('schema', tg_table_schema, 'table', tg_table_name, 'type', 'RESYNC')::text;
    end if;
    perform pg_catalog.pg_notify('realtime_changes', message);
    return null;
  end
  $$;

-- Puts a table under watch: `select realtime.watch('public.things')`. It needs a primary key.
create function realtime.watch(watched regclass) returns void
  language plpgsql set search_path = ''
  as $$
  declare
    keys text;
  begin
    select pg_catalog.string_agg(pg_catalog.quote_literal(a.attname), ', ' order by o.at) into keys
      from pg_catalog.pg_index i, pg_catalog.unnest(i.indkey) with ordinality o (key, at), pg_catalog.pg_attribute a
      where i.indrelid = watched and i.indisprimary and a.attrelid = watched and a.attnum = o.key;
    if keys is null then
      raise exception 'realtime.watch: % has no primary key', watched;
    end if;
    execute pg_catalog.format('drop trigger if exists realtime_publish on %s', watched);
    execute pg_catalog.format(
      'create trigger realtime_publish after insert or update or delete on %s for each row execute function realtime.publish(%s)',
      watched, keys);
  end
  $$;

revoke execute on function realtime.publish(), realtime.watch(regclass) from public;

do $$
declare
  name text;
begin
  foreach name in array array['credit_transactions', 'customers', 'user_files', 'subscriptions'] loop
    if to_regclass('public.' || name) is not null then
      perform realtime.watch(('public.' || name)::regclass);
    end if;
  end loop;
end
$$;

-- Who may join a private channel, and send to it, is said by policies on this table, which read
-- realtime.topic() and the column `extension` (broadcast, presence): select to receive, insert to send.
create function realtime.topic() returns text
  language sql stable set search_path = ''
  as $$ select nullif(current_setting('realtime.topic', true), '') $$;

create table realtime.messages (
  id uuid primary key default gen_random_uuid(),
  topic text not null,
  extension text not null check (extension in ('broadcast', 'presence')),
  event text,
  payload jsonb,
  private boolean not null default true,
  inserted_at timestamptz not null default now()
);
alter table realtime.messages enable row level security;
grant select, insert on realtime.messages to anon, authenticated, service_role;
create policy service on realtime.messages to service_role using (true) with check (true);
-- One row of each kind, which a caller sees when a policy lets him receive.
insert into realtime.messages (topic, extension) values ('', 'broadcast'), ('', 'presence');

-- Messages between processes that do not fit a NOTIFY; swept within minutes.
create unlogged table realtime.parcels (
  id bigint generated always as identity primary key,
  body text not null,
  sent_at timestamptz not null default now()
);
alter table realtime.parcels enable row level security;

-- The data and realtime services read the schema again after a change of it. An event trigger
-- needs a superuser; without one they notice by the errors of the next request.
create function private.tell_schema_changed() returns event_trigger
  language plpgsql set search_path = ''
  as $$ begin perform pg_catalog.pg_notify('pgrst', 'reload schema'); end $$;

do $$
begin
  create event trigger northline_schema_changed on ddl_command_end
    when tag in ('CREATE TABLE', 'ALTER TABLE', 'CREATE VIEW', 'ALTER VIEW', 'CREATE FUNCTION', 'ALTER FUNCTION',
      'CREATE MATERIALIZED VIEW', 'CREATE TRIGGER', 'ALTER TYPE', 'CREATE TYPE')
    execute function private.tell_schema_changed();
  create event trigger northline_schema_dropped on sql_drop
    execute function private.tell_schema_changed();
exception
  when insufficient_privilege then
    null;
end
$$;
