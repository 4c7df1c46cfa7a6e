-- What makes the text of documents findable.

create table public.analysis_index (
  file_id uuid primary key references public.analysis_reports (file_id) on delete cascade,
  user_id uuid not null references auth.users (id) on delete cascade,
  analysis_id uuid not null,
  title text not null,
  kind text not null,
  config text not null,
  words text[] not null,
  terms text[] not null,
  counts integer[] not null,
  indexed_at timestamptz not null default now()
);
comment on table public.analysis_index is
  'One row for each report whose text can be searched; removed with the report.';
comment on column public.analysis_index.analysis_id is 'The analysis whose text it is: another one in the report means that it is to be made anew.';
comment on column public.analysis_index.config is 'Text search configuration of the document''s language.';
comment on column public.analysis_index.words is 'The different words of the text, for misspelt questions.';
comment on column public.analysis_index.terms is 'The words that it uses most, without those that every text uses; how often is in counts.';
create index analysis_index_user_id_idx on public.analysis_index (user_id);

create table public.analysis_passages (
  file_id uuid not null references public.analysis_index (file_id) on delete cascade,
  position integer not null,
  user_id uuid not null references auth.users (id) on delete cascade,
  page integer,
  text text not null,
  places jsonb not null,
  lexemes tsvector not null,
  primary key (file_id, position)
);
comment on table public.analysis_passages is 'Parts of documents'' texts, with the words that they are found by.';
comment on column public.analysis_passages.places is
  'Where its parts come from: from the character `at` on it is the block `block`, from its character `start` on.';
comment on column public.analysis_passages.lexemes is 'Its words as they are written, and their stems.';
create index analysis_passages_user_id_idx on public.analysis_passages (user_id);
create index analysis_passages_lexemes_idx on public.analysis_passages using gin (lexemes);

alter table public.analysis_index enable row level security;
alter table public.analysis_passages enable row level security;

grant select on public.analysis_index, public.analysis_passages to authenticated;
grant select, insert, update, delete on public.analysis_index, public.analysis_passages to service_role;

create policy analysis_index_own on public.analysis_index for select to authenticated
  using ((select auth.uid()) = user_id);
create policy "a second factor comes first" on public.analysis_index as restrictive to authenticated
  using ((select auth.second_factor_given())) with check ((select auth.second_factor_given()));
create policy analysis_index_service on public.analysis_index to service_role using (true) with check (true);
create policy analysis_passages_own on public.analysis_passages for select to authenticated
  using ((select auth.uid()) = user_id);
create policy "a second factor comes first" on public.analysis_passages as restrictive to authenticated
  using ((select auth.second_factor_given())) with check ((select auth.second_factor_given()));
create policy analysis_passages_service on public.analysis_passages to service_role using (true) with check (true);

create trigger notify_waiting after insert or update of analysis_id on public.analysis_reports
  for each row execute function private.notify_waiting('analysis_reports_waiting');
comment on trigger notify_waiting on public.analysis_reports is
  'Wakes the processes when a report waits whose text cannot be searched yet.';
