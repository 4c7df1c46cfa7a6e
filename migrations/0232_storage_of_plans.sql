-- Storage follows the plan that a subscription runs on, which may be one that is not sold any more.

create table private.plan_allowances (
  price_id text primary key,
  megabytes integer not null
);
comment on table private.plan_allowances is
  'Megabytes of storage by plan, written from the catalogue at every start and change. '''' is no plan.';
insert into private.plan_allowances (price_id, megabytes) values ('', 250);
alter table private.plan_allowances enable row level security;

create or replace function private.storage_limit_bytes(p_user_id uuid) returns bigint
  language plpgsql stable security definer set search_path = ''
  as $$
declare
  megabytes integer;
begin
  select max(plan.megabytes) into megabytes
    from public.customers customer
    join public.subscriptions subscription using (customer_id)
    join private.plan_allowances plan on plan.price_id = subscription.price_id
   where customer.user_id = p_user_id and subscription.status in ('active', 'trialing');
  if megabytes is null then
    select plan.megabytes into megabytes from private.plan_allowances plan where price_id = '';
  end if;
  return coalesce(megabytes, 250)::bigint * 1024 * 1024;
end
$$;

drop table private.plan_storage;
