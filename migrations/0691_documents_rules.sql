-- Rules of customers for documents that arrive, what they did, and reminders.

create table northline_app.document_rules (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  name text not null check (length(name) between 1 and 60),
  wanted jsonb not null,
  acts jsonb not null,
  active boolean not null default true,
  since timestamptz not null default now(),
  created_at timestamptz not null default now()
);
comment on table northline_app.document_rules is 'What is done with the documents of a customer that arrive.';
comment on column northline_app.document_rules.wanted is 'Kind, sender, amount and field that a document must have.';
comment on column northline_app.document_rules.acts is 'Tag, name, mail, webhook and reminder.';
comment on column northline_app.document_rules.since is 'Documents that were uploaded before stay as they are.';
create index document_rules_user_id_idx on northline_app.document_rules (user_id);

create table northline_app.rule_runs (
  id uuid primary key default gen_random_uuid(),
  rule_id uuid not null references northline_app.document_rules (id) on delete cascade,
  file_id uuid not null references public.user_files (id) on delete cascade,
  user_id uuid not null references auth.users (id) on delete cascade,
  done jsonb not null,
  done_at timestamptz not null default now(),
  unique (rule_id, file_id)
);
comment on table northline_app.rule_runs is 'What a rule did with a document: once, also after another analysis.';
comment on column northline_app.rule_runs.done is 'The actions, each with its result.';
create index rule_runs_file_id_idx on northline_app.rule_runs (file_id);
create index rule_runs_user_id_idx on northline_app.rule_runs (user_id, done_at);

create table private.document_reminders (
  run_id uuid primary key references northline_app.rule_runs (id) on delete cascade,
  due_at timestamptz not null,
  day date not null,
  sent_at timestamptz
);
comment on table private.document_reminders is 'Mails that a rule sends before a day of a document.';
comment on column private.document_reminders.due_at is 'When the mail is sent.';
comment on column private.document_reminders.day is 'The day of the document.';
create index document_reminders_due_at_idx on private.document_reminders (due_at) where sent_at is null;
alter table private.document_reminders enable row level security;

alter table northline_app.document_rules enable row level security;
alter table northline_app.rule_runs enable row level security;
grant select on northline_app.document_rules, northline_app.rule_runs to authenticated;
grant select, insert, update, delete on northline_app.document_rules, northline_app.rule_runs to service_role;
create policy document_rules_own on northline_app.document_rules for select to authenticated
  using ((select auth.uid()) = user_id);
create policy document_rules_service on northline_app.document_rules to service_role using (true) with check (true);
create policy "a second factor comes first" on northline_app.document_rules as restrictive to authenticated
  using ((select auth.second_factor_given())) with check ((select auth.second_factor_given()));
create policy rule_runs_own on northline_app.rule_runs for select to authenticated
  using ((select auth.uid()) = user_id);
create policy rule_runs_service on northline_app.rule_runs to service_role using (true) with check (true);
create policy "a second factor comes first" on northline_app.rule_runs as restrictive to authenticated
  using ((select auth.second_factor_given())) with check ((select auth.second_factor_given()));

insert into private.personal_data (table_name, holds, purpose, found_by, hidden, on_erasure, kept) values
  ('northline_app.document_rules', 'Rules for documents that arrive', 'The service',
   't.user_id = $1', '{}', 'account', 'Until they are removed'),
  ('northline_app.rule_runs', 'What rules did with documents', 'The service',
   't.user_id = $1', '{}', 'account', 'Until the document is deleted'),
  ('private.document_reminders', 'Reminders before a day of a document', 'The service',
   null, '{}', 'account', 'Until the document is deleted');
