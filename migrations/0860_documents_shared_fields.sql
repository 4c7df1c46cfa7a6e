-- Own fields that a team shares or that the agency names for all customers, and the fields that stand in the list of files.

create table private.own_field_learning (
  field_id uuid primary key references northline_app.own_fields (id) on delete cascade,
  learned jsonb not null
);
comment on table private.own_field_learning is
  'What the examples of an own field taught. Nobody reads it by the API: it holds words of documents, and others may share the field.';
alter table private.own_field_learning enable row level security;
insert into private.own_field_learning (field_id, learned)
  select f.id, f.learned from northline_app.own_fields f where f.learned is not null;

alter table northline_app.own_fields
  drop column learned,
  alter column user_id drop not null,
  add column team_id uuid references northline_app.teams (id) on delete set null,
  add constraint own_fields_agency check (user_id is not null or team_id is null);
comment on table northline_app.own_fields is 'Fields that customers, teams or the agency named for a kind of document.';
comment on column northline_app.own_fields.user_id is 'Who named it; null if it is the agency''s, for all customers.';
comment on column northline_app.own_fields.team_id is 'The team whose members share it.';
create unique index own_fields_agency_name_idx on northline_app.own_fields (kind, lower(name)) where user_id is null;
create index own_fields_team_id_idx on northline_app.own_fields (team_id) where team_id is not null;

alter table northline_app.own_field_values add column teaches boolean not null default true;
comment on column northline_app.own_field_values.teaches is
  'The field learns from it, if a person gave it. What customers give for a field of the agency holds for their own document only.';

create policy own_fields_shared on northline_app.own_fields for select to authenticated
  using (user_id is null or team_id = (select auth.team_of_files()));

create function private.fields_of(p_user uuid) returns setof uuid
  language sql stable set search_path = '' as $$
  select f.id from northline_app.own_fields f where f.user_id = p_user or f.user_id is null
  union
  select f.id from northline_app.team_members m join northline_app.own_fields f on f.team_id = m.team_id
   where m.user_id = p_user and m.role <> 'billing'
$$;
comment on function private.fields_of(uuid) is
  'The fields that are read from an account''s documents: its own, those that its team shares, and the agency''s.';
revoke all on function private.fields_of(uuid) from public;

create function private.note_field(p_field uuid) returns void
  language sql set search_path = '' as $$
  insert into private.arrived_documents (file_id)
  select r.file_id from northline_app.own_fields f
    join northline_app.analysis_reports r on r.report #>> '{document,kind}' = f.kind
   where f.id = p_field and (f.user_id is null or r.user_id = f.user_id or r.user_id in (
     select m.user_id from northline_app.team_members m where m.team_id = f.team_id and m.role <> 'billing'))
  union
  select v.file_id from northline_app.own_field_values v where v.field_id = p_field
  order by 1
  on conflict (file_id) do update set noted_at = now()
$$;
comment on function private.note_field(uuid) is
  'All documents from which a field is read, or from which it was read, wait to be read again.';
revoke all on function private.note_field(uuid) from public;

create function private.note_field_of_team() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.note_field(new.id);
  return null;
end
$$;
create trigger note_field_of_team after update of user_id, team_id on northline_app.own_fields
  for each row when (old.user_id is distinct from new.user_id or old.team_id is distinct from new.team_id)
  execute function private.note_field_of_team();
comment on trigger note_field_of_team on northline_app.own_fields is
  'Lets the documents be read again from which a field is read from now on, or no longer.';

create function private.note_removed_field() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  insert into private.arrived_documents (file_id)
  select v.file_id from northline_app.own_field_values v
   where v.field_id = old.id and v.user_id is distinct from old.user_id order by v.file_id
  on conflict (file_id) do update set noted_at = now();
  return old;
end
$$;
create trigger note_removed_field before delete on northline_app.own_fields
  for each row execute function private.note_removed_field();
comment on trigger note_removed_field on northline_app.own_fields is
  'A removed field leaves the reports of other accounts when their documents are read again.';

create function private.note_fields_of_member() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  member uuid := coalesce(new.user_id, old.user_id);
begin
  if tg_op = 'DELETE' or new.role = 'billing' then
    update northline_app.own_fields set team_id = null where user_id = member and team_id is not null;
  end if;
  insert into private.arrived_documents (file_id)
  select r.file_id from northline_app.analysis_reports r
   where r.user_id = member and exists (
     select from northline_app.own_fields f
      where f.team_id = coalesce(new.team_id, old.team_id) and f.kind = r.report #>> '{document,kind}')
   order by r.file_id
  on conflict (file_id) do update set noted_at = now();
  return null;
end
$$;
create trigger note_fields_of_member after insert or delete or update of role on northline_app.team_members
  for each row execute function private.note_fields_of_member();
comment on trigger note_fields_of_member on northline_app.team_members is
  'The team''s fields are read from the documents of a member who comes, and no longer from those of a member who goes, whose own fields go along.';

create table northline_app.listed_fields (
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  field_id uuid not null references northline_app.own_fields (id) on delete cascade,
  listed_at timestamptz not null default now(),
  primary key (user_id, field_id)
);
comment on table northline_app.listed_fields is 'The own fields that stand as columns in a customer''s list of files.';
create index listed_fields_field_id_idx on northline_app.listed_fields (field_id);
alter table northline_app.listed_fields enable row level security;
revoke all on northline_app.listed_fields from public, anon, authenticated, service_role;
grant select, insert (field_id), delete on northline_app.listed_fields to authenticated;
grant select, insert, update, delete on northline_app.listed_fields to service_role;
create policy listed_fields_own on northline_app.listed_fields for select to authenticated
  using ((select auth.uid()) = user_id);
create policy listed_fields_choose on northline_app.listed_fields for insert to authenticated
  with check ((select auth.uid()) = user_id and exists (select from northline_app.own_fields f where f.id = field_id));
create policy listed_fields_end on northline_app.listed_fields for delete to authenticated
  using ((select auth.uid()) = user_id);
create policy listed_fields_service on northline_app.listed_fields to service_role using (true) with check (true);
create policy "a second factor comes first" on northline_app.listed_fields as restrictive to authenticated
  using ((select auth.second_factor_given())) with check ((select auth.second_factor_given()));

insert into private.personal_data (table_name, holds, purpose, found_by, hidden, on_erasure, kept) values
  ('private.own_field_learning', 'What examples taught a field', 'The service', null, '{}', 'account', 'Until the field is removed'),
  ('northline_app.listed_fields', 'Which fields stand in the list of files', 'The service',
   't.user_id = $1', '{}', 'account', 'Until they are taken out');
