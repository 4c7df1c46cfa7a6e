-- Where the documents of a stack begin, as its owner corrected it.

create table private.stack_splits (
  file_id uuid primary key references public.user_files (id) on delete cascade,
  user_id uuid not null references auth.users (id) on delete cascade,
  begins integer[] not null check (cardinality(begins) between 1 and 100 and begins[1] = 1),
  corrected_at timestamptz not null default now()
);
comment on table private.stack_splits is
  'On which pages of a file a document begins, where its owner corrected that. Every further analysis follows it.';
comment on column private.stack_splits.begins is 'Pages in order, the first of them 1; one page if the file is one document.';
create index stack_splits_user_id_idx on private.stack_splits (user_id);
alter table private.stack_splits enable row level security;

comment on table private.read_pages is
  'Pages that the reader has read from their pictures, until the document has its report, or for a week if it is a stack: another reading goes on with them.';

insert into private.personal_data (table_name, holds, purpose, found_by, hidden, on_erasure, kept) values
  ('private.stack_splits', 'Where the documents of a stack begin, as corrected', 'The service',
   't.user_id = $1', '{}', 'account', 'Until the document is deleted');
