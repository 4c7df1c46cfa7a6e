-- Changes of watched tables leave by NOTIFY, with keys only: each subscriber's row is read again
-- under that subscriber's rights.

create unlogged table realtime.change_log (
  single boolean primary key default true check (single),
  epoch text not null default left(md5(gen_random_uuid()::text), 12),
  floor bigint not null default 0
);
comment on table realtime.change_log is
  'One row: the epoch and the start of the kept changes. Unlogged as realtime.changes is: a crash of the database empties both, the epoch is new then, and every earlier cursor is answered with a resync.';
comment on column realtime.change_log.epoch is 'Cursors of another epoch mean nothing here.';
comment on column realtime.change_log.floor is 'Cursors before this transaction may have lost changes to the sweep.';

create sequence realtime.change_number;

create unlogged table realtime.changes (
  id bigint primary key,
  xid bigint not null,
  table_name text not null,
  body json not null,
  at timestamptz not null default clock_timestamp()
);
comment on table realtime.changes is
  'Changes are kept for a while, so that a client that was away gets what it missed.';
comment on column realtime.changes.xid is 'The transaction that made the change.';
comment on column realtime.changes.body is 'The text of the notification.';
create index changes_of_transaction on realtime.changes (xid);

create function realtime.publish() returns trigger
  language plpgsql security definer set search_path = ''
  as $$
  declare
    line jsonb := case when tg_op = 'DELETE' then pg_catalog.to_jsonb(old) else pg_catalog.to_jsonb(new) end;
    owner text := line ->> 'user_id';
    known jsonb;
    place jsonb := pg_catalog.jsonb_build_object(
      'schema', tg_table_schema, 'table', tg_table_name,
      'id', pg_catalog.nextval('realtime.change_number'),
      'xid', pg_catalog.pg_current_xact_id()::text::bigint,
      'horizon', pg_catalog.pg_snapshot_xmin(pg_catalog.pg_current_snapshot())::text::bigint);
    message text;
  begin
    -- The arguments of the trigger are the columns of the primary key.
    select pg_catalog.jsonb_object_agg(name, line -> name) into known
      from pg_catalog.unnest(tg_argv::text[] || array['user_id', 'customer_id']) as name
      where line operator(pg_catalog.?) name;
    if owner is null and (line operator(pg_catalog.?) 'customer_id') and pg_catalog.to_regclass('public.customers') is not null then
      select c.user_id::text into owner from public.customers c where c.customer_id = line ->> 'customer_id';
    end if;
    message := (place operator(pg_catalog.||) pg_catalog.jsonb_build_object(
      'type', tg_op, 'known', known, 'owner', owner, 'at', pg_catalog.clock_timestamp()))::text;
    if pg_catalog.octet_length(message) > 7800 then
      message := (place operator(pg_catalog.||) pg_catalog.jsonb_build_object('type', 'RESYNC'))::text;
    end if;
    insert into realtime.changes (id, xid, table_name, body)
      values ((place ->> 'id')::bigint, (place ->> 'xid')::bigint, tg_table_name, message::json);
    perform pg_catalog.pg_notify('realtime_changes', message);
    return null;
  end
  $$;

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
comment on function realtime.watch(regclass) is
  'Puts a table under watch: `select realtime.watch(''public.things'')`. It needs a primary key.';

revoke execute on function realtime.publish(), realtime.watch(regclass) from public;

create function realtime.topic() returns text
  language sql stable set search_path = ''
  as $$ select nullif(current_setting('realtime.topic', true), '') $$;
comment on function realtime.topic() is 'The topic that a policy on realtime.messages decides about.';

create table realtime.messages (
  id uuid primary key default gen_random_uuid(),
  topic text not null,
  extension text not null check (extension in ('broadcast', 'presence')),
  event text,
  payload jsonb,
  private boolean not null default true,
  inserted_at timestamptz not null default now()
);
comment on table realtime.messages is
  'Who may join a private channel, and send to it, is decided by policies on this table, which read realtime.topic() and the column `extension`: select to receive, insert to send.';

create policy service on realtime.messages to service_role using (true) with check (true);

-- One row of each kind, which a caller sees when a policy lets him receive.
insert into realtime.messages (topic, extension) values ('', 'broadcast'), ('', 'presence');

