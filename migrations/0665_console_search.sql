-- Search over everything at the console: one function, its rights, and an index for each thing that it finds.

create function private.search_words(p_text text) returns tsvector
  language sql immutable parallel safe set search_path = ''
  as $$ select to_tsvector('pg_catalog.simple', regexp_replace(lower(p_text), '[^[:alnum:]]+', ' ', 'g')) $$;
comment on function private.search_words(text) is
  'The words of a text for the console''s search: letters and digits, so that the parts of an address count one by one.';

create function private.phone_ending(p_phone text) returns text
  language sql immutable parallel safe set search_path = ''
  as $$ select reverse(right(regexp_replace(p_phone, '\D', '', 'g'), 9)) $$;
comment on function private.phone_ending(text) is
  'The last nine digits of a telephone number, last one first: the same for +44 20 7946 0018 and 020 7946 0018.';
revoke execute on function private.search_words(text), private.phone_ending(text) from public;
-- For the indexes alone: a statement that writes a row computes them with the rights of its role.
grant execute on function private.search_words(text), private.phone_ending(text) to authenticated, service_role;

create index users_search_idx on auth.users
  using gin (private.search_words(coalesce(email, '') || ' ' || coalesce(raw_user_meta_data ->> 'full_name', '')));
create index users_phone_ending_idx on auth.users (private.phone_ending(phone) text_pattern_ops) where phone is not null;
create index enquiries_search_idx on public.enquiries
  using gin (private.search_words(id || ' ' || name || ' ' || email || ' ' || coalesce(company_name, '') || ' ' || enquiry_type
    || ' ' || coalesce(additional_notes, '') || ' ' || coalesce(course_description, '') || ' ' || note));
create index enquiries_phone_ending_idx on public.enquiries (private.phone_ending(phone) text_pattern_ops)
  where phone is not null;
create index bookings_search_idx on northline_app.bookings
  using gin (private.search_words(name || ' ' || coalesce(email, '')));
