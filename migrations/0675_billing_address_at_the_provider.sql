-- An account that takes another address gets receipts and invoices there, and not at the former one.

create table private.customers_to_address (
  customer_id text primary key,
  user_id uuid not null references auth.users (id) on delete cascade,
  former text not null,
  requested_at timestamptz not null default now()
);
comment on table private.customers_to_address is
  'Customers of the provider whose account has another address now, until the provider knows it.';
comment on column private.customers_to_address.former is
  'The address before, lower case: a customer with an address of its own for bills keeps that.';
create index customers_to_address_user_idx on private.customers_to_address (user_id);
alter table private.customers_to_address enable row level security;

insert into private.personal_data (table_name, holds, purpose, found_by, hidden, on_erasure, kept) values
  ('private.customers_to_address', 'The address before the account took another one', 'Billing',
   't.user_id = $1', '{}', 'account', 'Seconds, until the payment provider knows the new address');

create function private.address_customers_of_user() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.customers_to_address (customer_id, user_id, former)
    select p.customer_id, new.id, pg_catalog.lower(old.email)
      from private.payment_customers p join public.customers c on c.id = p.customer_row
     where c.user_id = new.id
    on conflict (customer_id) do nothing;
  perform pg_catalog.pg_notify('customers_to_address', '');
  return null;
end
$$;
create trigger address_customers_of_user after update of email on auth.users
  for each row when (old.email is not null and new.email is not null and new.email is distinct from old.email)
  execute function private.address_customers_of_user();
comment on trigger address_customers_of_user on auth.users is
  'Queues the new address of an account for the payment provider.';
revoke execute on function private.address_customers_of_user() from public;
