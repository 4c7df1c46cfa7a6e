-- The list of personal data: exports and erasures find their rows by it, and docs/privacy.md is written from it.

create table private.personal_data (
  table_name text primary key,
  holds text not null,
  purpose text not null,
  -- SQL over `t` with $1 the account's id, $2 the address in lower case, $3 the number in digits; null: never exported by row.
  found_by text,
  -- Columns that no export shows: secrets, and values that are computed from the rest.
  hidden text[] not null default '{}',
  on_erasure text not null check (on_erasure in ('account', 'deleted', 'kept')),
  -- How long it is kept, or why it is at all.
  kept text not null
);
comment on table private.personal_data is
  'The processing record: each table with data of people, what for, how the rows of a person are found, and what an erasure does to them.';
alter table private.personal_data enable row level security;

insert into private.personal_data (table_name, holds, purpose, found_by, hidden, on_erasure, kept) values
  ('auth.audit_log_entries', 'What happened to the account: time, network address', 'Proof and help after an attack',
   't.actor_id = $1', '{}', 'kept', 'Append-only proof of who did what'),
  ('auth.flow_state', 'Sign-ins under way', 'Signing in', null, '{}', 'account', 'A day'),
  ('auth.identities', 'Ways to sign in, and what their provider tells', 'Signing in',
   't.user_id = $1', '{}', 'account', 'Until the account is deleted'),
  ('auth.mfa_factors', 'Second factors', 'Signing in',
   't.user_id = $1', '{secret,credential}', 'account', 'Until removed'),
  ('auth.one_time_tokens', 'Hashes of mailed and texted codes', 'Proving an address',
   null, '{}', 'account', 'A day after they lapse'),
  ('auth.passkeys', 'Passkeys', 'Signing in',
   't.user_id = $1', '{credential_id,public_key}', 'account', 'Until removed'),
  ('auth.provider_flows', 'Ways to a provider under way', 'Signing in', null, '{}', 'account', 'Minutes'),
  ('auth.sessions', 'Sign-ins: time, network address, browser', 'Showing and ending them',
   't.user_id = $1', '{}', 'account', 'Until signed out, or AUTH_SESSION_HOURS'),
  ('auth.users', 'The account: address, number, name, settings', 'Signing in',
   't.id = $1', '{encrypted_password,confirmation_token,recovery_token,email_change_token_new,email_change_token_current,reauthentication_token}', 'account', 'Until the account is deleted'),
  ('auth.webauthn_challenges', 'Challenges of passkeys', 'Signing in', null, '{}', 'account', 'Minutes'),
  ('private.analyses', 'Analyses: when and how they ended', 'The service',
   't.user_id = $1', '{answer_hash}', 'account', 'Until the document is deleted'),
  ('private.checkouts', 'Purchases: plan, address', 'Billing',
   't.started_by = $1 or lower(t.email) = $2', '{secret_hash,claim_hash}', 'kept', 'The books of the agency'),
  ('private.document_model_use', 'How much was asked of a language model', 'Limits',
   't.user_id = $1', '{}', 'account', 'Until the account is deleted'),
  ('private.enquiry_assignments', 'Which colleague answers an enquiry', 'Answering them',
   't.assignee = $1', '{}', 'account', 'With their enquiry'),
  ('private.enquiry_replies', 'Answers to enquiries', 'Answering them',
   't.enquiry_id in (select e.id from public.enquiries e where lower(e.email) = $2)', '{author}', 'deleted', 'With their enquiry'),
  ('private.free_credits', 'A keyed digest of an address whose account came with free credits', 'Giving them once',
   't.user_id = $1', '{mail_digest,client_digest}', 'kept', 'With the account; without it a year from when they were given. The digest of the network: a day'),
  ('private.mail_suppressions', 'Addresses that want or take no mails', 'Not writing to them',
   'lower(t.address) = $2', '{}', 'kept', 'So that nobody writes there again'),
  ('private.mails', 'Mails that were sent', 'Delivering them', 'lower(t.recipient) = $2', '{}', 'deleted', '7 days'),
  ('private.message_notes', 'Who of the agency wrote a message, and when it was mailed', 'The service',
   null, '{}', 'account', 'Until the account is deleted'),
  ('private.operator_audit', 'What the agency''s people did', 'Proof',
   null, '{}', 'kept', 'Append-only proof of who did what'),
  ('private.payment_audit', 'Claims of purchases: time, network address', 'Proof',
   't.user_id = $1', '{}', 'kept', 'Proof in disputes'),
  ('private.plan_overrides', 'Names given instead of the plan''s', 'Billing',
   't.user_id = $1', '{}', 'account', 'Until the account is deleted'),
  ('private.push_notices', 'Notices on their way: names of documents and lessons', 'Notices',
   't.subscription_id in (select s.id from private.push_subscriptions s where s.user_id = $1)', '{}', 'account', 'Until delivered, a day at most'),
  ('private.push_subscriptions', 'Browsers that show notices: their address at a push service', 'Notices',
   't.user_id = $1', '{endpoint,public_key,auth_secret}', 'account', 'Until switched off or signed out'),
  ('private.rate_limits', 'Keyed digests of network addresses and accounts that used a service lately, and how often', 'Limits against floods and guessing',
   null, '{subject}', 'kept', 'At most a day: until the limit has filled up again'),
  ('private.reading_failures', 'How many documents in a row ended the reader', 'Fair use of the reader by all customers',
   't.user_id = $1', '{}', 'account', 'Until a document is read'),
  ('private.team_invitations', 'Addresses that were invited to a team', 'Inviting them',
   'lower(t.email) = $2', '{token_hash}', 'deleted', 'Seven days, or until they are answered'),
  ('private.text_messages', 'Text messages that were sent', 'Delivering them',
   'regexp_replace(t.recipient, ''\D'', '''', ''g'') = $3', '{}', 'deleted', '7 days'),
  ('private.uploads', 'Uploads under way', 'The service',
   't.user_id = $1', '{}', 'kept', 'Until their lease ends, minutes to a day'),
  ('private.voice_assistant_versions', 'Who of the agency changed an assistant', 'Going back',
   't.author = $1', '{body}', 'account', 'The last hundred versions; the name goes with the account'),
  ('private.voice_callers', 'Keyed digests of numbers that called', 'Limits against floods of calls',
   null, '{}', 'kept', 'Two hours'),
  ('private.voice_campaign_customers', 'Who is to be called: number, name, address', 'Calls of a campaign',
   'regexp_replace(t.customer ->> ''number'', ''\D'', '''', ''g'') = $3 or lower(t.customer ->> ''email'') = $2', '{}', 'deleted', 'Until the campaign is deleted'),
  ('private.voice_dials', 'Keyed digests of numbers that were called', 'Limits against fraud',
   null, '{}', 'kept', 'Two days'),
  ('private.voice_do_not_call', 'A keyed digest of a number that asked not to be called, and its last two characters', 'Not calling it again',
   null, '{destination}', 'kept', 'For good: the wish outlives everything else that is known of the number'),
  ('private.voice_evidence', 'Marks of calls: disclosed, agreed, deleted; no words', 'Proof',
   null, '{}', 'kept', 'Proof that callers were told and asked'),
  ('private.voice_live_calls', 'A keyed digest of the network address that a visitor calls from', 'Leaving lines to others',
   null, '{visitor}', 'kept', 'Until the call ends'),
  ('private.voice_recordings', 'The sound of calls and meetings, and the pictures of their cameras, of those who agreed', 'Checking them',
   null, '{}', 'deleted', 'With their call, or VOICE_RECORDING_DAYS'),
  ('private.voice_records', 'Calls by telephone: number, what was said; who was in recorded meetings', 'Answering and checking them',
   't.kind = ''call'' and regexp_replace(t.body #>> ''{customer,number}'', ''\D'', '''', ''g'') = $3', '{secrets}', 'deleted', 'CALL_DAYS'),
  ('northline_app.analysis_corrections', 'Corrections of reports', 'The service',
   't.user_id = $1', '{}', 'account', 'Until the report is deleted'),
  ('northline_app.analysis_index', 'Words and sums of reports, for searching', 'The service',
   null, '{}', 'account', 'Until the report is deleted'),
  ('northline_app.analysis_invoice_marks', 'Bills that were marked as paid', 'The service',
   't.user_id = $1', '{}', 'account', 'Until the document is deleted'),
  ('northline_app.analysis_passages', 'Passages of documents, for searching', 'The service',
   null, '{}', 'account', 'Until the report is deleted'),
  ('northline_app.analysis_reports', 'What documents say', 'The service', 't.user_id = $1', '{}', 'account', 'Until deleted'),
  ('northline_app.analysis_shares', 'Links to reports', 'The service',
   't.user_id = $1', '{token_hash}', 'account', 'Until they lapse or are withdrawn'),
  ('northline_app.bookings', 'Calls that were booked: name, number, address for the confirmation, time', 'Keeping them',
   'lower(t.email) = $2 or regexp_replace(t.phone, ''\D'', '''', ''g'') = $3', '{}', 'deleted', 'CALL_DAYS after the time'),
  ('northline_app.course_lessons', 'Videos of lessons: name, length', 'The service',
   't.user_id = $1', '{}', 'account', 'Until deleted'),
  ('northline_app.course_messages', 'Messages about lessons', 'The service',
   't.user_id = $1', '{}', 'account', 'Until the lesson is deleted'),
  ('northline_app.course_uploads', 'Length and size of videos', 'Limits of a plan',
   't.user_id = $1', '{}', 'account', 'Until the account is deleted'),
  ('northline_app.courses', 'Courses: their titles and order', 'The service',
   't.user_id = $1', '{}', 'account', 'Until deleted'),
  ('public.credit_transactions', 'Each credit: bought, used, returned', 'Billing',
   't.user_id = $1', '{}', 'kept', 'Without the account: the books of the agency'),
  ('public.customers', 'Credits, and the number at the payment provider', 'Billing',
   't.user_id = $1', '{}', 'kept', 'Without the account: the books of the agency'),
  ('public.enquiries', 'Enquiries: name, address, number, words', 'Answering them',
   't.user_id = $1 or lower(t.email) = $2 or regexp_replace(t.phone, ''\D'', '''', ''g'') = $3', '{address_hash,text_hash,proof_hash}', 'deleted', 'ENQUIRY_DAYS'),
  ('northline_app.file_tags', 'Words that documents are filed under', 'Finding them',
   't.user_id = $1', '{}', 'account', 'Until the document is deleted'),
  ('northline_app.live_call_words', 'What is being said in a call', 'Reading along at the console',
   null, '{}', 'deleted', 'Until the call ends'),
  ('northline_app.live_calls', 'Name of the operator who has taken a call over', 'Telling the other operators who has the call',
   null, '{}', 'kept', 'Until the call is given back or ends'),
  ('northline_app.message_files', 'Which documents were attached to messages', 'The service',
   't.user_id = $1', '{}', 'account', 'Until the account is deleted'),
  ('northline_app.messages', 'Messages between a customer and the agency', 'The service',
   't.user_id = $1', '{}', 'account', 'Until the account is deleted'),
  ('public.subscriptions', 'Plans that were bought', 'Billing',
   't.customer_id in (select c.customer_id from public.customers c where c.user_id = $1)', '{}', 'kept', 'Ended with the account; the books of the agency'),
  ('northline_app.team_files', 'Files that were shown to a team', 'The service',
   't.shared_by = $1', '{}', 'account', 'Until they are withdrawn'),
  ('northline_app.team_members', 'Who is in which team, in which role', 'The service',
   't.user_id = $1', '{}', 'account', 'Until they leave'),
  ('northline_app.teams', 'Teams: name, who pays', 'The service',
   't.payer = $1 or t.id = (select m.team_id from northline_app.team_members m where m.user_id = $1)', '{}', 'account', 'Until the last owner leaves'),
  ('public.user_files', 'Uploaded documents: name, size, kind', 'The service',
   't.user_id = $1', '{}', 'account', 'Until deleted'),
  ('storage.objects', 'The documents themselves, and the account''s picture, by their place', 'The service',
   't.owner = $1', '{}', 'account', 'Until deleted; bytes within minutes');

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

-- Deletes what the deletion of an account does not reach by itself. Returns how many rows went, by table.
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
    -- Only tables that one of the given values leads to are read.
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
  'Deletes the data of a person beside the account; the deletion of the account itself calls this.';

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
comment on function private.erase_person_of_account() is 'Deletes the other data of a person with the account.';

create trigger erase_person before delete on auth.users
  for each row execute function private.erase_person_of_account();
comment on trigger erase_person on auth.users is 'Mails and enquiries of the person go with the account.';

revoke execute on function private.personal_data_of(uuid, text, text), private.erase_person(uuid, text, text),
  private.erase_person_of_account() from public;
