-- What the questions of customers cost at the language model.

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
