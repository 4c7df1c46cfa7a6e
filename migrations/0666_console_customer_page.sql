-- A customer's page at the console: credits are given and taken back there.

create function operator.change_credits(p_user uuid, p_amount integer, p_reason text) returns boolean
  language plpgsql security definer set search_path = '' as $$
declare
  customer uuid;
  held integer;
begin
  perform private.operate('customer.credits', p_user::text, jsonb_build_object('amount', p_amount, 'reason', p_reason));
  -- Locked, so that an account that is being deleted is either there until the end or refused.
  perform 1 from auth.users u where u.id = p_user and u.deleted_at is null for key share;
  if not found then return false; end if;
  insert into public.customers (user_id) values (p_user) on conflict (user_id) do nothing;
  select c.id, c.credits into strict customer, held from public.customers c where c.user_id = p_user for update;
  if held + p_amount < 0 then return false; end if;
  perform private.correct_credits(customer, p_amount, p_reason);
  return true;
end $$;
comment on function operator.change_credits(uuid, integer, text) is
  'Gives credits to an account, or takes them back with a negative amount; the customer reads the reason in the credit history. False, and nothing is changed, if there is no such account or it has fewer credits.';
revoke execute on function operator.change_credits(uuid, integer, text) from public;
grant execute on function operator.change_credits(uuid, integer, text) to authenticated, service_role;
