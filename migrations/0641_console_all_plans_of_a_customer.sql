-- The console shows every plan of a customer, not only the best one.

create or replace view operator.customers with (security_barrier) as
  select u.id as user_id, u.email, u.raw_user_meta_data ->> 'full_name' as full_name, u.created_at,
         u.last_sign_in_at, u.banned_until, c.id as customer_row, c.customer_id, coalesce(c.credits, 0) as credits,
         s.tier, s.status as subscription_status, s.price_id, s.current_period_end, s.cancel_at_period_end,
         (select count(*) from public.user_files f where f.user_id = u.id and f.deleted_at is null)::integer as files,
         u.deletion_due_at,
         coalesce(held.plans, '[]') as plans
  from auth.users u
  left join public.customers c on c.user_id = u.id
  left join lateral (
    select x.* from public.subscriptions x
    where x.customer_id in (select p.customer_id from private.payment_customers p where p.customer_row = c.id)
       or x.customer_id = c.customer_id
    order by (x.status in ('active', 'trialing')) desc, x.created_at desc limit 1) s on true
  left join lateral (
    select jsonb_agg(jsonb_build_object('price_id', y.price_id, 'tier', y.tier, 'status', y.status,
             'current_period_end', y.current_period_end, 'cancel_at_period_end', y.cancel_at_period_end)
             order by y.in_force desc, y.created_at desc) as plans
    from (
      select x.*, x.status in ('active', 'trialing') as in_force,
             x.status not in ('canceled', 'incomplete_expired') as lives
      from public.subscriptions x
      where x.customer_id in (select p.customer_id from private.payment_customers p where p.customer_row = c.id)
         or x.customer_id = c.customer_id) y
    where y.lives or y.id = s.id) held on true
  where u.deleted_at is null and (select auth.is_operator());
comment on view operator.customers is
  'Accounts with their credits, their subscriptions that have not ended (or the last one), and when those will be deleted whose owner asked for it.';
