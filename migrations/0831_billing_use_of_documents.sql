-- What the agency takes back, a refund or a lapse is no use of a plan: "25 of 25 documents" stood beside seven documents.

create or replace function private.subscription_use(p_subscription_id text) returns integer
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
              and spend.kind = 'spend' and spend.description is distinct from 'Course Video'
              and (g.subscription_id = s.subscription_id and g.period_end = s.current_period_end
                   or g.subscription_id <> s.subscription_id and spend.created_at >= s.current_period_start))
         end::integer
    from public.subscriptions s
    join public.customers customer using (customer_id)
    left join private.plan_allowances plan on plan.price_id = s.price_id
   where s.subscription_id = p_subscription_id
$$;
