-- Operators in a call that goes on: they listen in, have the assistant say something, instruct it, and speak in its place.

alter table public.live_calls add column taken_by text check (char_length(taken_by) <= 200);
comment on column public.live_calls.taken_by is
  'Who speaks in the assistant''s place; null while the assistant has the call.';

alter table public.live_call_words drop constraint live_call_words_role_check,
  add constraint live_call_words_role_check check (role in ('user', 'assistant', 'colleague'));

create function operator.attend_call(p_id uuid, p_act text) returns text
  language plpgsql security definer set search_path = '' as $$
begin
  if p_act is null or p_act not in ('listen_in', 'say', 'whisper', 'take_over', 'give_back') then
    raise exception 'There is no act %', p_act using errcode = '22023';
  end if;
  perform private.operate('call.' || p_act, p_id::text);
  if not exists (select from private.voice_live_calls l where l.call_id = p_id) then
    return null;
  end if;
  return coalesce(
    (select left(coalesce(nullif(btrim(u.raw_user_meta_data ->> 'full_name'), ''), u.email), 200)
     from auth.users u where u.id = auth.uid()),
    'The agency');
end $$;
comment on function operator.attend_call(uuid, text) is
  'Notes what an operator is about to do in a call that goes on; the operator''s name, null when nobody carries the call.';

create function operator.may_attend() returns boolean
  language sql stable security definer set search_path = '' as $$
  select auth.is_operator() and (auth.role() = 'service_role' or exists (
    select from auth.sessions s
    where s.id::text = auth.jwt() ->> 'session_id' and s.user_id = auth.uid() and coalesce(s.not_after > now(), true)))
$$;
comment on function operator.may_attend() is
  'Whether the caller still is an operator whose session goes on: what is heard of a call ends with either.';

revoke all on function operator.attend_call(uuid, text), operator.may_attend() from public;
grant execute on function operator.attend_call(uuid, text), operator.may_attend() to authenticated, service_role;

insert into private.personal_data (table_name, holds, purpose, found_by, hidden, on_erasure, kept) values
  ('public.live_calls', 'Name of the operator who has taken a call over', 'Telling the other operators who has the call',
    null, '{}', 'kept', 'Until the call is given back or ends');
