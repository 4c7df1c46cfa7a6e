-- What visitors wrote, and the clock of the promised reply.

create table public.enquiries (
  id text primary key check (id ~ '^(ENQ|COURSE)-[0-9]+-[a-z0-9]+$'),
  name text not null,
  email text not null,
  phone text,
  company_name text,
  website text,
  enquiry_type text not null,
  additional_notes text,
  course_description text,
  user_id uuid references auth.users (id) on delete set null,
  event_subject uuid not null unique default gen_random_uuid(),
  suspect_reasons text[] not null default '{}',
  address_hash text not null,
  text_hash text not null,
  created_at timestamptz not null default now(),
  due_at timestamptz not null default now() + interval '24 hours',
  replied_at timestamptz,
  replied_by uuid references auth.users (id) on delete set null,
  note text not null default '' check (length(note) <= 4000),
  warned_at timestamptz,
  proof_hash text
);
comment on table public.enquiries is 'What visitors wrote: enquiries and requests for courses.';
comment on column public.enquiries.event_subject is 'What its event in the outbox is about.';
comment on column public.enquiries.suspect_reasons is 'Why it may be advertising; it is kept all the same.';
comment on column public.enquiries.address_hash is 'Keyed hash: enough to count, nothing to look up.';
comment on column public.enquiries.replied_by is 'The operator''s account; null when it was marked otherwise.';
comment on column public.enquiries.warned_at is 'When the agency was warned that the time runs out: at most once.';
comment on column public.enquiries.proof_hash is 'Hash of the challenge that was solved; a second use is suspicious.';
create index enquiries_created_at_idx on public.enquiries (created_at desc);
create index enquiries_address_hash_idx on public.enquiries (address_hash, created_at);
create index enquiries_text_hash_idx on public.enquiries (text_hash, created_at);
create index enquiries_user_id_idx on public.enquiries (user_id);
create index enquiries_open_idx on public.enquiries (due_at) where replied_at is null and warned_at is null;
create index enquiries_proof_hash_idx on public.enquiries (proof_hash) where proof_hash is not null;
create index enquiries_email_idx on public.enquiries (lower(email));

alter table public.enquiries enable row level security;

grant select, update, delete on public.enquiries to service_role;

create policy enquiries_service on public.enquiries to service_role using (true) with check (true);

create function private.announce_enquiry() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.announce(
    case when new.id like 'COURSE-%' then 'course_inquiry.created' else 'enquiry.created' end, new.event_subject,
    jsonb_build_object('id', new.id, 'enquiry_type', new.enquiry_type, 'user_id', new.user_id,
      'suspect', new.suspect_reasons <> '{}', 'created_at', new.created_at));
  return null;
end $$;
create trigger announce after insert on public.enquiries
  for each row execute function private.announce_enquiry();
comment on trigger announce on public.enquiries is 'Writes the event enquiry.created or course_inquiry.created.';

create table private.enquiry_replies (
  id uuid primary key default gen_random_uuid(),
  enquiry_id text not null references public.enquiries (id) on delete cascade,
  body text not null check (char_length(body) between 1 and 10000),
  author uuid references auth.users (id) on delete set null,
  mailed_at timestamptz,
  created_at timestamptz not null default now()
);
comment on table private.enquiry_replies is 'Answers to enquiries, written at the console and sent by mail.';
create index enquiry_replies_enquiry_id_idx on private.enquiry_replies (enquiry_id, created_at);
create index enquiry_replies_author_idx on private.enquiry_replies (author);
create index enquiry_replies_to_mail_idx on private.enquiry_replies (created_at) where mailed_at is null;
alter table private.enquiry_replies enable row level security;

-- Which colleague answers an enquiry.

create table private.enquiry_assignments (
  enquiry_id text primary key references public.enquiries (id) on delete cascade,
  assignee uuid not null references auth.users (id) on delete cascade,
  assigned_at timestamptz not null default now()
);
comment on table private.enquiry_assignments is
  'Which operator answers an enquiry; no row for one that nobody has taken. Visitors are never shown it.';
create index enquiry_assignments_assignee_idx on private.enquiry_assignments (assignee);
alter table private.enquiry_assignments enable row level security;

create view operator.enquiries with (security_barrier) as
  select e.id, e.name, e.email, e.phone, e.company_name, e.website, e.enquiry_type, e.additional_notes,
         e.course_description, e.user_id, e.suspect_reasons, e.created_at, e.due_at, e.warned_at, e.replied_at,
         (select u.email from auth.users u where u.id = e.replied_by) as replied_by, e.note,
         (select o.state from private.outbox_events o
          where o.subject_id = e.event_subject and o.target = 'enquiries' and o.data is null
          order by o.created_at desc limit 1) as delivery,
         (select u.email from private.enquiry_assignments a join auth.users u on u.id = a.assignee
          where a.enquiry_id = e.id) as assignee,
         exists (select from private.enquiry_assignments a
                 where a.enquiry_id = e.id and a.assignee = (select auth.uid())) as is_mine
  from public.enquiries e where (select auth.is_operator());
