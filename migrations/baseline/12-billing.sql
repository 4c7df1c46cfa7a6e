-- Billing: subscriptions, purchases, invoices and prices of the payment provider, the starter and the owner of a
-- purchase, and plans that an operator gave.

create table public.subscriptions (
  id uuid primary key default gen_random_uuid(),
  customer_id text not null,
  subscription_id text not null unique,
  price_id text not null,
  tier text not null,
  status text not null,
  current_period_start timestamptz,
  current_period_end timestamptz,
  cancel_at_period_end boolean not null default false,
  payment_method_brand text,
  payment_method_last4 text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  pending_price_id text,
  pending_at timestamptz
);
comment on table public.subscriptions is 'Subscriptions as the payment provider reports them.';
comment on column public.subscriptions.customer_id is 'The customer as its owner''s row in public.customers knows it.';
comment on column public.subscriptions.price_id is 'Our own price id, never the provider''s.';
comment on column public.subscriptions.pending_price_id is 'A downgrade that waits for the end of the period.';
create index subscriptions_customer on public.subscriptions (customer_id);

alter table public.subscriptions enable row level security;

revoke all on public.subscriptions from anon, authenticated, service_role;
grant select on public.subscriptions to authenticated;
grant select, insert, update, delete on public.subscriptions to service_role;

create policy "own subscriptions" on public.subscriptions for select to authenticated
  using (customer_id in (select c.customer_id from public.customers c where c.user_id = (select auth.uid())));
create policy "service" on public.subscriptions to service_role using (true) with check (true);

