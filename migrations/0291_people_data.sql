-- What is kept of a person, in one list: it finds the rows of an export and of an erasure, and docs/privacy.md is written from it.

create table private.personal_data (
  table_name text primary key,
  holds text not null,
  purpose text not null,
  -- SQL over `t` with $1 the account's id, $2 the address in lower case, $3 the number in digits; null: never exported by row.
  found_by text,
  -- Columns that no export shows: secrets, and what is computed from the rest.
  hidden text[] not null default '{}',
  on_erasure text not null check (on_erasure in ('account', 'deleted', 'kept')),
  -- How long it is kept, or why it is at all.
  kept text not null
);
comment on table private.personal_data is
  'The processing record: each table with data of people, what for, how the rows of a person are found, and what an erasure does to them.';
alter table private.personal_data enable row level security;

insert into private.personal_data (table_name, holds, purpose, found_by, hidden, on_erasure, kept) values
  ('auth.users', 'The account: address, number, name, settings', 'Signing in', 't.id = $1',
    '{encrypted_password,confirmation_token,recovery_token,email_change_token_new,email_change_token_current,reauthentication_token}', 'account', 'Until the account is deleted'),
  ('auth.identities', 'Ways to sign in, and what their provider tells', 'Signing in', 't.user_id = $1', '{}', 'account', 'Until the account is deleted'),
  ('auth.sessions', 'Sign-ins: time, network address, browser', 'Showing and ending them', 't.user_id = $1', '{}', 'account', 'Until signed out, or AUTH_SESSION_HOURS'),
  ('auth.mfa_factors', 'Second factors', 'Signing in', 't.user_id = $1', '{secret,credential}', 'account', 'Until removed'),
  ('auth.passkeys', 'Passkeys', 'Signing in', 't.user_id = $1', '{credential_id,public_key}', 'account', 'Until removed'),
  ('auth.one_time_tokens', 'Hashes of mailed and texted codes', 'Proving an address', null, '{}', 'account', 'A day after they lapse'),
  ('auth.flow_state', 'Sign-ins under way', 'Signing in', null, '{}', 'account', 'A day'),
  ('auth.provider_flows', 'Ways to a provider under way', 'Signing in', null, '{}', 'account', 'Minutes'),
  ('auth.webauthn_challenges', 'Challenges of passkeys', 'Signing in', null, '{}', 'account', 'Minutes'),
  ('auth.audit_log_entries', 'What happened to the account: time, network address', 'Proof and help after an attack', 't.actor_id = $1', '{}', 'kept', 'Append-only proof of who did what'),
  ('public.user_files', 'Uploaded documents: name, size, kind', 'The service', 't.user_id = $1', '{}', 'account', 'Until deleted'),
  ('storage.objects', 'The documents themselves, by their place', 'The service', 't.owner = $1', '{}', 'account', 'Until deleted; bytes within minutes'),
  ('private.uploads', 'Uploads under way', 'The service', 't.user_id = $1', '{}', 'kept', 'Until their lease ends, minutes to a day'),
  ('private.analyses', 'Analyses: when and how they ended', 'The service', 't.user_id = $1', '{answer_hash}', 'account', 'Until the document is deleted'),
  ('public.analysis_reports', 'What documents say', 'The service', 't.user_id = $1', '{}', 'account', 'Until deleted'),
  ('public.analysis_corrections', 'Corrections of reports', 'The service', 't.user_id = $1', '{}', 'account', 'Until the report is deleted'),
  ('public.analysis_shares', 'Links to reports', 'The service', 't.user_id = $1', '{token_hash}', 'account', 'Until they lapse or are withdrawn'),
  ('public.analysis_invoice_marks', 'Bills that were marked as paid', 'The service', 't.user_id = $1', '{}', 'account', 'Until the document is deleted'),
  ('public.analysis_index', 'Words and sums of reports, for searching', 'The service', null, '{}', 'account', 'Until the report is deleted'),
  ('public.analysis_passages', 'Passages of documents, for searching', 'The service', null, '{}', 'account', 'Until the report is deleted'),
  ('private.document_model_use', 'How much was asked of a language model', 'Limits', 't.user_id = $1', '{}', 'account', 'Until the account is deleted'),
  ('public.course_uploads', 'Length and size of videos', 'Limits of a plan', 't.user_id = $1', '{}', 'account', 'Until the account is deleted'),
  ('public.course_lessons', 'Videos of lessons: name, length', 'The service', 't.user_id = $1', '{}', 'account', 'Until deleted'),
  ('public.course_messages', 'Messages about lessons', 'The service', 't.user_id = $1', '{}', 'account', 'Until the lesson is deleted'),
  ('public.customers', 'Credits, and the number at the payment provider', 'Billing', 't.user_id = $1', '{}', 'kept', 'Without the account: the books of the agency'),
  ('public.credit_transactions', 'Each credit: bought, used, returned', 'Billing', 't.user_id = $1', '{}', 'kept', 'Without the account: the books of the agency'),
  ('public.subscriptions', 'Plans that were bought', 'Billing', 't.customer_id in (select c.customer_id from public.customers c where c.user_id = $1)', '{}', 'kept', 'Ended with the account; the books of the agency'),
  ('private.checkouts', 'Purchases: plan, address', 'Billing', 't.started_by = $1 or lower(t.email) = $2', '{secret_hash,claim_hash}', 'kept', 'The books of the agency'),
  ('private.payment_audit', 'Claims of purchases: time, network address', 'Proof', 't.user_id = $1', '{}', 'kept', 'Proof in disputes'),
  ('private.plan_overrides', 'Names given instead of the plan''s', 'Billing', 't.user_id = $1', '{}', 'account', 'Until the account is deleted'),
  ('private.operator_audit', 'What the agency''s people did', 'Proof', null, '{}', 'kept', 'Append-only proof of who did what'),
  ('public.enquiries', 'Enquiries: name, address, number, words', 'Answering them', 't.user_id = $1 or lower(t.email) = $2 or regexp_replace(t.phone, ''\D'', '''', ''g'') = $3', '{address_hash,text_hash,proof_hash}', 'deleted', 'ENQUIRY_DAYS'),
  ('public.bookings', 'Calls that were booked: name, number, time', 'Keeping them', 'regexp_replace(t.phone, ''\D'', '''', ''g'') = $3', '{}', 'deleted', 'CALL_DAYS after the time'),
  ('private.mails', 'Mails that were sent', 'Delivering them', 'lower(t.recipient) = $2', '{}', 'deleted', '7 days'),
  ('private.text_messages', 'Text messages that were sent', 'Delivering them', 'regexp_replace(t.recipient, ''\D'', '''', ''g'') = $3', '{}', 'deleted', '7 days'),
  ('private.mail_suppressions', 'Addresses that want or take no mails', 'Not writing to them', 'lower(t.address) = $2', '{}', 'kept', 'So that nobody writes there again'),
  ('private.voice_records', 'Calls by telephone: number, what was said', 'Answering and checking them', 't.kind = ''call'' and regexp_replace(t.body #>> ''{customer,number}'', ''\D'', '''', ''g'') = $3', '{secrets}', 'deleted', 'CALL_DAYS'),
  ('private.voice_recordings', 'The sound of calls whose caller agreed', 'Checking them', null, '{}', 'deleted', 'With their call, or VOICE_RECORDING_DAYS'),
  ('private.voice_dials', 'Numbers that were called', 'Limits against fraud', 'regexp_replace(t.destination, ''\D'', '''', ''g'') = $3', '{}', 'deleted', 'Days'),
  ('private.voice_evidence', 'Marks of calls: disclosed, agreed, deleted; no words', 'Proof', null, '{}', 'kept', 'Proof that callers were told and asked');

create function private.personal_data_of(account uuid, mail text, number text) returns jsonb
  language plpgsql security definer set search_path = ''
  as $$
declare
  part private.personal_data;
  found jsonb;
  result jsonb := '{}';
begin
  for part in select * from private.personal_data d where d.found_by is not null order by d.table_name loop
    execute pg_catalog.format(
      'select pg_catalog.jsonb_agg(pg_catalog.to_jsonb(t) operator(pg_catalog.-) %L::text[]) from %s as t where %s',
      part.hidden, part.table_name, part.found_by)
      into found using account, pg_catalog.lower(mail), number;
    if found is not null then
      result := result operator(pg_catalog.||) pg_catalog.jsonb_build_object(part.table_name, found);
    end if;
  end loop;
  return result;
end
$$;
comment on function private.personal_data_of(uuid, text, text) is
  'All rows of a person by table: of an account, an address, a number in digits (each may be null).';

-- What an account's deletion does not reach by itself. Returns how many rows went, by table.
create function private.erase_person(account uuid, mail text, number text) returns jsonb
  language plpgsql security definer set search_path = ''
  as $$
declare
  part private.personal_data;
  gone bigint;
  result jsonb := '{}';
begin
  delete from private.outbox_events o using public.enquiries e
    where o.subject_id = e.event_subject
      and (e.user_id = account or pg_catalog.lower(e.email) = pg_catalog.lower(mail));
  for part in select * from private.personal_data d where d.on_erasure = 'deleted' and d.found_by is not null
    -- Tables that nothing of what is known of the person leads to are not read.
    and (account is not null and pg_catalog.strpos(d.found_by, '$1') > 0
      or mail is not null and pg_catalog.strpos(d.found_by, '$2') > 0
      or number is not null and pg_catalog.strpos(d.found_by, '$3') > 0) loop
    execute pg_catalog.format('delete from %s as t where %s', part.table_name, part.found_by)
      using account, pg_catalog.lower(mail), number;
    get diagnostics gone = row_count;
    if gone > 0 then
      result := result operator(pg_catalog.||) pg_catalog.jsonb_build_object(part.table_name, gone);
    end if;
  end loop;
  return result;
end
$$;
comment on function private.erase_person(uuid, text, text) is
  'Deletes what is kept of a person beside an account; the account itself goes by its own deletion, which calls this.';

create table private.erasures (
  account uuid primary key,
  erased_at timestamptz not null default now()
);
comment on table private.erasures is
  'Accounts that were erased, by number only, so that a restored backup does not bring them back.';
alter table private.erasures enable row level security;

create function private.erase_person_of_account() returns trigger
  language plpgsql security definer set search_path = ''
  as $$
begin
  -- Only an address that was proven: anybody may sign up with somebody else's. A number is never proof enough.
  perform private.erase_person(old.id, case when old.email_proven_at is not null then old.email end, null);
  insert into private.erasures (account) values (old.id) on conflict do nothing;
  return old;
end
$$;
comment on function private.erase_person_of_account() is 'What else is kept of the person goes with an account.';

create trigger erase_person before delete on auth.users
  for each row execute function private.erase_person_of_account();
comment on trigger erase_person on auth.users is 'Mails and enquiries of the person go with the account.';

revoke execute on function private.personal_data_of(uuid, text, text), private.erase_person(uuid, text, text),
  private.erase_person_of_account() from public;
