-- A change of a table with `replica identity full` brings its old row along, as far as subscribers may know it: an
-- update always, a deletion only where no policies decide about rows, because nobody can be asked about a row that
-- is gone.

create or replace function realtime.publish() returns trigger
  language plpgsql security definer set search_path = ''
  as $$
  declare
    line jsonb := case when tg_op = 'DELETE' then pg_catalog.to_jsonb(old) else pg_catalog.to_jsonb(new) end;
    owner text := line ->> 'user_id';
    known jsonb;
    keeps_old boolean := false;
    place jsonb := pg_catalog.jsonb_build_object(
      'schema', tg_table_schema, 'table', tg_table_name,
      'id', pg_catalog.nextval('realtime.change_number'),
      'xid', pg_catalog.pg_current_xact_id()::text::bigint,
      'horizon', pg_catalog.pg_snapshot_xmin(pg_catalog.pg_current_snapshot())::text::bigint);
    change jsonb;
    message text;
    kept text;
  begin
    -- The arguments of the trigger are the columns of the primary key.
    select pg_catalog.jsonb_object_agg(name, line -> name) into known
      from pg_catalog.unnest(tg_argv::text[] || array['user_id', 'customer_id']) as name
      where line operator(pg_catalog.?) name;
    if owner is null and (line operator(pg_catalog.?) 'customer_id') and pg_catalog.to_regclass('public.customers') is not null then
      select c.user_id::text into owner from public.customers c where c.customer_id = line ->> 'customer_id';
    end if;
    change := place operator(pg_catalog.||) pg_catalog.jsonb_build_object(
      'type', tg_op, 'known', known, 'owner', owner, 'at', pg_catalog.clock_timestamp());
    message := change::text;
    kept := message;
    if tg_op <> 'INSERT' then
      select c.relreplident = 'f' and (tg_op = 'UPDATE' or not c.relrowsecurity) into keeps_old
        from pg_catalog.pg_class c where c.oid = tg_relid;
    end if;
    if keeps_old then
      -- As text, so that numbers keep all their digits.
      kept := (change operator(pg_catalog.||) pg_catalog.jsonb_build_object('old', pg_catalog.row_to_json(old)::text))::text;
      -- An old row that does not fit into a notification is read from realtime.changes.
      message := case when pg_catalog.octet_length(kept) <= 7800 then kept
        else (change operator(pg_catalog.||) '{"oldIsKept": true}'::jsonb)::text end;
    end if;
    if pg_catalog.octet_length(message) > 7800 then
      message := (place operator(pg_catalog.||) pg_catalog.jsonb_build_object('type', 'RESYNC'))::text;
      kept := message;
    end if;
    insert into realtime.changes (id, xid, table_name, body)
      values ((place ->> 'id')::bigint, (place ->> 'xid')::bigint, tg_table_name, kept::json);
    perform pg_catalog.pg_notify('realtime_changes', message);
    return null;
  end
  $$;
comment on column realtime.changes.body is
  'The text of the notification, together with the old row of a table with replica identity full.';
