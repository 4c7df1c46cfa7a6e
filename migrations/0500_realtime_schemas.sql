-- Changes are followed in every schema that is served, so the publication is asked for the tables of those
-- (decision 0500). A process of the version before names no schemas and means `public`.

drop function realtime.watch_published(text);
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
