-- The server keeps the draft of the Site page until its operator publishes or discards it.

create table private.site_drafts (
  user_id uuid primary key references auth.users (id) on delete cascade,
  base integer not null,
  content jsonb not null check (jsonb_typeof(content) = 'object'),
  updated_at timestamptz not null default now()
);
comment on table private.site_drafts is 'Contents of the site that operators are writing, one for each operator.';
comment on column private.site_drafts.base is 'The version that the operator began from.';
alter table private.site_drafts enable row level security;
insert into private.personal_data (table_name, holds, purpose, found_by, hidden, on_erasure, kept) values
  ('private.site_drafts', 'The draft of the site that an operator is writing', 'Writing the site', 't.user_id = $1', '{}', 'account',
   'Until it is published or discarded');

create view operator.site_draft with (security_barrier) as
  select d.base, d.content, d.updated_at
  from private.site_drafts d where d.user_id = auth.uid() and (select auth.is_operator());
comment on view operator.site_draft is 'The caller''s own draft of the site.';
grant select on operator.site_draft to authenticated, service_role;

create function operator.keep_site_draft(p_base integer, p_content jsonb) returns timestamptz
  language plpgsql security definer set search_path = '' as $$
declare
  kept timestamptz;
begin
  if not auth.is_operator() then
    raise exception 'This is for operators' using errcode = '42501';
  end if;
  if auth.uid() is null or p_content is null then
    delete from private.site_drafts where user_id = auth.uid();
    return null;
  end if;
  insert into private.site_drafts (user_id, base, content) values (auth.uid(), p_base, p_content)
    on conflict (user_id) do update set base = excluded.base, content = excluded.content, updated_at = now()
    returning updated_at into kept;
  return kept;
end $$;
comment on function operator.keep_site_draft(integer, jsonb) is
  'Keeps the caller''s draft of the site, or discards it when there is no content.';
revoke all on function operator.keep_site_draft(integer, jsonb) from public;
grant execute on function operator.keep_site_draft(integer, jsonb) to authenticated, service_role;

-- Names that the agency had, and texts outside of the content in which they may still stand.

create view operator.former_names with (security_barrier) as
  select distinct v.content #>> '{brand,name}' as name
  from private.site_versions v
  where v.content #>> '{brand,name}' is not null and (select auth.is_operator());
comment on view operator.former_names is 'Every name that the agency has published, the present one too.';

create view operator.named_texts with (security_barrier) as
  select 'Assistant ' || coalesce(r.body ->> 'name', '') as place,
         concat_ws(E'\n', r.body ->> 'name', r.body ->> 'firstMessage', r.body ->> 'endCallMessage',
           r.body ->> 'voicemailMessage', r.body #>> '{model,messages}') as words
  from private.voice_records r
  where r.kind = 'assistant' and (select auth.is_operator());
comment on view operator.named_texts is 'Texts besides the site''s content in which the agency may have written its name.';
grant select on operator.former_names, operator.named_texts to authenticated, service_role;
