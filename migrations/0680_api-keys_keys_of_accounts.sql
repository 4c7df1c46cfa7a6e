-- API keys: what a program may do in the name of an account, and what it did.

create table private.api_keys (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  name text not null check (length(name) between 1 and 60),
  -- SHA-256 of the key, which has 256 random bits.
  secret_hash bytea not null unique,
  hint text not null,
  rights text[] not null check (rights <> '{}'),
  aal text not null check (aal in ('aal1', 'aal2')),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  last_used_at timestamptz,
  ended_at timestamptz,
  ended_by text check (ended_by in ('owner', 'operator', 'command line', 'restore')),
  check ((ended_at is null) = (ended_by is null))
);
comment on table private.api_keys is 'API keys of accounts: a name, rights and an expiry; never the key itself.';
comment on column private.api_keys.hint is 'The last four characters of the key, by which its owner knows it.';
comment on column private.api_keys.aal is 'The assurance of the session that made it: aal2 with a second factor.';
comment on column private.api_keys.last_used_at is 'Written at most every five minutes.';
create index api_keys_user_id_idx on private.api_keys (user_id);
alter table private.api_keys enable row level security;

create table private.api_key_writes (
  id bigint generated always as identity primary key,
  key_id uuid not null references private.api_keys (id) on delete cascade,
  at timestamptz not null default now(),
  action text not null,
  subject text not null,
  idempotency_key text,
  outcome text,
  unique (key_id, idempotency_key)
);
comment on table private.api_key_writes is 'What was changed with an API key; written before the change is made.';
comment on column private.api_key_writes.subject is 'The id of what was to be changed.';
comment on column private.api_key_writes.idempotency_key is 'The caller''s own name for the request: it is done once.';
comment on column private.api_key_writes.outcome is
  'done, or the code of the refusal; null while it is under way, or when the process ended during it.';
alter table private.api_key_writes enable row level security;

insert into private.personal_data (table_name, holds, purpose, found_by, hidden, on_erasure, kept) values
  ('private.api_keys', 'API keys: name, rights, when they were used', 'Programs that act for the account',
   't.user_id = $1', '{secret_hash}', 'account', 'Thirty days after they have ended'),
  ('private.api_key_writes', 'What was changed with API keys', 'Proof of what a program did',
   't.key_id in (select k.id from private.api_keys k where k.user_id = $1)', '{}', 'account', 'With their key');

-- What an operator's key does is in the operators' audit log, with the key.
create or replace function private.operate(p_action text, p_subject text, p_details jsonb default '{}') returns void
  language plpgsql security definer set search_path = '' as $$
begin
  if not auth.is_operator() then
    raise exception 'This is for operators' using errcode = '42501';
  end if;
  insert into private.operator_audit (actor, action, subject, details)
    values (auth.uid(), p_action, p_subject,
      p_details || case when auth.jwt() ->> 'api_key' is null then '{}'
                   else jsonb_build_object('api_key', auth.jwt() ->> 'api_key') end);
end $$;

create view operator.api_keys with (security_barrier) as
  select k.id, k.name, k.hint, k.rights, k.created_at, k.expires_at, k.last_used_at, k.ended_at, k.ended_by,
         k.user_id, u.email, k.user_id = auth.uid() as is_mine
  from private.api_keys k join auth.users u on u.id = k.user_id
  where (select auth.is_operator());
comment on view operator.api_keys is 'The API keys of all accounts.';
grant select on operator.api_keys to authenticated, service_role;

create function operator.end_api_key(p_id uuid) returns boolean
  language plpgsql security definer set search_path = '' as $$
begin
  perform private.operate('api_key.end', p_id::text);
  update private.api_keys set ended_at = now(), ended_by = 'operator' where id = p_id and ended_at is null;
  return found;
end $$;
comment on function operator.end_api_key(uuid) is 'Revokes an API key of any account.';
revoke all on function operator.end_api_key(uuid) from public;
grant execute on function operator.end_api_key(uuid) to authenticated, service_role;
