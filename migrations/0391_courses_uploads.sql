-- Uploads of a course plan are counted where they begin: videos that are on their way hold a place of the month, so that
-- two at once do not both take the last one.

alter table private.plan_allowances add column course_uploads integer;
comment on column private.plan_allowances.course_uploads is
  'Videos a month that a course plan takes; null for other plans.';

create function private.claim_course_upload() returns trigger
  language plpgsql security definer set search_path = ''
  as $$
declare
  room bigint;
begin
  -- Uploads of one user begin one after another (private.begin_upload), and a stored one leaves private.uploads in the
  -- transaction that counts it.
  select max(plan.course_uploads
             - (select count(*) from public.course_uploads stored
                 where stored.user_id = new.user_id and stored.created_at >= subscription.current_period_start)
             - (select count(*) from private.uploads under_way
                 where under_way.user_id = new.user_id and under_way.bucket_id = 'course-videos'
                   and under_way.id <> new.id and under_way.expires_at > now()))
    into room
    from public.customers customer
    join public.subscriptions subscription using (customer_id)
    join private.plan_allowances plan on plan.price_id = subscription.price_id
   where customer.user_id = new.user_id and subscription.status in ('active', 'trialing')
     and plan.course_uploads is not null;
  if room <= 0 then
    raise exception 'no course upload left' using errcode = 'NL003';
  end if;
  return null;
end
$$;
revoke execute on function private.claim_course_upload() from public;
create trigger claim_course_upload after insert on private.uploads
  for each row when (new.bucket_id = 'course-videos' and new.user_id is not null)
  execute function private.claim_course_upload();
comment on trigger claim_course_upload on private.uploads is
  'Refuses a video (NL003) when those that are stored and those on their way are all uploads of the plan''s month.';
