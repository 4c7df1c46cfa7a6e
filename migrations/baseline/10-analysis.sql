-- Analyses of documents and their reports.

create table private.analyses (
  id uuid primary key default gen_random_uuid(),
  file_id uuid not null references public.user_files (id) on delete cascade,
  user_id uuid not null,
  state text not null default 'queued'
    check (state in ('queued', 'sent', 'merging', 'fallback', 'completed', 'failed')),
  target text not null check (target in ('embedded', 'external')),
  deadline_at timestamptz not null,
  context jsonb not null default '{}',
  answer jsonb,
  answer_hash text,
  error_code text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  finished_at timestamptz
);
comment on table private.analyses is 'Analyses of documents, at most one active for a file.';
comment on column private.analyses.state is
  'queued: to be sent; sent: the analyser has it; merging: an automation answered, and its answer is merged with our own reading; fallback: it did not answer in time, so we read it ourselves.';
comment on column private.analyses.context is 'Where the request came from, as the request to the analyser names it.';
comment on column private.analyses.answer is 'The answer of an automation, until it is merged.';
comment on column private.analyses.answer_hash is
  'SHA-256 of the call-back body that closed it: the same body again is answered as before.';

-- A second click finds the analysis of the first.
create unique index analyses_one_active_per_file on private.analyses (file_id)
  where state not in ('completed', 'failed');

create index analyses_file_id_idx on private.analyses (file_id, created_at desc);
create index analyses_deadline_idx on private.analyses (deadline_at)
  where state not in ('completed', 'failed');

create table northline_app.analysis_reports (
  file_id uuid primary key references public.user_files (id) on delete cascade,
  user_id uuid not null references auth.users (id) on delete cascade,
  analysis_id uuid not null unique,
  report jsonb not null,
  blocks jsonb not null,
  created_at timestamptz not null default now()
);
comment on table northline_app.analysis_reports is 'The report of a document.';
create index analysis_reports_user_id_idx on northline_app.analysis_reports (user_id);

alter table northline_app.analysis_reports enable row level security;

grant select on northline_app.analysis_reports to authenticated;
grant select, insert, update, delete on northline_app.analysis_reports to service_role;

create policy analysis_reports_own on northline_app.analysis_reports for select to authenticated
  using ((select auth.uid()) = user_id);
create policy analysis_reports_service on northline_app.analysis_reports to service_role using (true) with check (true);

create function private.announce_analysis() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.announce(
    'document.analysis.' || case new.state when 'queued' then 'requested' else new.state end, new.id,
    jsonb_build_object('analysis_id', new.id, 'file_id', new.file_id, 'user_id', new.user_id,
      'error_code', new.error_code, 'created_at', new.created_at, 'finished_at', new.finished_at));
  return null;
end $$;
create trigger announce_start after insert on private.analyses
  for each row when (new.state = 'queued') execute function private.announce_analysis();
comment on trigger announce_start on private.analyses is 'Writes the event document.analysis.requested.';
create trigger announce_end after update of state on private.analyses
  for each row when (old.state is distinct from new.state and new.state in ('completed', 'failed'))
  execute function private.announce_analysis();
comment on trigger announce_end on private.analyses is
  'Writes the event document.analysis.completed or document.analysis.failed.';
create policy "a second factor comes first" on northline_app.analysis_reports as restrictive to authenticated
  using ((select auth.second_factor_given())) with check ((select auth.second_factor_given()));

-- Corrections of reports.

create table northline_app.analysis_corrections (
  file_id uuid not null references northline_app.analysis_reports (file_id) on delete cascade,
  key text not null check (length(key) between 1 and 100),
  original text not null check (length(original) <= 2000),
  value text not null check (length(value) between 1 and 2000),
  normalized text check (length(normalized) <= 200),
  user_id uuid not null references auth.users (id) on delete cascade,
  corrected_by uuid references auth.users (id) on delete set null,
  corrected_at timestamptz not null default now(),
  primary key (file_id, key, original)
);
comment on table northline_app.analysis_corrections is
  'Values of reports that a person corrected; the report itself keeps what was read.';
