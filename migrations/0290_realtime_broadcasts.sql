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
  'Broadcasts to a topic when the transaction commits. What policies refuse is a warning, no error.';

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

create function realtime.watch_published(wanted text default null) returns void
  language plpgsql set search_path = ''
  as $$
declare
  published regclass;
begin
  for published in
    select pg_catalog.format('%I.%I', p.schemaname, p.tablename)::regclass from pg_catalog.pg_publication_tables p
    where p.pubname = 'supabase_realtime' and p.schemaname = 'public' and (wanted is null or p.tablename = wanted)
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
comment on function realtime.watch_published(text) is
  'Watches the tables of the publication supabase_realtime that are not watched yet, or the one of that name.';
revoke execute on function realtime.watch_published(text) from public;
