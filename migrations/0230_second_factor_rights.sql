-- Who has set up a second factor reads and changes nothing of the account before it was given: stated once,
-- here. Policies only narrow: the ones that say whose rows they are stay.

create function auth.second_factor_given() returns boolean
  language sql stable security definer set search_path = '' as $$
  select coalesce(auth.jwt() ->> 'aal' = 'aal2', false) or not exists (
    select 1 from auth.mfa_factors f where f.user_id = auth.uid() and f.status = 'verified')
$$;
comment on function auth.second_factor_given() is
  'Whether the caller has given the second factor that the account has; true for an account without one, and without an account.';

create policy "a second factor comes first" on public.user_files as restrictive to authenticated
  using ((select auth.second_factor_given())) with check ((select auth.second_factor_given()));
create policy "a second factor comes first" on public.analysis_reports as restrictive to authenticated
  using ((select auth.second_factor_given())) with check ((select auth.second_factor_given()));
create policy "a second factor comes first" on public.customers as restrictive to authenticated
  using ((select auth.second_factor_given())) with check ((select auth.second_factor_given()));
create policy "a second factor comes first" on public.credit_transactions as restrictive to authenticated
  using ((select auth.second_factor_given())) with check ((select auth.second_factor_given()));
create policy "a second factor comes first" on public.subscriptions as restrictive to authenticated
  using ((select auth.second_factor_given())) with check ((select auth.second_factor_given()));
create policy "a second factor comes first" on storage.objects as restrictive to authenticated
  using ((select auth.second_factor_given())) with check ((select auth.second_factor_given()));

create or replace function public.use_credits(p_user_id uuid, p_amount integer, p_description text) returns boolean
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
    return false;
  end if;
  insert into public.credit_transactions (user_id, customer_row, amount, kind, description, state, expires_at)
  values (p_user_id, customer, -p_amount, 'spend', left(p_description, 200), 'reserved', now() + interval '10 minutes')
  returning id into spend;
  perform private.allocate_credits(spend, customer, p_amount);
  return true;
end
$$;
