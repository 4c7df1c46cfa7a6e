-- Broadcasts of bytes from SQL, with the function of hosted projects.

alter table realtime.messages add column binary_payload bytea;
comment on column realtime.messages.binary_payload is
  'The bytes of a broadcast by realtime.send_binary; such a row has no payload.';

create function realtime.send_binary(payload bytea, event text, topic text, private boolean default true) returns void
  language plpgsql set search_path = ''
  as $$
begin
  -- Policies on realtime.messages decide for the role that sends.
  perform pg_catalog.set_config('realtime.topic', topic, true);
  insert into realtime.messages (topic, extension, event, binary_payload, private)
    values (topic, 'broadcast', event, payload, private);
exception
  -- As in realtime.send: a broadcast that may not be sent does not undo the change that it tells of.
  when others then raise warning 'realtime.send_binary: %', sqlerrm;
end
$$;
comment on function realtime.send_binary(bytea, text, text, boolean) is
  'Broadcasts bytes to a topic when the transaction commits. A refusal by a policy is a warning, not an error.';
