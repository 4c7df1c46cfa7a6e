-- What the Billing tab shows beside credits, and the operator's side of billing.

alter table public.subscriptions
  -- A downgrade that waits for the end of the period.
  add column pending_price_id text,
  add column pending_at timestamptz;

-- Invoices as the provider tells them.
create table private.payment_invoices (
  id text primary key,
  customer_id text not null,
  subscription_id text,
  number text,
  status text not null,
  total integer not null,
  amount_due integer not null,
  amount_remaining integer not null,
  refunded integer not null default 0,
  next_attempt_at timestamptz,
  created_at timestamptz not null
);
create index payment_invoices_customer on private.payment_invoices (customer_id, created_at desc);

alter table private.payment_customers
  -- Pence that the provider counts against the next invoice; negative is in the customer's favour.
  add column balance integer not null default 0;

-- A dispute names its charge only; the job asks whose it is.
alter table private.payment_events add column charge_id text;

-- SHA-256 of the secret in the mail that lets a payer claim the purchase on another device.
alter table private.checkouts add column claim_hash bytea;

-- Every price that `npm run billing -- sync` made or found at the provider. Old ones stay, as
-- subscriptions to them go on.
create table private.payment_prices (
  provider_price text primary key,
  price_id text not null,
  amount integer not null,
  livemode boolean not null,
  -- The one that is sold.
  current boolean not null default true,
  created_at timestamptz not null default now()
);
create unique index payment_prices_current on private.payment_prices (price_id, livemode) where current;

-- A plan that an operator gave for the analysis payload (spec/readings.md). Rows are never changed
-- but for their end, so that they are the audit.
create table private.plan_overrides (
  id bigint generated always as identity primary key,
  user_id uuid not null references auth.users (id) on delete cascade,
  plan text not null,
  reason text not null,
  set_by text not null,
  created_at timestamptz not null default now(),
  until timestamptz,
  ended_at timestamptz,
  ended_by text
);
create index plan_overrides_user on private.plan_overrides (user_id, id desc);

create function private.plan_override(p_user uuid) returns text
  language sql stable set search_path = ''
as $$
  select o.plan from private.plan_overrides o
   where o.user_id = p_user and o.ended_at is null and (o.until is null or o.until > now())
   order by o.id desc limit 1
$$;
revoke execute on function private.plan_override(uuid) from public;

-- Customers of the provider whose subscriptions must end, because the account is gone.
create table private.customers_to_end (
  customer_id text primary key,
  requested_at timestamptz not null default now(),
  done_at timestamptz
);
create index customers_to_end_open on private.customers_to_end (requested_at) where done_at is null;

create function private.end_subscriptions_of_user() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.customers_to_end (customer_id)
    select p.customer_id from private.payment_customers p join public.customers c on c.id = p.customer_row
     where c.user_id = old.id
    on conflict (customer_id) do update set requested_at = now(), done_at = null;
  return old;
end
$$;
create trigger end_subscriptions_of_user before delete on auth.users
  for each row execute function private.end_subscriptions_of_user();
-- A user who is deleted softly has no account either.
create function private.end_subscriptions_of_hidden_user() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.customers_to_end (customer_id)
    select p.customer_id from private.payment_customers p join public.customers c on c.id = p.customer_row
     where c.user_id = new.id
    on conflict (customer_id) do update set requested_at = now(), done_at = null;
  return new;
end
$$;
create trigger end_subscriptions_of_hidden_user before update of deleted_at on auth.users
  for each row when (old.deleted_at is null and new.deleted_at is not null)
  execute function private.end_subscriptions_of_hidden_user();
revoke execute on function private.end_subscriptions_of_user(), private.end_subscriptions_of_hidden_user() from public;

-- The embedded provider: its clock, its settings and the mischief it was asked for.
create table private.provider_state (
  key text primary key,
  value jsonb not null
);
-- When the clock next has something to do with an object, epoch seconds.
alter table private.provider_objects add column due_at bigint;
create index provider_objects_due on private.provider_objects (due_at) where due_at is not null;
update private.provider_objects set due_at = (data #>> '{items,data,0,current_period_end}')::bigint
 where kind = 'subscription' and data ->> 'status' in ('active', 'trialing', 'past_due');
-- Lookups of charges by payment, of invoices' payments and of prices by key.
create index provider_objects_links on private.provider_objects using gin (data jsonb_path_ops)
  where kind in ('charge', 'price', 'invoice_payment', 'dispute', 'refund', 'subscription_schedule');
-- Deliveries that an event still has, more than one where duplicates were asked for.
alter table private.provider_events add column copies integer not null default 1;