create unlogged table realtime.parcels (
  id bigint generated always as identity primary key,
  body text not null,
  sent_at timestamptz not null default now()
);
comment on table realtime.parcels is 'Messages between processes that do not fit a NOTIFY; swept within minutes.';

alter table realtime.change_log enable row level security;
alter table realtime.changes enable row level security;
alter table realtime.messages enable row level security;
alter table realtime.parcels enable row level security;

grant select, insert on realtime.messages to anon, authenticated, service_role;

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

-- Broadcasts that SQL sends, with the functions of hosted projects: a row of realtime.messages with an event is
-- broadcast when its transaction commits, by every process, and stays a while for clients that ask for a replay.

create index messages_of_topic on realtime.messages (topic, inserted_at);

create function realtime.tell_message() returns trigger
  language plpgsql set search_path = ''
  as $$ begin perform pg_catalog.pg_notify('realtime_messages', new.id::text); return null; end $$;
comment on function realtime.tell_message() is 'Tells the processes of a broadcast that SQL sends.';

create trigger tell_message after insert on realtime.messages
  for each row when (new.extension = 'broadcast' and new.event is not null and new.topic <> '')
  execute function realtime.tell_message();
comment on trigger tell_message on realtime.messages is 'A row with an event is broadcast.';

create function realtime.send(payload jsonb, event text, topic text, private boolean default true) returns void
  language plpgsql set search_path = ''
  as $$
declare
  message_id uuid := pg_catalog.gen_random_uuid();
begin
  -- Policies on realtime.messages decide for the role that sends.
  perform pg_catalog.set_config('realtime.topic', topic, true);
  insert into realtime.messages (id, topic, extension, event, payload, private)
    values (message_id, topic, 'broadcast', event,
      pg_catalog.jsonb_build_object('id', message_id) operator(pg_catalog.||) payload, private);
exception
  -- As on the hosted stack: a broadcast that may not be sent does not undo the change that it tells of.
  when others then raise warning 'realtime.send: %', sqlerrm;
end
$$;
comment on function realtime.send(jsonb, text, text, boolean) is
  'Broadcasts to a topic when the transaction commits. A refusal by a policy is a warning, not an error.';

create function realtime.broadcast_changes(
  topic_name text, event_name text, operation text, table_name text, table_schema text,
  new record, old record, level text default 'ROW'
) returns void
  language plpgsql set search_path = ''
  as $$
begin
  if level = 'STATEMENT' then
    raise exception 'realtime.broadcast_changes can only be called for each row, not for each statement';
  end if;
  perform realtime.send(pg_catalog.jsonb_build_object(
    'old_record', old, 'record', new, 'operation', operation, 'table', table_name, 'schema', table_schema),
    event_name, topic_name);
end
$$;
comment on function realtime.broadcast_changes(text, text, text, text, text, record, record, text) is
  'Broadcasts a change of a row, from a trigger: record, old_record, operation, table and schema.';

revoke execute on function realtime.tell_message() from public;

-- Migrations of hosted projects put tables into this publication; a join for its changes then watches them.
do $$
begin
  create publication supabase_realtime;
exception
  when insufficient_privilege or duplicate_object then
    null;
end
$$;

create function realtime.watch_published(wanted text default null, schemas text[] default '{public}') returns void
  language plpgsql set search_path = ''
  as $$
declare
  published regclass;
begin
  for published in
    select pg_catalog.format('%I.%I', p.schemaname, p.tablename)::regclass from pg_catalog.pg_publication_tables p
    where p.pubname = 'supabase_realtime' and p.schemaname operator(pg_catalog.=) any (schemas)
      and (wanted is null or p.tablename = wanted)
      and not exists (select from pg_catalog.pg_trigger t where t.tgname = 'realtime_publish'
        and t.tgrelid = pg_catalog.format('%I.%I', p.schemaname, p.tablename)::regclass)
  loop
    begin
      perform realtime.watch(published);
    exception
      when others then raise warning '%', sqlerrm;
    end;
  end loop;
end
$$;
comment on function realtime.watch_published(text, text[]) is
  'Watches the tables of the publication supabase_realtime in these schemas that are not watched yet, or those of that name.';
revoke execute on function realtime.watch_published(text, text[]) from public;
