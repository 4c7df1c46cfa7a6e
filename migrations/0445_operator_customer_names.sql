-- What customers are searched by, apart from what is costly to count for each of them.

create view operator.customer_names with (security_barrier) as
  select u.id as user_id, u.email, u.raw_user_meta_data ->> 'full_name' as full_name, u.created_at, c.customer_id
  from auth.users u left join public.customers c on c.user_id = u.id
  where u.deleted_at is null and (select auth.is_operator());
comment on view operator.customer_names is
  'Accounts by what they are searched by; `operator.customers` has the rest of those that are found.';
grant select on operator.customer_names to authenticated, service_role;
