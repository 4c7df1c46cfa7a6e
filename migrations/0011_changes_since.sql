-- Changes are kept for a while, so that a client that was away gets what it missed (decision 0034).
-- Unlogged: a crash of the database empties both tables together, the epoch is new then, and every
-- cursor from before is answered with a resync.

create unlogged table realtime.change_log (
  single boolean primary key default true check (single),
  -- Cursors of another epoch mean nothing here.
  epoch text not null default left(md5(gen_random_uuid()::text), 12),
  -- Cursors before this transaction may have lost changes to the sweep.
  floor bigint not null default 0
);
alter table realtime.change_log enable row level security;

create sequence realtime.change_number;

create unlogged table realtime.changes (
  id bigint primary key,
  -- The transaction that made the change.
  xid bigint not null,
  table_name text not null,
  -- What the notification says.
  body json not null,
  at timestamptz not null default clock_timestamp()
);
create index changes_of_transaction on realtime.changes (xid);
alter table realtime.changes enable row level security;

-- As in 0008; every change has a number, its transaction and the horizon: whatever commits after
-- this change was made by a transaction that is not before the horizon.
create or replace function realtime.publish() returns trigger
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
