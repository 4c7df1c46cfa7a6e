-- People on the lists of campaigns keep the address of their account when the account takes another one: their calls
-- name it, in the records and to the automation.

create function private.keep_campaign_places_of_account() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  update private.voice_campaign_customers
     set customer = pg_catalog.jsonb_set(customer, '{email}', pg_catalog.to_jsonb(new.email::text))
   where pg_catalog.lower(customer ->> 'email') = pg_catalog.lower(old.email);
  return null;
end
$$;
create index voice_campaign_customers_email_idx on private.voice_campaign_customers ((lower(customer ->> 'email')))
  where customer ? 'email';
-- Only from an address that was proven: anybody may sign up with somebody else's.
create trigger keep_campaign_places_of_account after update of email on auth.users
  for each row when (old.email_proven_at is not null and new.email is not null and new.email is distinct from old.email)
  execute function private.keep_campaign_places_of_account();
comment on trigger keep_campaign_places_of_account on auth.users is
  'People on lists of campaigns with the proven address of an account go on with its new one.';
comment on function private.keep_campaign_places_of_account() is
  'Writes the new address of an account into the lists of campaigns.';
revoke execute on function private.keep_campaign_places_of_account() from public;
