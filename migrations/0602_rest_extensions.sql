-- The extensions that hosted projects have from the start: seeds and migrations use them without creating them.

do $$
declare
  wanted text;
begin
  foreach wanted in array array['pgcrypto', 'uuid-ossp'] loop
    if exists (select from pg_extension where extname = wanted)
      or not exists (select from pg_available_extensions where name = wanted) then
      continue;
    end if;
    begin
      execute format('create extension %I with schema extensions', wanted);
    exception
      -- An administrator of the server may create it later; nothing of the product needs it.
      when others then raise notice 'the extension % was not created: %', wanted, sqlerrm;
    end;
  end loop;
end
$$;

do $$
begin
  comment on schema extensions is 'Extensions of projects that run on this database.';
exception
  when insufficient_privilege then null;
end
$$;
