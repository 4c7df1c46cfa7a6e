-- The content that an agency has changed on its site: every published version stays, the newest is in force.

create table private.site_versions (
  id integer primary key,
  content jsonb not null,
  plans jsonb,
  note text not null default '',
  made_by uuid,
  created_at timestamptz not null default now()
);
comment on table private.site_versions is 'Published contents of the site, the newest in force.';
comment on column private.site_versions.content is 'What differs from the specification''s content.';
comment on column private.site_versions.plans is
  'Plans with their price ids: sold ones and former ones that subscriptions may run on; null while they are the specification''s.';
comment on column private.site_versions.made_by is 'Null for the server''s own key.';

create table private.site_previews (
  token uuid primary key default gen_random_uuid(),
  content jsonb not null,
  expires_at timestamptz not null default now() + interval '1 hour'
);
comment on table private.site_previews is 'Contents that an operator looks at before publishing; everybody who has the token sees them.';
create index site_previews_expires_at_idx on private.site_previews (expires_at);

alter table private.site_versions enable row level security;
alter table private.site_previews enable row level security;

create view operator.site_versions with (security_barrier) as
  select v.id, v.content, v.plans, v.note, (select u.email from auth.users u where u.id = v.made_by) as made_by, v.created_at
  from private.site_versions v where (select auth.is_operator());
comment on view operator.site_versions is 'Published contents of the site.';
grant select on operator.site_versions to authenticated, service_role;

create function operator.publish_site(p_base integer, p_content jsonb, p_plans jsonb, p_note text) returns integer
  language plpgsql security definer set search_path = '' as $$
declare
  newest integer;
begin
  perform pg_advisory_xact_lock(hashtextextended('site content', 0));
  select coalesce(max(id), 0) into newest from private.site_versions;
  if newest <> p_base then return null; end if;
  perform private.operate('site.publish', (newest + 1)::text, jsonb_build_object('note', p_note));
  insert into private.site_versions (id, content, plans, note, made_by)
    values (newest + 1, p_content, p_plans, p_note, auth.uid());
  perform pg_notify('site_content', (newest + 1)::text);
  return newest + 1;
end $$;
comment on function operator.publish_site(integer, jsonb, jsonb, text) is
  'Puts a content in force; null when another one was published since the version that it was made from.';

create function operator.preview_site(p_content jsonb) returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  made uuid;
begin
  perform private.operate('site.preview', '');
  delete from private.site_previews where expires_at < now();
  insert into private.site_previews (content) values (p_content) returning token into made;
  return made;
end $$;
comment on function operator.preview_site(jsonb) is 'Keeps a content for an hour to be looked at; the token that shows it.';

revoke all on function operator.publish_site(integer, jsonb, jsonb, text), operator.preview_site(jsonb) from public;
grant execute on function operator.publish_site(integer, jsonb, jsonb, text), operator.preview_site(jsonb)
  to authenticated, service_role;
