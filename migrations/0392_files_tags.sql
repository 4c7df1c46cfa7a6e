-- Words that customers file their documents under.

alter table public.user_files add column tags text[] not null default '{}';
comment on column public.user_files.tags is 'Words of the owner, at most twenty of forty characters, none twice in whatever case.';
grant update (tags) on public.user_files to authenticated;

create function private.check_tags() returns trigger
  language plpgsql set search_path = ''
  as $$
begin
  if exists (select from unnest(new.tags) as tag
              where tag is null or tag <> btrim(tag) or char_length(tag) not between 1 and 40 or tag ~ '[[:cntrl:]]') then
    raise exception 'A tag has 1 to 40 characters and no blanks around them.' using errcode = '23514';
  end if;
  if cardinality(new.tags) > 20 then
    raise exception 'A file has at most 20 tags.' using errcode = '23514';
  end if;
  if cardinality(new.tags) <> (select count(distinct lower(tag)) from unnest(new.tags) as tag) then
    raise exception 'A file has each tag once.' using errcode = '23514';
  end if;
  return new;
end
$$;
revoke execute on function private.check_tags() from public;
create trigger check_tags before insert or update of tags on public.user_files
  for each row when (new.tags <> '{}') execute function private.check_tags();
comment on trigger check_tags on public.user_files is
  'Refuses tags that are empty, too long, too many or there twice, each with a sentence.';

create function public.tag_files(p_ids uuid[], p_tag text, p_wanted boolean) returns integer
  language plpgsql set search_path = ''
  as $$
declare
  word text := btrim(p_tag);
  changed integer;
begin
  -- Row security lets through the caller's own files only.
  update public.user_files file
     set tags = case when p_wanted then file.tags || word
                     else array(select tag from unnest(file.tags) as tag where lower(tag) <> lower(word)) end
   where file.id = any (p_ids)
     and exists (select from unnest(file.tags) as tag where lower(tag) = lower(word)) <> p_wanted;
  get diagnostics changed = row_count;
  return changed;
end
$$;
comment on function public.tag_files(uuid[], text, boolean) is
  'Gives files of the caller a tag, or takes it from them; answers how many were changed.';
revoke execute on function public.tag_files(uuid[], text, boolean) from public, anon;
grant execute on function public.tag_files(uuid[], text, boolean) to authenticated, service_role;

update private.personal_data set holds = 'Uploaded documents: name, size, kind, tags' where table_name = 'public.user_files';

-- A tag is no news of the document: the time that rows print stays.
create or replace function private.keep_analyzed_true_to_status() returns trigger
  language plpgsql set search_path = ''
  as $$
begin
  new.analyzed := new.status = 'analyzed';
  new.updated_at := case when new.tags is distinct from old.tags then old.updated_at else now() end;
  return new;
end
$$;