comment on view operator.enquiries is 'Enquiries with the state of their delivery, and who answers them.';

create view operator.enquiry_replies with (security_barrier) as
  select r.id, r.enquiry_id, r.body, (select u.email from auth.users u where u.id = r.author) as author, r.mailed_at,
         r.created_at
  from private.enquiry_replies r where (select auth.is_operator());
comment on view operator.enquiry_replies is 'Answers to enquiries.';

create view operator.colleagues with (security_barrier) as
  select u.email from auth.users u
  where u.raw_app_meta_data ->> 'role' = 'operator' and u.deleted_at is null and u.email is not null
    and (select auth.is_operator());
comment on view operator.colleagues is 'Operators, to whom an enquiry may be given.';

create function operator.mark_replied(p_id text, p_replied boolean) returns boolean
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.operate('enquiry.replied', p_id, jsonb_build_object('replied', p_replied));
  update public.enquiries
    set replied_at = case when p_replied then coalesce(replied_at, now()) end,
        replied_by = case when p_replied then coalesce(replied_by, auth.uid()) end
    where id = p_id;
  return found;
end $$;
comment on function operator.mark_replied(text, boolean) is
  'Marks an enquiry as replied to, or takes the mark away; false when there is no such enquiry.';

create function operator.set_note(p_id text, p_note text) returns boolean
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.operate('enquiry.note', p_id);
  update public.enquiries set note = p_note where id = p_id;
  return found;
end $$;
comment on function operator.set_note(text, text) is
  'Sets the note of an enquiry; false when there is no such enquiry.';

create function operator.clear_suspicion(p_id text) returns boolean
  language plpgsql security definer set search_path = '' as $$
declare
  subject uuid;
begin
  perform private.operate('enquiry.not_suspect', p_id);
  update public.enquiries set suspect_reasons = '{}' where id = p_id and suspect_reasons <> '{}'
    returning event_subject into subject;
  if subject is null then return false; end if;
  insert into private.outbox_events (kind, subject_id, target)
    select case when p_id like 'COURSE-%' then 'course_inquiry.created' else 'enquiry.created' end, subject, t.name
    from private.webhook_targets t
    where t.name = 'enquiries' and t.active and not exists (
      select 1 from private.outbox_events o where o.subject_id = subject and o.target = 'enquiries' and o.data is null);
  return true;
end $$;
comment on function operator.clear_suspicion(text) is
  'Clears the suspicion of advertising and queues the event that was held back; false when there was none.';

grant select on operator.enquiries to authenticated, service_role;

revoke all on function
  operator.mark_replied(text, boolean), operator.set_note(text, text), operator.clear_suspicion(text)
from public;
grant execute on function
  operator.mark_replied(text, boolean), operator.set_note(text, text), operator.clear_suspicion(text)
to authenticated, service_role;

create function operator.reply_enquiry(p_id text, p_body text) returns boolean
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.operate('enquiry.reply', p_id);
  insert into private.enquiry_replies (enquiry_id, body, author)
    select e.id, p_body, auth.uid() from public.enquiries e where e.id = p_id and e.email <> '';
  if not found then return false; end if;
  update public.enquiries set replied_at = coalesce(replied_at, now()), replied_by = coalesce(replied_by, auth.uid())
   where id = p_id;
  return true;
end $$;
comment on function operator.reply_enquiry(text, text) is
  'Answers an enquiry by mail and stops its clock; false when there is none, or it names no address.';

grant select on operator.enquiry_replies to authenticated, service_role;
revoke all on function operator.reply_enquiry(text, text) from public;
grant execute on function operator.reply_enquiry(text, text) to authenticated, service_role;

create function operator.assign_enquiry(p_id text, p_assignee text) returns boolean
  language plpgsql security definer set search_path = '' as $$
declare
  chosen uuid;
begin
  perform private.operate('enquiry.assign', p_id, jsonb_build_object('assignee', p_assignee));
  if p_assignee is null then
    delete from private.enquiry_assignments where enquiry_id = p_id;
    return found;
  end if;
  select u.id into chosen from auth.users u
   where u.email = lower(p_assignee) and u.raw_app_meta_data ->> 'role' = 'operator' and u.deleted_at is null;
  if chosen is null or not exists (select from public.enquiries e where e.id = p_id) then return false; end if;
  insert into private.enquiry_assignments (enquiry_id, assignee) values (p_id, chosen)
    on conflict (enquiry_id) do update set assignee = excluded.assignee, assigned_at = now();
  return true;
end $$;
comment on function operator.assign_enquiry(text, text) is
  'Gives an enquiry to the operator of that address, or with null to nobody; false when there is no such enquiry or operator, and when nobody had it.';
grant select on operator.colleagues to authenticated, service_role;
revoke execute on function operator.assign_enquiry(text, text) from public;
grant execute on function operator.assign_enquiry(text, text) to authenticated, service_role;
