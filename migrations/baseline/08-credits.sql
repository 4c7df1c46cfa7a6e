-- Customers and the ledger of their credits, so that every balance can be explained: grants of paid
-- periods that lapse, what each spend was taken from, what refunds and disputes took back.

create table public.customers (
  id uuid primary key default gen_random_uuid(),
  user_id uuid unique references auth.users (id) on delete set null,
  customer_id text unique,
  credits integer not null default 0 check (credits >= 0),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
comment on table public.customers is 'Customers: their balance of credits and their id at the payment provider.';
comment on column public.customers.user_id is 'Null until the buyer has an account, and again after it is deleted.';
comment on column public.customers.customer_id is 'The payment provider''s id.';

create table public.credit_transactions (
  id uuid primary key default gen_random_uuid(),
  user_id uuid references auth.users (id) on delete set null,
  customer_row uuid references public.customers (id) on delete cascade,
  amount integer not null,
  kind text not null check (kind in ('grant', 'spend', 'refund', 'correction', 'expiry')),
  description text,
  state text not null default 'settled' check (state in ('reserved', 'claimed', 'stored', 'settled', 'returned')),
  object_id uuid unique,
  file_id uuid,
  invoice_id text unique,
  expires_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  reverses uuid references public.credit_transactions (id) on delete cascade
);
comment on table public.credit_transactions is
  'The ledger. A customer''s `credits` is the sum of `amount` over the rows that are not `returned`.';
comment on column public.credit_transactions.amount is 'Positive gives, negative spends.';
comment on column public.credit_transactions.object_id is 'The upload, which becomes the object''s id.';
comment on column public.credit_transactions.expires_at is
  'When a reserved credit comes back, or a stored object gets its record from us.';
comment on column public.credit_transactions.reverses is 'The grant that a refund, an expiry or a correction is about.';
create index credit_transactions_user_id_idx on public.credit_transactions (user_id, created_at);
create index credit_transactions_customer_row_idx on public.credit_transactions (customer_row);
create index credit_transactions_open_idx on public.credit_transactions (expires_at)
  where state in ('reserved', 'claimed', 'stored');

create table private.credit_grants (
  id uuid primary key references public.credit_transactions (id) on delete cascade,
  customer_row uuid not null references public.customers (id) on delete cascade,
  subscription_id text,
  period_start timestamptz,
  period_end timestamptz,
  valid_until timestamptz,
  amount integer not null,
  remaining integer not null check (remaining >= 0),
  to_take_back integer not null default 0 check (to_take_back >= 0),
  taken_back integer not null default 0 check (taken_back >= 0),
  lapsed_at timestamptz,
  check (remaining <= amount)
);
comment on table private.credit_grants is
  'One row for every entry that gives credits of its own: a paid invoice, or an operator''s correction.';
comment on column private.credit_grants.valid_until is
  'The rest lapses after this time, also when no further period is paid. Null: never.';
comment on column private.credit_grants.to_take_back is 'How many credits refunds and disputes want back.';
create index credit_grants_open on private.credit_grants (customer_row, valid_until) where remaining > 0;
create index credit_grants_due on private.credit_grants (valid_until) where lapsed_at is null;
create index credit_grants_subscription on private.credit_grants (subscription_id);

create table private.credit_allocations (
  spend uuid not null references public.credit_transactions (id) on delete cascade,
  grant_id uuid not null references private.credit_grants (id) on delete cascade,
  amount integer not null check (amount > 0),
  primary key (spend, grant_id)
);
comment on table private.credit_allocations is 'Which grants a spend was taken from.';
create index credit_allocations_grant on private.credit_allocations (grant_id);

create function private.open_credit_grant() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  insert into private.credit_grants (id, customer_row, amount, remaining)
    values (new.id, new.customer_row, new.amount, new.amount);
  return null;
end
$$;
create trigger open_credit_grant after insert on public.credit_transactions
  for each row when (new.amount > 0 and new.reverses is null and new.customer_row is not null)
  execute function private.open_credit_grant();
comment on trigger open_credit_grant on public.credit_transactions is
  'Opens a grant for every entry that gives credits of its own.';

create function private.move_credit_grant() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  update private.credit_grants set customer_row = new.customer_row where id = new.id;
  return null;
end
$$;
create trigger move_credit_grant after update of customer_row on public.credit_transactions
  for each row when (old.customer_row is distinct from new.customer_row and new.customer_row is not null)
  execute function private.move_credit_grant();
comment on trigger move_credit_grant on public.credit_transactions is
  'Moves the grant along when its ledger entry moves to another customer.';

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

create function private.settle_credit_grant(p_grant uuid) returns void
  language plpgsql set search_path = ''
as $$
declare
  g record;
  change integer;
begin
  select cg.*, c.user_id into g from private.credit_grants cg
    join public.customers c on c.id = cg.customer_row where cg.id = p_grant for update of cg;
  change := g.taken_back - g.to_take_back;
  if change < 0 then
    change := -least(-change, g.remaining);
  end if;
  if change <> 0 then
    insert into public.credit_transactions (user_id, customer_row, amount, kind, description, reverses)
      values (g.user_id, g.customer_row, change, case when change < 0 then 'refund' else 'correction' end,
        case when change < 0 then 'Payment given back' else 'Dispute won' end, g.id);
    update private.credit_grants set remaining = remaining + change, taken_back = taken_back - change
      where id = g.id;
    update public.customers set credits = credits + change, updated_at = now() where id = g.customer_row;
    g.remaining := g.remaining + change;
  end if;
  if g.lapsed_at is not null and g.remaining > 0 then
    insert into public.credit_transactions (user_id, customer_row, amount, kind, description, reverses)
      values (g.user_id, g.customer_row, -g.remaining, 'expiry', 'End of the paid period', g.id);
    update private.credit_grants set remaining = 0 where id = g.id;
    update public.customers set credits = credits - g.remaining, updated_at = now() where id = g.customer_row;
  end if;
end
$$;
comment on function private.settle_credit_grant(uuid) is
  'Settles a grant: takes back credits for refunds as far as credits are left, gives back the credits of a won dispute, and lets the rest of a lapsed grant go. Call it with the customer''s row locked.';

create function private.lapse_credits(p_customer_row uuid, p_now timestamptz) returns integer
  language plpgsql set search_path = ''
as $$
declare
  over record;
  count integer := 0;
begin
  perform 1 from public.customers where id = p_customer_row for update;
  for over in
    update private.credit_grants g set lapsed_at = p_now
     where g.customer_row = p_customer_row and g.lapsed_at is null and (g.valid_until <= p_now or exists (
       select 1 from private.credit_grants later where later.subscription_id = g.subscription_id
         and later.period_start >= g.period_end))
    returning g.id
  loop
    perform private.settle_credit_grant(over.id);
    count := count + 1;
  end loop;
  return count;
end
$$;
comment on function private.lapse_credits(uuid, timestamptz) is
  'Lets the remaining credits of a customer''s past periods lapse: when the next period of the same subscription was granted, or when `valid_until` has passed at `p_now`. Returns the number of grants.';

create function private.allocate_credits(p_spend uuid, p_customer_row uuid, p_amount integer) returns void
  language plpgsql set search_path = ''
as $$
declare
  g record;
  wanted integer := p_amount;
  taken integer;
begin
  for g in
    select id, remaining from private.credit_grants where customer_row = p_customer_row and remaining > 0
     order by valid_until nulls last, period_start, id for update
  loop
    exit when wanted = 0;
    taken := least(wanted, g.remaining);
    update private.credit_grants set remaining = remaining - taken where id = g.id;
    insert into private.credit_allocations (spend, grant_id, amount) values (p_spend, g.id, taken);
    wanted := wanted - taken;
  end loop;
end
$$;
comment on function private.allocate_credits(uuid, uuid, integer) is
  'Takes a spend from the grants that lapse first. Call with the customer''s row locked.';

create function public.use_credits(p_user_id uuid, p_amount integer, p_description text) returns boolean
  language plpgsql security definer set search_path = ''
  as $$
declare
  customer uuid;
  spend uuid;
begin
  if auth.role() is distinct from 'service_role' and p_user_id is distinct from auth.uid() then
    raise exception 'You can only use your own credits' using errcode = '42501';
  end if;
  if not auth.second_factor_given() then
    raise exception 'Please confirm your second factor first' using errcode = '42501';
  end if;
  if p_amount is null or p_amount < 1 then
    raise exception 'The amount must be at least 1' using errcode = '22023';
  end if;
  update public.customers set credits = credits - p_amount, updated_at = now()
   where user_id = p_user_id and credits >= p_amount
  returning id into customer;
  if not found then
    -- A removal from the team that is under way is waited for: that member takes nothing then.
    perform 1 from northline_app.teams t join northline_app.team_members m on m.team_id = t.id
     where m.user_id = p_user_id for share of t;
    update public.customers set credits = credits - p_amount, updated_at = now()
     where credits >= p_amount and user_id = (
       select t.payer from northline_app.team_members m join northline_app.teams t on t.id = m.team_id
        where m.user_id = p_user_id and m.role in ('owner', 'member') and t.payer <> p_user_id)
    returning id into customer;
  end if;
  if customer is null then
    return false;
  end if;
  insert into public.credit_transactions (user_id, customer_row, amount, kind, description, state, expires_at)
  values (p_user_id, customer, -p_amount, 'spend', left(p_description, 200), 'reserved', now() + interval '10 minutes')
  returning id into spend;
  perform private.allocate_credits(spend, customer, p_amount);
  return true;
end
$$;
comment on function public.use_credits(uuid, integer, text) is
  'Reserves credits for one upload and takes them from the grants that lapse first; false when there are too few.';

create function private.return_credit(p_transaction uuid) returns boolean
  language plpgsql security definer set search_path = ''
  as $$
declare
  spent record;
  part record;
begin
  update public.credit_transactions set state = 'returned', expires_at = null, updated_at = now()
   where id = p_transaction and state in ('reserved', 'claimed', 'stored')
  returning customer_row, amount into spent;
  if not found then
    return false;
  end if;
  update public.customers set credits = credits - spent.amount, updated_at = now() where id = spent.customer_row;
  for part in
    delete from private.credit_allocations where spend = p_transaction returning grant_id, amount
  loop
    update private.credit_grants set remaining = remaining + part.amount where id = part.grant_id;
    perform private.settle_credit_grant(part.grant_id);
  end loop;
  return true;
end
$$;
comment on function private.return_credit(uuid) is
  'Returns an open spend to the grants that it came from; false when it was settled or returned already.';

create function private.return_reserved_credit(p_user_id uuid) returns boolean
  language plpgsql security definer set search_path = ''
  as $$
declare
  reserved uuid;
begin
  select id into reserved from public.credit_transactions
   where user_id = p_user_id and state = 'reserved'
   order by created_at limit 1 for update skip locked;
  return reserved is not null and private.return_credit(reserved);
end
$$;
comment on function private.return_reserved_credit(uuid) is
  'Returns one credit that was reserved for an upload which was refused before it began.';

create function private.grant_credits(
  p_customer_row uuid, p_amount integer, p_invoice_id text, p_description text, p_subscription text,
  p_start timestamptz, p_end timestamptz, p_valid_until timestamptz
) returns boolean
  language plpgsql set search_path = ''
as $$
declare
  owner_id uuid;
  granted uuid;
begin
  if p_amount <= 0 then raise exception 'a grant must be positive'; end if;
  select user_id into strict owner_id from public.customers where id = p_customer_row for update;
  insert into public.credit_transactions (user_id, customer_row, amount, kind, description, state, invoice_id)
    values (owner_id, p_customer_row, p_amount, 'grant', p_description, 'settled', p_invoice_id)
    on conflict (invoice_id) do nothing returning id into granted;
  if granted is null then return false; end if;
  update private.credit_grants set subscription_id = p_subscription, period_start = p_start, period_end = p_end,
    valid_until = p_valid_until where id = granted;
  update public.customers set credits = credits + p_amount, updated_at = now() where id = p_customer_row;
  return true;
end
$$;
comment on function private.grant_credits(uuid, integer, text, text, text, timestamptz, timestamptz, timestamptz) is
  'Grants the credits of one paid invoice, once for all time: false when it was granted before.';

create function private.take_back_credits(p_invoice_id text, p_wanted integer) returns boolean
  language plpgsql set search_path = ''
as $$
declare
  granted record;
begin
  select g.id, g.customer_row, g.to_take_back into granted from private.credit_grants g
    join public.credit_transactions t on t.id = g.id where t.invoice_id = p_invoice_id;
  if not found or granted.to_take_back = p_wanted then return false; end if;
  perform 1 from public.customers where id = granted.customer_row for update;
  update private.credit_grants set to_take_back = p_wanted where id = granted.id;
  perform private.settle_credit_grant(granted.id);
  return true;
end
$$;
comment on function private.take_back_credits(text, integer) is
  'Sets how many credits of an invoice refunds and disputes want back; true when anything changed.';

create function private.correct_credits(p_customer_row uuid, p_amount integer, p_reason text) returns void
  language plpgsql set search_path = ''
as $$
declare
  owner_id uuid;
  entry uuid;
begin
  if p_amount = 0 then raise exception 'a correction must not be 0' using errcode = '22023'; end if;
  update public.customers set credits = credits + p_amount, updated_at = now() where id = p_customer_row
    returning user_id into owner_id;
  if not found then raise exception 'There is no such customer' using errcode = '22023'; end if;
  insert into public.credit_transactions (user_id, customer_row, amount, kind, description)
    values (owner_id, p_customer_row, p_amount, 'correction', left(p_reason, 200)) returning id into entry;
  if p_amount < 0 then perform private.allocate_credits(entry, p_customer_row, -p_amount); end if;
end
$$;
comment on function private.correct_credits(uuid, integer, text) is
  'An operator''s correction: credits that never lapse, or a spend without an upload.';

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

create function private.explain_credits(p_customer_row uuid) returns table (
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
comment on function private.explain_credits(uuid) is
  'A customer''s ledger in order, each entry with the balance after it and what it came from.';

create view private.unexplained_balances as
  select c.id as customer_row, c.credits, coalesce(ledger.total, 0) as ledger, coalesce(open.total, 0) as grants
  from public.customers c
  left join lateral (select sum(t.amount)::integer as total from public.credit_transactions t
    where t.customer_row = c.id and t.state <> 'returned') ledger on true
  left join lateral (select sum(g.remaining)::integer as total from private.credit_grants g
    where g.customer_row = c.id) open on true
  where c.credits <> coalesce(ledger.total, 0) or c.credits <> coalesce(open.total, 0);
comment on view private.unexplained_balances is
  'Accounts whose credits are not the sum of their ledger, or not what their grants have left.';

create function private.announce_customer() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.announce('customer.created', new.id,
    jsonb_build_object('id', new.id, 'user_id', new.user_id, 'customer_id', new.customer_id,
      'created_at', new.created_at));
  return null;
end $$;
create trigger announce after insert on public.customers
  for each row execute function private.announce_customer();
comment on trigger announce on public.customers is 'Writes the event customer.created.';

revoke execute on function
  public.use_credits(uuid, integer, text), private.return_credit(uuid), private.return_reserved_credit(uuid),
  private.open_credit_grant(), private.move_credit_grant(), private.settle_credit_grant(uuid),
  private.lapse_credits(uuid, timestamptz), private.take_back_credits(text, integer),
  private.grant_credits(uuid, integer, text, text, text, timestamptz, timestamptz, timestamptz),
  private.correct_credits(uuid, integer, text), private.allocate_credits(uuid, uuid, integer),
  private.explain_credits(uuid)
from public;
grant execute on function public.use_credits(uuid, integer, text) to authenticated, service_role;

alter table public.customers enable row level security;
alter table public.credit_transactions enable row level security;

revoke all on public.customers, public.credit_transactions from public, anon, authenticated, service_role;
grant select on public.customers, public.credit_transactions to authenticated;
grant select, insert, update, delete on public.customers, public.credit_transactions to service_role;

create policy "users see their own customer record" on public.customers for select to authenticated
  using ((select auth.uid()) = user_id);
create policy "users see their own credit transactions" on public.credit_transactions for select to authenticated
  using ((select auth.uid()) = user_id);
create policy "the server's key manages customers" on public.customers
  to service_role using (true) with check (true);
create policy "the server's key manages credit transactions" on public.credit_transactions
  to service_role using (true) with check (true);

select realtime.watch('public.customers'), realtime.watch('public.credit_transactions');
comment on trigger realtime_publish on public.customers is
  'Publishes every change to the subscribers of realtime, with keys only.';
comment on trigger realtime_publish on public.credit_transactions is
  'Publishes every change to the subscribers of realtime, with keys only.';

create view operator.ledger with (security_barrier) as
  select t.id, t.user_id, t.customer_row, t.amount, t.kind, t.description, t.state, t.invoice_id, t.expires_at, t.created_at
  from public.credit_transactions t where (select auth.is_operator());
comment on view operator.ledger is 'Entries of the credit ledger.';

grant select on operator.ledger to authenticated, service_role;
create policy "a second factor comes first" on public.customers as restrictive to authenticated
  using ((select auth.second_factor_given())) with check ((select auth.second_factor_given()));
create policy "a second factor comes first" on public.credit_transactions as restrictive to authenticated
  using ((select auth.second_factor_given())) with check ((select auth.second_factor_given()));

revoke execute on function private.grant_free_credits(uuid, integer, bytea, bytea, integer),
  private.forget_free_credits(integer) from public;
