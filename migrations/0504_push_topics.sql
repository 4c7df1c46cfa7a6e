-- A notice of messages is not delivered any more once they were read, by whichever way.

alter table private.push_notices add column topic text;
comment on column private.push_notices.topic is
  'What it tells of, where that may be over before it is delivered: then the notice is taken back. Null for what stays true.';

create or replace function public.read_messages(p_ids uuid[]) returns integer
  language plpgsql security definer set search_path = ''
  as $$
declare
  marked integer;
begin
  if auth.uid() is null or not auth.second_factor_given() then
    raise exception 'Please sign in first' using errcode = '42501';
  end if;
  -- What is just being told of is told of first, and its notice is found below.
  perform pg_advisory_xact_lock(hashtext('message_mails'), hashtext(auth.uid()::text));
  update public.messages set read_at = now()
   where id = any (p_ids) and user_id = auth.uid() and from_agency and read_at is null;
  get diagnostics marked = row_count;
  if not exists (select from public.messages m
                  where m.user_id = auth.uid() and m.from_agency and m.read_at is null) then
    delete from private.push_notices n using private.push_subscriptions s
     where s.id = n.subscription_id and s.user_id = auth.uid() and n.topic = 'messages';
  end if;
  return marked;
end
$$;
