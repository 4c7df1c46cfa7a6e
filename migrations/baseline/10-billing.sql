-- Billing: what the payment provider tells (subscriptions), how it becomes credits, who started
-- and who owns a purchase, and the state of the embedded test provider.

create table public.subscriptions (
  id uuid primary key default gen_random_uuid(),
  -- The customer as its owner's row in public.customers knows it.
  customer_id text not null,
  subscription_id text not null unique,
  -- Our own price id, never the provider's.
  price_id text not null,
  tier text not null,
  status text not null,
  current_period_start timestamptz,
  current_period_end timestamptz,
  cancel_at_period_end boolean not null default false,
  payment_method_brand text,
  payment_method_last4 text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index subscriptions_customer on public.subscriptions (customer_id);

alter table public.subscriptions enable row level security;
revoke all on public.subscriptions from anon, authenticated, service_role;
grant select on public.subscriptions to authenticated;
grant select, insert, update, delete on public.subscriptions to service_role;
create policy "own subscriptions" on public.subscriptions for select to authenticated
  using (customer_id in (select c.customer_id from public.customers c where c.user_id = (select auth.uid())));
create policy "service" on public.subscriptions to service_role using (true) with check (true);

-- The caller's best subscription, at most one row a user (spec/site.md §3). Pages are counted
-- by a later migration, where the reports exist.
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
    (select count(*)::integer from public.credit_transactions t
      where s.price_id like 'price\_courses\_%' and t.user_id = c.user_id and t.kind = 'spend'
        and t.state <> 'returned' and t.created_at >= s.current_period_start) as course_uploads_used,
    0 as document_pages_used,
    0 as video_minutes_used
  from public.customers c
  join public.subscriptions s on s.customer_id = c.customer_id
  where c.user_id is not null
  order by c.user_id,
    case s.status when 'active' then 0 when 'trialing' then 1 when 'past_due' then 2 when 'unpaid' then 3
      when 'incomplete' then 4 else 5 end,
    s.created_at desc, s.id;
revoke all on public.user_subscription from anon, authenticated, service_role;
grant select on public.user_subscription to authenticated, service_role;

-- Every customer of the provider and the account row that it belongs to. Somebody who paid twice
-- before signing up is two customers of the provider and one of ours.
create table private.payment_customers (
  customer_id text primary key,
  customer_row uuid not null references public.customers (id),
  -- Ticket of the newest fetch that was written: an older one never overwrites it.
  watermark bigint not null default 0
);
create index payment_customers_row on private.payment_customers (customer_row);

-- Taken before a customer is fetched from the provider, so that fetches can be put in order.
create sequence private.payment_fetch_ticket as bigint;

-- Every checkout that was started here or was paid, and the proof that claims it (spec/readings.md).
create table private.checkouts (
  session_id text primary key,
  -- SHA-256 of the one-time secret that the visitor's browser keeps; null when a user started it.
  secret_hash bytea,
  started_by uuid,
  price_id text,
  customer_id text,
  -- Lower case, as the payer typed it at the provider.
  email text,
  paid_at timestamptz,
  linked_at timestamptz,
  created_at timestamptz not null default now()
);
create index checkouts_unlinked on private.checkouts (email) where paid_at is not null and linked_at is null;
create index checkouts_customer on private.checkouts (customer_id);

-- Webhook events received. A row and the job that works it are written together, and
-- handled_at together with the effect.
create table private.payment_events (
  id text primary key,
  type text not null,
  customer_id text,
  session_id text,
  received_at timestamptz not null default now(),
  handled_at timestamptz
);
create index payment_events_open on private.payment_events (customer_id) where handled_at is null;

-- What was refused, and what moved between accounts. Append only.
create table private.payment_audit (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  action text not null,
  user_id uuid,
  session_id text,
  reason text,
  address text
);

-- Grants the credits of one paid invoice, once for all time: false when it was granted before.
create function private.grant_credits(
  p_customer_row uuid, p_amount integer, p_invoice_id text, p_description text
) returns boolean
  language plpgsql set search_path = ''
as $$
declare
  owner_id uuid;
begin
  if p_amount <= 0 then raise exception 'a grant must be positive'; end if;
  select user_id into strict owner_id from public.customers where id = p_customer_row for update;
  insert into public.credit_transactions (user_id, customer_row, amount, kind, description, state, invoice_id)
    values (owner_id, p_customer_row, p_amount, 'grant', p_description, 'settled', p_invoice_id)
    on conflict (invoice_id) do nothing;
  if not found then return false; end if;
  update public.customers set credits = credits + p_amount, updated_at = now() where id = p_customer_row;
  return true;
end
$$;
revoke execute on function private.grant_credits(uuid, integer, text, text) from public;

-- The embedded test provider: what Stripe keeps on its side. Used only while no Stripe key is set.
create table private.provider_objects (
  id text primary key,
  -- The `object` field: customer, subscription, invoice, checkout.session …
  kind text not null,
  customer text,
  -- As the API shows it.
  data jsonb not null,
  -- What the API never shows: pending card, form token.
  hidden jsonb not null default '{}',
  -- Order of creation; seconds are too coarse for it.
  position bigint generated always as identity
);
create index provider_objects_list on private.provider_objects (kind, customer, position desc);

create table private.provider_events (
  id text primary key,
  type text not null,
  data jsonb not null,
  delivered_at timestamptz,
  attempts integer not null default 0,
  position bigint generated always as identity
);

create table private.provider_idempotency_keys (
  key text primary key,
  -- SHA-256 of method, path and parameters: another request under the same key is an error.
  fingerprint bytea not null,
  status integer not null,
  body jsonb not null,
  created_at timestamptz not null default now()
);
create index provider_idempotency_keys_age on private.provider_idempotency_keys (created_at);
