-- What a correction taught about the documents of a sender.

create table northline_app.correction_precedents (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  file_id uuid references public.user_files (id) on delete set null,
  key text not null check (key in ('supplier', 'document_number')),
  senders text[] not null check (cardinality(senders) between 1 and 20),
  value text not null check (length(value) between 1 and 2000),
  learned jsonb,
  taught_at timestamptz not null default now(),
  unique (file_id, key)
);
comment on table northline_app.correction_precedents is
  'Corrections of a document''s supplier or number, by which further documents of the same sender are read.';
comment on column northline_app.correction_precedents.file_id is 'The corrected document; null once it is deleted.';
comment on column northline_app.correction_precedents.senders is
  'What a document of the same sender has, for example its account or its name as it was read.';
comment on column northline_app.correction_precedents.learned is
  'For a number: where it stands, and its form; null for a name.';
create index correction_precedents_senders_idx on northline_app.correction_precedents using gin (senders);
create index correction_precedents_user_id_key_idx on northline_app.correction_precedents (user_id, key);

alter table northline_app.correction_precedents enable row level security;
grant select on northline_app.correction_precedents to authenticated;
grant select, insert, update, delete on northline_app.correction_precedents to service_role;
create policy correction_precedents_own on northline_app.correction_precedents for select to authenticated
  using ((select auth.uid()) = user_id);
create policy correction_precedents_service on northline_app.correction_precedents to service_role
  using (true) with check (true);
create policy "a second factor comes first" on northline_app.correction_precedents as restrictive to authenticated
  using ((select auth.second_factor_given())) with check ((select auth.second_factor_given()));

alter table northline_app.analysis_corrections
  add column precedent_id uuid references northline_app.correction_precedents (id) on delete cascade;
comment on column northline_app.analysis_corrections.precedent_id is
  'The earlier correction that this value follows; null for a correction by a person.';
create index analysis_corrections_precedent_id_idx on northline_app.analysis_corrections (precedent_id);

insert into private.personal_data (table_name, holds, purpose, found_by, hidden, on_erasure, kept) values
  ('northline_app.correction_precedents', 'What corrections taught about a sender', 'The service',
   't.user_id = $1', '{}', 'account', 'Until they are forgotten');