comment on column northline_app.analysis_corrections.key is 'Of the field, as in the report.';
comment on column northline_app.analysis_corrections.original is 'The value that was read: a field is found by its key and this.';
comment on column northline_app.analysis_corrections.normalized is
  'ISO date, decimal amount or compact IBAN of the value, where its type has one.';
comment on column northline_app.analysis_corrections.user_id is 'Whose document it is.';
create index analysis_corrections_user_id_idx on northline_app.analysis_corrections (user_id);
create index analysis_corrections_corrected_by_idx on northline_app.analysis_corrections (corrected_by);

alter table northline_app.analysis_corrections enable row level security;

grant select on northline_app.analysis_corrections to authenticated;
grant select, insert, update, delete on northline_app.analysis_corrections to service_role;

create policy analysis_corrections_own on northline_app.analysis_corrections for select to authenticated
  using ((select auth.uid()) = user_id);
create policy analysis_corrections_service on northline_app.analysis_corrections to service_role
  using (true) with check (true);
create policy "a second factor comes first" on northline_app.analysis_corrections as restrictive to authenticated
  using ((select auth.second_factor_given())) with check ((select auth.second_factor_given()));

-- The search index of documents' texts.

create table northline_app.analysis_index (
  file_id uuid primary key references northline_app.analysis_reports (file_id) on delete cascade,
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
comment on table northline_app.analysis_index is
  'One row for each report whose text can be searched; removed with the report.';
comment on column northline_app.analysis_index.analysis_id is 'The analysis whose text it is: another one in the report means that it is to be made anew.';
comment on column northline_app.analysis_index.config is 'Text search configuration of the document''s language.';
comment on column northline_app.analysis_index.words is 'The different words of the text, for misspelt questions.';
comment on column northline_app.analysis_index.terms is 'The words that it uses most, without those that every text uses; how often is in counts.';
create index analysis_index_user_id_idx on northline_app.analysis_index (user_id);

create table northline_app.analysis_passages (
  file_id uuid not null references northline_app.analysis_index (file_id) on delete cascade,
  position integer not null,
  user_id uuid not null references auth.users (id) on delete cascade,
  page integer,
  text text not null,
  places jsonb not null,
  lexemes tsvector not null,
  primary key (file_id, position)
);
comment on table northline_app.analysis_passages is 'Parts of documents'' texts, with the words that they are found by.';
comment on column northline_app.analysis_passages.places is
  'Where its parts come from: from the character `at` on it is the block `block`, from its character `start` on.';
comment on column northline_app.analysis_passages.lexemes is 'Its words as they are written, and their stems.';
create index analysis_passages_user_id_idx on northline_app.analysis_passages (user_id);
create index analysis_passages_lexemes_idx on northline_app.analysis_passages using gin (lexemes);

alter table northline_app.analysis_index enable row level security;
alter table northline_app.analysis_passages enable row level security;

grant select on northline_app.analysis_index, northline_app.analysis_passages to authenticated;
grant select, insert, update, delete on northline_app.analysis_index, northline_app.analysis_passages to service_role;

create policy analysis_index_own on northline_app.analysis_index for select to authenticated
  using ((select auth.uid()) = user_id);
create policy "a second factor comes first" on northline_app.analysis_index as restrictive to authenticated
  using ((select auth.second_factor_given())) with check ((select auth.second_factor_given()));
create policy analysis_index_service on northline_app.analysis_index to service_role using (true) with check (true);
create policy analysis_passages_own on northline_app.analysis_passages for select to authenticated
  using ((select auth.uid()) = user_id);
create policy "a second factor comes first" on northline_app.analysis_passages as restrictive to authenticated
  using ((select auth.second_factor_given())) with check ((select auth.second_factor_given()));
create policy analysis_passages_service on northline_app.analysis_passages to service_role using (true) with check (true);

create trigger notify_waiting after insert or update of analysis_id on northline_app.analysis_reports
  for each row execute function private.notify_waiting('analysis_reports_waiting');
comment on trigger notify_waiting on northline_app.analysis_reports is
  'Wakes the processes when a report waits whose text cannot be searched yet.';

-- Links that show a report to somebody without an account.

create table northline_app.analysis_shares (
  id uuid primary key default gen_random_uuid(),
  file_id uuid not null references northline_app.analysis_reports (file_id) on delete cascade,
  user_id uuid not null references auth.users (id) on delete cascade,
  token_hash text not null unique,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  opened integer not null default 0,
  opened_at timestamptz,
  without_sensitive boolean not null default false
);
comment on table northline_app.analysis_shares is
  'Links that show a report to everybody who has them, until they expire or are withdrawn.';
comment on column northline_app.analysis_shares.token_hash is 'SHA-256 of the secret part of the link, which is stored nowhere.';
comment on column northline_app.analysis_shares.opened is 'How often it was opened.';
comment on column northline_app.analysis_shares.without_sensitive is
  'The link shows the report and its text with sensitive passages blotted out.';
create index analysis_shares_user_id_idx on northline_app.analysis_shares (user_id);
create index analysis_shares_file_id_idx on northline_app.analysis_shares (file_id);

alter table northline_app.analysis_shares enable row level security;

grant select (id, file_id, user_id, created_at, expires_at, opened, opened_at, without_sensitive)
  on northline_app.analysis_shares to authenticated;
grant select, insert, update, delete on northline_app.analysis_shares to service_role;

create policy analysis_shares_own on northline_app.analysis_shares for select to authenticated
  using ((select auth.uid()) = user_id);
create policy "a second factor comes first" on northline_app.analysis_shares as restrictive to authenticated
  using ((select auth.second_factor_given())) with check ((select auth.second_factor_given()));
create policy analysis_shares_service on northline_app.analysis_shares to service_role using (true) with check (true);

-- The cost of customers' questions at the language model.

create table private.document_model_use (
  user_id uuid not null references auth.users (id) on delete cascade,
  day date not null default current_date,
  questions integer not null default 0,
  tokens bigint not null default 0,
  primary key (user_id, day)
);
comment on table private.document_model_use is
  'Tokens that the questions of a customer cost on a day; a question that is under way counts with what it may cost.';
create index document_model_use_day_idx on private.document_model_use (day);

create view operator.document_model_use with (security_barrier) as
  select m.user_id, m.day, m.questions, m.tokens from private.document_model_use m where (select auth.is_operator());
comment on view operator.document_model_use is 'What the questions about documents cost at the language model, by customer and day.';
grant select on operator.document_model_use to authenticated, service_role;

-- Notes about invoices.

create table northline_app.analysis_invoice_marks (
  file_id uuid primary key references northline_app.analysis_reports (file_id) on delete cascade,
  user_id uuid not null references auth.users (id) on delete cascade,
  paid_on date not null,
  marked_at timestamptz not null default now()
);
comment on table northline_app.analysis_invoice_marks is 'Invoices that somebody marked as paid, with the day.';
create index analysis_invoice_marks_user_id_idx on northline_app.analysis_invoice_marks (user_id);

alter table northline_app.analysis_invoice_marks enable row level security;

grant select on northline_app.analysis_invoice_marks to authenticated;
grant select, insert, update, delete on northline_app.analysis_invoice_marks to service_role;

create policy analysis_invoice_marks_own on northline_app.analysis_invoice_marks for select to authenticated
  using ((select auth.uid()) = user_id);
create policy "a second factor comes first" on northline_app.analysis_invoice_marks as restrictive to authenticated
  using ((select auth.second_factor_given())) with check ((select auth.second_factor_given()));
create policy analysis_invoice_marks_service on northline_app.analysis_invoice_marks to service_role
  using (true) with check (true);

-- A pause before the next document of a customer whose documents end the reader one after the other (decision 0450).

create table private.reading_failures (
  user_id uuid primary key references auth.users (id) on delete cascade,
  count integer not null check (count > 0),
  analysis_id uuid not null,
  ended_at timestamptz not null
);
comment on table private.reading_failures is
  'Customers whose last documents ended the reader by their time, their memory or a crash. A document that is read removes the row.';
comment on column private.reading_failures.count is 'How many in a row, within a day of each other.';
comment on column private.reading_failures.analysis_id is 'The last of them: told twice, it counts once.';
comment on column private.reading_failures.ended_at is 'When the last of them ended; the pause begins there.';
alter table private.reading_failures enable row level security;
