-- The account's picture counts against the storage of a plan (decision 0510), and the Files tab shows that.

create or replace function northline_app.account_allowances() returns jsonb
  language sql stable security definer set search_path = ''
  as $$
  select jsonb_build_object(
           'storage_limit_bytes', private.storage_limit_bytes(auth.uid()),
           'picture_bytes', (
             select coalesce(sum((o.metadata ->> 'size')::bigint), 0) from storage.objects o
              where o.bucket_id = 'account-pictures' and o.owner = auth.uid()),
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
  'The caller''s subscriptions of all product lines, the best first, with what their period has used, the bytes that the caller may store, and those of the account''s picture. Null before the second factor.';
