-- The embedded payment provider keeps here what Stripe keeps on its side. It is used only while no Stripe key is set.

create table private.provider_objects (
  id text primary key,
  kind text not null,
  customer text,
  data jsonb not null,
  hidden jsonb not null default '{}',
  position bigint generated always as identity,
  due_at bigint
);
comment on table private.provider_objects is 'Objects of the embedded payment provider.';
comment on column private.provider_objects.kind is
  'The `object` field: customer, subscription, invoice, checkout.session …';
comment on column private.provider_objects.data is 'As the API shows it.';
comment on column private.provider_objects.hidden is 'What the API never shows: pending card, form token.';
comment on column private.provider_objects.position is 'Order of creation; seconds are too coarse for it.';
create index provider_objects_list on private.provider_objects (kind, customer, position desc);
create index provider_objects_due on private.provider_objects (due_at) where due_at is not null;

-- Lookups of charges by payment, of invoices' payments and of prices by key.
create index provider_objects_links on private.provider_objects using gin (data jsonb_path_ops)
  where kind in ('charge', 'price', 'invoice_payment', 'dispute', 'refund', 'subscription_schedule');

create table private.provider_events (
  id text primary key,
  type text not null,
  data jsonb not null,
  delivered_at timestamptz,
  attempts integer not null default 0,
  position bigint generated always as identity,
  copies integer not null default 1
);
comment on table private.provider_events is 'Events that the embedded payment provider delivers to the webhook.';

create table private.provider_idempotency_keys (
  key text primary key,
  fingerprint bytea not null,
  status integer not null,
  body jsonb not null,
  created_at timestamptz not null default now()
);
comment on table private.provider_idempotency_keys is 'Replies of the embedded payment provider by Idempotency-Key.';
comment on column private.provider_idempotency_keys.fingerprint is
  'SHA-256 of method, path and parameters: another request under the same key is an error.';
create index provider_idempotency_keys_age on private.provider_idempotency_keys (created_at);

create table private.provider_state (
  key text primary key,
  value jsonb not null
);
comment on table private.provider_state is
  'The embedded payment provider''s clock, settings and the faults that it was asked to simulate.';
