-- The subscription view counts pages: those of every report made in the current period. A
-- document of a format without pages counts as one.
create or replace view public.user_subscription with (security_invoker = true) as
  select distinct on (c.user_id)
    s.tier,
    s.status as subscription_status,
    s.price_id,
    extract(epoch from s.current_period_start)::bigint as current_period_start,
    extract(epoch from s.current_period_end)::bigint as current_period_end,
    s.cancel_at_period_end,
    s.payment_method_brand,
    s.payment_method_last4,
    (select count(*)::integer from public.credit_transactions t
      where s.price_id like 'price\_courses\_%' and t.user_id = c.user_id and t.kind = 'spend'
        and t.state <> 'returned' and t.created_at >= s.current_period_start) as course_uploads_used,
    (select coalesce(sum(coalesce((r.report #>> '{document,pages}')::integer, 1)), 0)::integer
      from public.analysis_reports r
      where r.user_id = c.user_id and r.created_at >= s.current_period_start) as document_pages_used,
    0 as video_minutes_used
  from public.customers c
  join public.subscriptions s on s.customer_id = c.customer_id
  where c.user_id is not null
  order by c.user_id,
    case s.status when 'active' then 0 when 'trialing' then 1 when 'past_due' then 2 when 'unpaid' then 3
      when 'incomplete' then 4 else 5 end,
    s.created_at desc, s.id;
