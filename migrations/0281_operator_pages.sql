-- What the console shows besides: bookings, and answers to enquiries that it sends itself.

create view operator.bookings with (security_barrier) as
  select b.id, b.starts_at, b.minutes, b.name, b.phone, b.call_id, b.created_at
  from public.bookings b where (select auth.is_operator());
comment on view operator.bookings is 'Calls with a colleague that callers booked.';

create function operator.cancel_booking(p_id uuid) returns boolean
  language plpgsql security definer set search_path = '' as $$
declare
  gone public.bookings;
begin
  delete from public.bookings where id = p_id and auth.is_operator() returning * into gone;
  perform private.operate('booking.cancel', p_id::text,
    jsonb_build_object('starts_at', gone.starts_at, 'name', gone.name));
  return gone.id is not null;
end $$;
comment on function operator.cancel_booking(uuid) is
  'Takes a booking out of the calendar, so that its time is free again; false when there is none.';

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

create view operator.enquiry_replies with (security_barrier) as
  select r.id, r.enquiry_id, r.body, (select u.email from auth.users u where u.id = r.author) as author, r.mailed_at,
         r.created_at
  from private.enquiry_replies r where (select auth.is_operator());
comment on view operator.enquiry_replies is 'Answers to enquiries.';

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

revoke all on operator.bookings, operator.enquiry_replies from public, anon, authenticated, service_role;
grant select on operator.bookings, operator.enquiry_replies to authenticated, service_role;
revoke all on function operator.cancel_booking(uuid), operator.reply_enquiry(text, text) from public;
grant execute on function operator.cancel_booking(uuid), operator.reply_enquiry(text, text)
  to authenticated, service_role;