create index bookings_phone_ending_idx on northline_app.bookings (private.phone_ending(phone) text_pattern_ops);
create index voice_records_call_search_idx on private.voice_records
  using gin (private.search_words(coalesce(body #>> '{customer,name}', '') || ' ' || coalesce(body #>> '{analysis,summary}', '')
    || ' ' || left(coalesce(body ->> 'transcript', ''), 100000)))
  where kind = 'call' and body ? 'endedAt';
create index voice_records_call_phone_idx on private.voice_records
  (private.phone_ending(body #>> '{customer,number}') text_pattern_ops, created_at desc) where kind = 'call';
create index messages_search_idx on northline_app.messages using gin (private.search_words(body));
create index payment_invoices_search_idx on private.payment_invoices using gin (private.search_words(number));
create index course_lessons_search_idx on northline_app.course_lessons
  using gin (private.search_words(title || ' ' || file_name));

create function operator.search(p_words text, p_most integer)
  returns table (kind text, id text, owner uuid, title text, about text, at timestamptz)
  language plpgsql stable security definer set search_path = ''
  as $$
declare
  wanted tsquery := (
    select to_tsquery('pg_catalog.simple', string_agg(quote_literal(word) || ':*', ' & '))
      from regexp_split_to_table(regexp_replace(lower(left(p_words, 200)), '[^[:alnum:]]+', ' ', 'g'), ' ') as word
     where word <> '');
  -- Three digits are the least that say anything; a word with letters is no number.
  ending text := case when p_words ~ '^[-+()/. 0-9]+$' and length(regexp_replace(p_words, '\D', '', 'g')) >= 3
    then private.phone_ending(p_words) || '%' end;
begin
  if not auth.is_operator() then
    raise exception 'This is for operators' using errcode = '42501';
  end if;
  return query
    with known as (
      select u.id from auth.users u
       where private.search_words(coalesce(u.email, '') || ' ' || coalesce(u.raw_user_meta_data ->> 'full_name', '')) @@ wanted
      union select u.id from auth.users u where u.phone is not null and private.phone_ending(u.phone) like ending
      union select c.user_id from public.customers c where c.customer_id = p_words
      union select u.id from auth.users u where u.id::text = p_words
      union select coalesce(e.user_id, u.id) from public.enquiries e left join auth.users u on u.email = lower(e.email)
       where e.phone is not null and private.phone_ending(e.phone) like ending
      union select u.id from northline_app.bookings b join auth.users u on u.email = lower(b.email)
       where private.phone_ending(b.phone) like ending)
    select 'customer', u.id::text, u.id, coalesce(nullif(u.raw_user_meta_data ->> 'full_name', ''), u.email, u.phone, ''),
           coalesce(u.email, u.phone, ''), u.created_at
      from known k join auth.users u on u.id = k.id where u.deleted_at is null order by u.created_at desc limit p_most;
  return query
    select 'enquiry', e.id, e.user_id, e.name, e.enquiry_type, e.created_at from public.enquiries e
     where private.search_words(e.id || ' ' || e.name || ' ' || e.email || ' ' || coalesce(e.company_name, '') || ' ' || e.enquiry_type
             || ' ' || coalesce(e.additional_notes, '') || ' ' || coalesce(e.course_description, '') || ' ' || e.note) @@ wanted
        or e.phone is not null and private.phone_ending(e.phone) like ending
     order by e.created_at desc limit p_most;
  return query
    select 'call', r.id::text, null::uuid,
           coalesce(r.body #>> '{customer,name}', r.body #>> '{customer,number}', 'Web call'),
           coalesce(r.body #>> '{analysis,summary}', ''), r.created_at::timestamptz
      from private.voice_records r
     where r.kind = 'call' and (
         r.body ? 'endedAt' and private.search_words(coalesce(r.body #>> '{customer,name}', '') || ' '
           || coalesce(r.body #>> '{analysis,summary}', '') || ' ' || left(coalesce(r.body ->> 'transcript', ''), 100000)) @@ wanted
         or private.phone_ending(r.body #>> '{customer,number}') like ending)
     order by r.created_at desc limit p_most;
  return query
    select 'booking', b.id::text, null::uuid, b.name, b.phone, b.starts_at from northline_app.bookings b
     where private.search_words(b.name || ' ' || coalesce(b.email, '')) @@ wanted or private.phone_ending(b.phone) like ending
     order by b.starts_at desc limit p_most;
  return query
    select 'message', m.id::text, m.user_id, coalesce(nullif(u.raw_user_meta_data ->> 'full_name', ''), u.email, ''),
           left(m.body, 160), m.sent_at
      from northline_app.messages m join auth.users u on u.id = m.user_id and u.deleted_at is null
     where m.lesson_id is null and private.search_words(m.body) @@ wanted order by m.sent_at desc limit p_most;
  return query
    select 'invoice', i.id, u.id, i.number, coalesce(u.email, ''), i.created_at
      from private.payment_invoices i
      join private.payment_customers p on p.customer_id = i.customer_id
      join public.customers c on c.id = p.customer_row
      join auth.users u on u.id = c.user_id and u.deleted_at is null
     where private.search_words(i.number) @@ wanted order by i.created_at desc limit p_most;
  return query
    select 'lesson', l.id::text, l.user_id, l.title, coalesce(u.email, ''), l.created_at
      from northline_app.course_lessons l join auth.users u on u.id = l.user_id and u.deleted_at is null
     where private.search_words(l.title || ' ' || l.file_name) @@ wanted order by l.created_at desc limit p_most;
end
$$;
comment on function operator.search(text, integer) is
  'Customers, enquiries, calls, bookings, messages, invoices and lessons that hold all the words, each as a whole or by its beginning, or that end in the digits of a telephone number; the newest of each kind first.';
revoke execute on function operator.search(text, integer) from public;
grant execute on function operator.search(text, integer) to authenticated, service_role;
