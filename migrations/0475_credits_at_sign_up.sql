-- Credits that come with an account (FREE_CREDITS), once for each address, also when its account is deleted and made anew.

create table private.free_credits (
  mail_digest bytea primary key,
  user_id uuid unique references auth.users (id) on delete set null,
  client_digest bytea,
  entry uuid unique references public.credit_transactions (id) on delete set null,
  given_at timestamptz not null default now()
);
comment on table private.free_credits is 'Addresses whose account came with credits, so that it does so once.';
comment on column private.free_credits.mail_digest is
  'Keyed digest of the address, without what a mailbox takes in many spellings.';
comment on column private.free_credits.client_digest is
  'Keyed digest of the network that it was confirmed from; null after a day.';
comment on column private.free_credits.entry is 'The entry of the ledger.';
create index free_credits_client_idx on private.free_credits (client_digest, given_at) where client_digest is not null;
create index free_credits_left_idx on private.free_credits (given_at) where user_id is null;
alter table private.free_credits enable row level security;

create function private.grant_free_credits(
  p_user uuid, p_credits integer, p_mail bytea, p_client bytea, p_most integer
) returns boolean
  language plpgsql set search_path = ''
as $$
declare
  customer uuid;
  granted uuid;
begin
  -- Sign-ups of one network come one after another, else each would count without the others.
  perform pg_advisory_xact_lock(hashtextextended('free credits ' || encode(p_client, 'hex'), 0));
  if (select count(*) from private.free_credits f
       where f.client_digest = p_client and f.given_at > now() - interval '1 day') >= p_most then
    return false;
  end if;
  insert into private.free_credits (mail_digest, user_id, client_digest) values (p_mail, p_user, p_client)
    on conflict do nothing;
  if not found then
    return false;
  end if;
  insert into public.customers (user_id) values (p_user) on conflict (user_id) do nothing;
  select c.id into strict customer from public.customers c where c.user_id = p_user for update;
  insert into public.credit_transactions (user_id, customer_row, amount, kind, description)
    values (p_user, customer, p_credits, 'grant', 'Free documents of a new account') returning id into granted;
  update private.free_credits set entry = granted where mail_digest = p_mail;
  update public.customers set credits = credits + p_credits, updated_at = now() where id = customer;
  return true;
end
$$;
comment on function private.grant_free_credits(uuid, integer, bytea, bytea, integer) is
  'Gives a new account its credits: once for each account and address, and to at most `p_most` a day of one network. False when it gave none.';

create function private.forget_free_credits(p_days integer) returns integer
  language sql set search_path = ''
as $$
  update private.free_credits set client_digest = null
    where client_digest is not null and given_at < now() - interval '1 day';
  with gone as (
    delete from private.free_credits where user_id is null and given_at < now() - make_interval(days => p_days)
    returning 1)
  select count(*)::integer from gone
$$;
comment on function private.forget_free_credits(integer) is
  'Forgets networks after a day, and addresses without an account after `p_days`. Returns how many addresses went.';

create or replace function private.explain_credits(p_customer_row uuid) returns table (
  at timestamptz, kind text, amount integer, balance integer, description text, source text, state text,
  lapses_at timestamptz, remaining integer
)
  language sql stable set search_path = ''
as $$
  select t.created_at, t.kind, case when t.state = 'returned' then 0 else t.amount end,
    sum(case when t.state = 'returned' then 0 else t.amount end) over (order by t.created_at, t.id)::integer,
    t.description,
    coalesce('invoice ' || t.invoice_id, 'of invoice ' || origin.invoice_id, 'file ' || t.file_id::text,
      (select 'sign-up' from private.free_credits f where f.entry = t.id)),
    t.state, g.valid_until, g.remaining
  from public.credit_transactions t
  left join public.credit_transactions origin on origin.id = t.reverses
  left join private.credit_grants g on g.id = t.id
  where t.customer_row = p_customer_row
  order by t.created_at, t.id
$$;

revoke execute on function private.grant_free_credits(uuid, integer, bytea, bytea, integer),
  private.forget_free_credits(integer) from public;

insert into private.personal_data (table_name, holds, purpose, found_by, hidden, on_erasure, kept) values
  ('private.free_credits', 'A keyed digest of an address whose account came with free credits', 'Giving them once', 't.user_id = $1', '{mail_digest,client_digest}', 'kept', 'With the account; without it a year from when they were given. The digest of the network: a day');