create view public.user_subscription with (security_invoker = true) as
  select distinct on (c.user_id)
    s.tier,
    s.status as subscription_status,
    s.price_id,
    extract(epoch from s.current_period_start)::bigint as current_period_start,
    extract(epoch from s.current_period_end)::bigint as current_period_end,
    s.cancel_at_period_end,
    s.payment_method_brand,
    s.payment_method_last4,
    (select count(*)::integer from northline_app.course_uploads u
      where u.user_id = c.user_id and u.created_at >= s.current_period_start) as course_uploads_used,
    (select coalesce(sum(coalesce((r.report #>> '{document,pages}')::integer, 1)), 0)::integer
      from northline_app.analysis_reports r
      where r.user_id = c.user_id and r.created_at >= s.current_period_start) as document_pages_used,
    (select coalesce(ceil(sum(u.seconds) / 60), 0)::integer from northline_app.course_uploads u
      where u.user_id = c.user_id and u.created_at >= s.current_period_start) as video_minutes_used
  from public.customers c
  join public.subscriptions s on s.customer_id = c.customer_id
  where c.user_id is not null
  order by c.user_id,
    case s.status when 'active' then 0 when 'trialing' then 1 when 'past_due' then 2 when 'unpaid' then 3
      when 'incomplete' then 4 else 5 end,
    s.created_at desc, s.id;
comment on view public.user_subscription is
  'The caller''s best subscription, at most one row a user, and what was used in its current period. Pages are those of the reports; a document of a format without pages counts as one. Video minutes are begun ones of all videos together.';

revoke all on public.user_subscription from anon, authenticated, service_role;
grant select on public.user_subscription to authenticated, service_role;

create table private.payment_customers (
  customer_id text primary key,
  customer_row uuid not null references public.customers (id),
  watermark bigint not null default 0,
  balance integer not null default 0
);
comment on table private.payment_customers is
  'Every customer of the provider and the account row that it belongs to. Somebody who paid twice before signing up has two customers at the provider and one row here.';
comment on column private.payment_customers.watermark is
  'Ticket of the newest fetch that was written: an older one never overwrites it.';
comment on column private.payment_customers.balance is
  'Pence that the provider counts against the next invoice; negative is in the customer''s favour.';
create index payment_customers_row on private.payment_customers (customer_row);

-- Taken before a customer is fetched from the provider, so that fetches can be put in order.
create sequence private.payment_fetch_ticket as bigint;

create table private.checkouts (
  session_id text primary key,
  secret_hash bytea,
  started_by uuid,
  price_id text,
  customer_id text,
  email text,
  paid_at timestamptz,
  linked_at timestamptz,
  created_at timestamptz not null default now(),
  claim_hash bytea
);
comment on table private.checkouts is 'Every checkout that was started here or was paid, and the proof that claims it.';
comment on column private.checkouts.secret_hash is
  'SHA-256 of the one-time secret that the visitor''s browser keeps; null when a user started it.';
comment on column private.checkouts.email is 'Lower case, as the payer typed it at the provider.';
create index checkouts_unlinked on private.checkouts (email) where paid_at is not null and linked_at is null;
create index checkouts_customer on private.checkouts (customer_id);

create table private.payment_events (
  id text primary key,
  type text not null,
  customer_id text,
  session_id text,
  received_at timestamptz not null default now(),
  handled_at timestamptz,
  charge_id text
);
comment on table private.payment_events is
  'Webhook events received. A row and the job that works it are written together, and handled_at together with the effect.';
create index payment_events_open on private.payment_events (customer_id) where handled_at is null;

create table private.payment_audit (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  action text not null,
  user_id uuid,
  session_id text,
  reason text,
  address text
);
comment on table private.payment_audit is 'Refused claims, and purchases that moved between accounts. Append only.';

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
  created_at timestamptz not null,
  vat integer,
  reverse_charge boolean not null default false
);
comment on table private.payment_invoices is 'Invoices as the payment provider reports them.';
comment on column private.payment_invoices.vat is 'Pence of VAT in the total; null where none is worked out.';
comment on column private.payment_invoices.reverse_charge is 'The customer accounts for the VAT.';
create index payment_invoices_customer on private.payment_invoices (customer_id, created_at desc);

create table private.payment_prices (
  provider_price text primary key,
  price_id text not null,
  amount integer not null,
  livemode boolean not null,
  current boolean not null default true,
  created_at timestamptz not null default now()
);
comment on table private.payment_prices is
  'Every price that was made or found at the payment provider. Old ones stay, as subscriptions to them go on.';
comment on column private.payment_prices.current is 'The one that is sold.';
create unique index payment_prices_current on private.payment_prices (price_id, livemode) where current;

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
comment on table private.plan_overrides is
  'Plans that operators gave for the analysis payload. Only the end of a row is ever changed, so the table is its own audit.';
create index plan_overrides_user on private.plan_overrides (user_id, id desc);

create function private.plan_override(p_user uuid) returns text
  language sql stable set search_path = ''
as $$
  select o.plan from private.plan_overrides o
   where o.user_id = p_user and o.ended_at is null and (o.until is null or o.until > now())
   order by o.id desc limit 1
$$;
comment on function private.plan_override(uuid) is
  'The plan that an operator gave the account and that is in force, else null.';

revoke execute on function private.plan_override(uuid) from public;

create table private.customers_to_end (
  customer_id text primary key,
  requested_at timestamptz not null default now(),
  done_at timestamptz
);
comment on table private.customers_to_end is
  'Customers of the provider whose subscriptions must end, because the account is gone.';
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
comment on trigger end_subscriptions_of_user on auth.users is
  'Queues the end of the subscriptions of a deleted account.';

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
comment on trigger end_subscriptions_of_hidden_user on auth.users is
  'Queues the end of the subscriptions of a softly deleted account.';

revoke execute on function private.end_subscriptions_of_user(), private.end_subscriptions_of_hidden_user() from public;

create function private.announce_subscription() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.announce('subscription.changed', new.id,
    jsonb_build_object('subscription_id', new.subscription_id, 'customer_id', new.customer_id,
      'user_id', (select c.user_id from public.customers c where c.customer_id = new.customer_id),
      'price_id', new.price_id, 'tier', new.tier, 'status', new.status,
      'previous_status', case tg_op when 'UPDATE' then old.status end,
      'current_period_start', new.current_period_start, 'current_period_end', new.current_period_end,
      'cancel_at_period_end', new.cancel_at_period_end));
  return null;
end $$;
create trigger announce_new after insert on public.subscriptions
  for each row execute function private.announce_subscription();
comment on trigger announce_new on public.subscriptions is
  'Writes the event subscription.changed for a new subscription.';
create trigger announce_change after update on public.subscriptions
  for each row when (
    (old.price_id, old.tier, old.status, old.current_period_start, old.current_period_end, old.cancel_at_period_end)
    is distinct from
    (new.price_id, new.tier, new.status, new.current_period_start, new.current_period_end, new.cancel_at_period_end))
  execute function private.announce_subscription();
comment on trigger announce_change on public.subscriptions is
  'Writes the event subscription.changed when price, state or period changed.';

select realtime.watch('public.subscriptions');
comment on trigger realtime_publish on public.subscriptions is
  'Publishes every change to the subscribers of realtime, with keys only.';

create view operator.customers with (security_barrier) as
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

create view operator.plan_overrides with (security_barrier) as
  select o.user_id, o.plan, o.reason, o.set_by, o.created_at, o.until
  from private.plan_overrides o
  where o.ended_at is null and (o.until is null or o.until > now()) and (select auth.is_operator());
comment on view operator.plan_overrides is 'Plan overrides that are in force.';

create function operator.end_override(p_user uuid) returns boolean
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.operate('customer.end_override', p_user::text);
  update private.plan_overrides set ended_at = now(), ended_by = coalesce(auth.email(), 'server')
    where user_id = p_user and ended_at is null;
  return found;
end $$;
comment on function operator.end_override(uuid) is 'Ends the plan override of an account; false when it has none.';

create function operator.override_plan(p_user uuid, p_plan text, p_reason text, p_until timestamptz) returns boolean
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.operate('customer.override', p_user::text,
    jsonb_build_object('plan', p_plan, 'reason', p_reason, 'until', p_until));
  if not exists (select 1 from auth.users u where u.id = p_user and u.deleted_at is null) then return false; end if;
  update private.plan_overrides set ended_at = now(), ended_by = coalesce(auth.email(), 'server')
    where user_id = p_user and ended_at is null;
  insert into private.plan_overrides (user_id, plan, reason, set_by, until)
    values (p_user, p_plan, p_reason, coalesce(auth.email(), 'server'), p_until);
  return true;
end $$;
comment on function operator.override_plan(uuid, text, text, timestamptz) is
  'Gives an account a plan for the analysis payload; false when there is no such account.';
create policy "a second factor comes first" on public.subscriptions as restrictive to authenticated
  using ((select auth.second_factor_given())) with check ((select auth.second_factor_given()));

create function private.holds_something(account uuid) returns boolean
  language sql stable security definer set search_path = ''
  as $$
  select exists (select from storage.objects o where o.owner = account and o.bucket_id <> 'account-pictures')
      or exists (select from public.user_files f where f.user_id = account)
      or exists (select from public.customers c where c.user_id = account and (c.credits > 0 or c.customer_id is not null))
$$;
comment on function private.holds_something(uuid) is
  'Whether an account has a file, a credit or a purchase; an empty account needs no days of grace.';
revoke execute on function private.holds_something(uuid) from public;

-- The fields that customers are searched by, without the ones that are costly to count for each of them.

create view operator.customer_names with (security_barrier) as
  select u.id as user_id, u.email, u.raw_user_meta_data ->> 'full_name' as full_name, u.created_at, c.customer_id
  from auth.users u left join public.customers c on c.user_id = u.id
  where u.deleted_at is null and (select auth.is_operator());
comment on view operator.customer_names is
  'Accounts by the fields that they are searched by; `operator.customers` has the rest.';

grant select on operator.customers, operator.plan_overrides to authenticated, service_role;

revoke all on function operator.end_override(uuid), operator.override_plan(uuid, text, text, timestamptz) from public;
grant execute on function
  operator.end_override(uuid), operator.override_plan(uuid, text, text, timestamptz)
to authenticated, service_role;
grant select on operator.customer_names to authenticated, service_role;
