-- An account whose owner wants it deleted stays for the days of AUTH_GRACE_DAYS, in which it can be kept.

alter table auth.users add column deletion_due_at timestamptz;
comment on column auth.users.deletion_due_at is
  'When the account will be deleted, as its owner asked for; null for every other one.';
create index users_deletion_due_at_idx on auth.users (deletion_due_at) where deletion_due_at is not null;

create function private.holds_something(account uuid) returns boolean
  language sql stable security definer set search_path = ''
  as $$
  select exists (select from storage.objects o where o.owner = account)
      or exists (select from public.user_files f where f.user_id = account)
      or exists (select from public.customers c where c.user_id = account and (c.credits > 0 or c.customer_id is not null))
$$;
comment on function private.holds_something(uuid) is
  'Whether an account has a file, a credit or a purchase; one that has none of them needs no days of grace.';
revoke execute on function private.holds_something(uuid) from public;

create or replace view operator.customers with (security_barrier) as
  select u.id as user_id, u.email, u.raw_user_meta_data ->> 'full_name' as full_name, u.created_at,
         u.last_sign_in_at, u.banned_until, c.id as customer_row, c.customer_id, coalesce(c.credits, 0) as credits,
         s.tier, s.status as subscription_status, s.price_id, s.current_period_end, s.cancel_at_period_end,
         (select count(*) from public.user_files f where f.user_id = u.id and f.deleted_at is null)::integer as files,
         u.deletion_due_at
  from auth.users u
  left join public.customers c on c.user_id = u.id
  left join lateral (
    select x.* from public.subscriptions x
    where x.customer_id in (select p.customer_id from private.payment_customers p where p.customer_row = c.id)
       or x.customer_id = c.customer_id
    order by (x.status in ('active', 'trialing')) desc, x.created_at desc limit 1) s on true
  where u.deleted_at is null and (select auth.is_operator());
comment on view operator.customers is
  'Accounts with their credits, their best subscription, and when those will be deleted whose owner asked for it.';
