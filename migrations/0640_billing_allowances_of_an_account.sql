-- What an account may use, over all its plans, as the server enforces it.

create function private.subscription_use(p_subscription_id text) returns integer
  language sql stable security definer set search_path = ''
  as $$
  select case when plan.course_uploads is not null then (
           select count(*) from northline_app.course_uploads u
            where u.user_id = customer.user_id and u.created_at >= s.current_period_start)
         else (
           select coalesce(sum(a.amount), 0)
             from private.credit_grants g
             join private.credit_allocations a on a.grant_id = g.id
             join public.credit_transactions spend on spend.id = a.spend
            where g.customer_row = customer.id
              and spend.description is distinct from 'Course Video'
              and (g.subscription_id = s.subscription_id and g.period_end = s.current_period_end
                   or g.subscription_id <> s.subscription_id and spend.created_at >= s.current_period_start))
         end::integer
    from public.subscriptions s
    join public.customers customer using (customer_id)
    left join private.plan_allowances plan on plan.price_id = s.price_id
   where s.subscription_id = p_subscription_id
$$;
comment on function private.subscription_use(text) is
  'What a subscription''s period has used: of a course plan its uploads, as claim_course_upload counts them; of another plan the credits that documents took, out of the grants of any plan of the account.';
revoke execute on function private.subscription_use(text) from public;

create function northline_app.account_allowances() returns jsonb
  language sql stable security definer set search_path = ''
  as $$
  select jsonb_build_object(
           'storage_limit_bytes', private.storage_limit_bytes(auth.uid()),
           'plans', coalesce((
             select jsonb_agg(jsonb_build_object(
                      'tier', s.tier,
                      'subscription_status', s.status,
                      'price_id', s.price_id,
                      'current_period_start', extract(epoch from s.current_period_start)::bigint,
                      'current_period_end', extract(epoch from s.current_period_end)::bigint,
                      'cancel_at_period_end', s.cancel_at_period_end,
                      'used', private.subscription_use(s.subscription_id),
                      'video_minutes_used', (
                        select coalesce(ceil(sum(u.seconds) / 60), 0) from northline_app.course_uploads u
                         where u.user_id = c.user_id and u.created_at >= s.current_period_start))
                    order by case s.status when 'active' then 0 when 'trialing' then 1 when 'past_due' then 2
                               when 'unpaid' then 3 when 'incomplete' then 4 else 5 end,
                             s.created_at desc, s.id)
               from public.customers c join public.subscriptions s using (customer_id)
              where c.user_id = auth.uid()), '[]'))
   where auth.second_factor_given()
$$;
comment on function northline_app.account_allowances() is
  'The caller''s subscriptions of all product lines, the best first, with what their period has used, and the bytes that the caller may store. Null before the second factor.';

revoke execute on function northline_app.account_allowances() from public;
grant execute on function northline_app.account_allowances() to authenticated, service_role;
