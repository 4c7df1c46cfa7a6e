-- Seed files of hosted projects name these columns of auth.users, always with nothing in them.
-- They are taken empty only: tokens of ours are in auth.one_time_tokens.

alter table auth.users
  add column instance_id uuid,
  add column confirmation_token text constraint confirmation_token_stays_empty check (confirmation_token = ''),
  add column recovery_token text constraint recovery_token_stays_empty check (recovery_token = ''),
  add column email_change_token_new text
    constraint email_change_token_new_stays_empty check (email_change_token_new = ''),
  add column email_change_token_current text
    constraint email_change_token_current_stays_empty check (email_change_token_current = ''),
  add column reauthentication_token text
    constraint reauthentication_token_stays_empty check (reauthentication_token = '');

comment on column auth.users.instance_id is 'Kept and unused: seed files of hosted projects name it.';
comment on column auth.users.confirmation_token is 'Kept and unused, and only ever empty.';
comment on column auth.users.recovery_token is 'Kept and unused, and only ever empty.';
comment on column auth.users.email_change_token_new is 'Kept and unused, and only ever empty.';
comment on column auth.users.email_change_token_current is 'Kept and unused, and only ever empty.';
comment on column auth.users.reauthentication_token is 'Kept and unused, and only ever empty.';

create function auth.read_seeded_account() returns trigger
  language plpgsql set search_path = ''
  as $$
begin
  new.email := lower(new.email);
  new.email_change := nullif(new.email_change, '');
  new.phone := nullif(new.phone, '');
  new.phone_change := nullif(new.phone_change, '');
  return new;
end
$$;
comment on function auth.read_seeded_account() is
  'Seed files write empty text where nothing is meant, and addresses as they are typed.';
create trigger account_seeded before insert on auth.users
  for each row execute function auth.read_seeded_account();
comment on trigger account_seeded on auth.users is 'Takes a row of a seed file as our own are.';
