-- Calls that were booked with an address stay those of its account when the account takes another address: confirmations
-- and reminders go there, the account page lists them, and the erasure of the account finds them.

create function private.keep_bookings_of_account() returns trigger
  language plpgsql security definer set search_path = ''
as $$
begin
  update northline_app.bookings set email = new.email where pg_catalog.lower(email) = pg_catalog.lower(old.email);
  update private.booking_requests set email = new.email where pg_catalog.lower(email) = pg_catalog.lower(old.email);
  return null;
end
$$;
-- Only from an address that was proven: anybody may sign up with somebody else's.
create trigger keep_bookings_of_account after update of email on auth.users
  for each row when (old.email_proven_at is not null and new.email is not null and new.email is distinct from old.email)
  execute function private.keep_bookings_of_account();
comment on trigger keep_bookings_of_account on auth.users is
  'Calls that were booked with the proven address of an account go on to its new one.';
revoke execute on function private.keep_bookings_of_account() from public;
