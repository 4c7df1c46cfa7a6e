-- Fields that a customer names, the values that were read for them, and what they are read from.

create table northline_app.own_fields (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  kind text not null check (length(kind) between 1 and 40),
  name text not null check (length(name) between 1 and 60),
  learned jsonb,
  version integer not null default 0,
  created_at timestamptz not null default now()
);
comment on table northline_app.own_fields is 'Fields that customers named for a kind of document.';
comment on column northline_app.own_fields.kind is 'Kind of document, as in the report.';
comment on column northline_app.own_fields.learned is 'What its examples taught; null before the first one.';
comment on column northline_app.own_fields.version is 'Grows whenever something else was learned; values of another version are read anew.';
create unique index own_fields_name_idx on northline_app.own_fields (user_id, kind, lower(name));

create table northline_app.own_field_values (
  field_id uuid not null references northline_app.own_fields (id) on delete cascade,
  file_id uuid not null references northline_app.analysis_reports (file_id) on delete cascade,
  user_id uuid not null references auth.users (id) on delete cascade,
  value text check (length(value) between 1 and 2000),
  normalized text check (length(normalized) <= 200),
  confidence real not null check (confidence between 0 and 1),
  cites jsonb not null,
  given boolean not null,
  place jsonb,
  version integer not null,
  read_at timestamptz not null default now(),
  primary key (field_id, file_id)
);
comment on table northline_app.own_field_values is 'The value of an own field in each document of its kind.';
comment on column northline_app.own_field_values.value is 'As printed; null if the document does not have the field.';
comment on column northline_app.own_field_values.normalized is 'ISO date, decimal amount or compact IBAN, where the value has such a form.';
comment on column northline_app.own_field_values.given is 'A person gave it: an example.';
comment on column northline_app.own_field_values.place is 'Page, and shares of its width and height, where a person drew the box.';
create index own_field_values_file_id_idx on northline_app.own_field_values (file_id);
create index own_field_values_user_id_idx on northline_app.own_field_values (user_id, field_id, normalized);

alter table northline_app.own_fields enable row level security;
alter table northline_app.own_field_values enable row level security;
grant select on northline_app.own_fields, northline_app.own_field_values to authenticated;
grant select, insert, update, delete on northline_app.own_fields, northline_app.own_field_values to service_role;
create policy own_fields_own on northline_app.own_fields for select to authenticated
  using ((select auth.uid()) = user_id);
create policy own_fields_service on northline_app.own_fields to service_role using (true) with check (true);
create policy "a second factor comes first" on northline_app.own_fields as restrictive to authenticated
  using ((select auth.second_factor_given())) with check ((select auth.second_factor_given()));
create policy own_field_values_own on northline_app.own_field_values for select to authenticated
  using ((select auth.uid()) = user_id);
create policy own_field_values_service on northline_app.own_field_values to service_role using (true) with check (true);
create policy "a second factor comes first" on northline_app.own_field_values as restrictive to authenticated
  using ((select auth.second_factor_given())) with check ((select auth.second_factor_given()));

create table private.document_rows (
  file_id uuid primary key references public.user_files (id) on delete cascade,
  rows jsonb not null,
  read_at timestamptz not null default now()
);
comment on table private.document_rows is 'The printed lines of documents with their places, from which own fields are read.';
comment on column private.document_rows.rows is 'For each line its page, its height on it, and its cells: left, right, text.';
alter table private.document_rows enable row level security;

create table private.arrived_documents (
  file_id uuid primary key references northline_app.analysis_reports (file_id) on delete cascade,
  noted_at timestamptz not null default now()
);
comment on table private.arrived_documents is
  'Documents with a report whose own fields are still to be read: new reports, and all documents of a kind when a field changes.';
create index arrived_documents_noted_at_idx on private.arrived_documents (noted_at);
alter table private.arrived_documents enable row level security;
create trigger notify_waiting after insert or update on private.arrived_documents
  for each statement execute function private.notify_waiting('documents_arrived');
comment on trigger notify_waiting on private.arrived_documents is 'Wakes the processes when own fields are to be read.';

insert into private.personal_data (table_name, holds, purpose, found_by, hidden, on_erasure, kept) values
  ('northline_app.own_fields', 'Fields that a customer named for documents', 'The service',
   't.user_id = $1', '{}', 'account', 'Until they are removed'),
  ('northline_app.own_field_values', 'Values of these fields', 'The service',
   't.user_id = $1', '{}', 'account', 'Until the report is deleted'),
  ('private.document_rows', 'The printed lines of documents', 'The service',
   null, '{}', 'account', 'Until the document is deleted'),
  ('private.arrived_documents', 'Which documents wait for their own fields', 'The service',
   null, '{}', 'account', 'Until they are read');
