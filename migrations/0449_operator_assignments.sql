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

insert into private.personal_data (table_name, holds, purpose, found_by, hidden, on_erasure, kept) values
  ('private.enquiry_assignments', 'Which colleague answers an enquiry', 'Answering them', 't.assignee = $1', '{}', 'account', 'With their enquiry');

create view operator.colleagues with (security_barrier) as
  select u.email from auth.users u
  where u.raw_app_meta_data ->> 'role' = 'operator' and u.deleted_at is null and u.email is not null
    and (select auth.is_operator());
comment on view operator.colleagues is 'Who may be given an enquiry: the operators.';

create or replace view operator.enquiries with (security_barrier) as
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

revoke all on operator.colleagues from public, anon, authenticated, service_role;
grant select on operator.colleagues to authenticated, service_role;
revoke execute on function operator.assign_enquiry(text, text) from public;
grant execute on function operator.assign_enquiry(text, text) to authenticated, service_role;
