-- The settings that operators decide at the console, and one list of all audit logs.

create table private.console_settings (
  name text primary key,
  value text,
  sealed bytea,
  changed_at timestamptz not null default now(),
  check ((value is null) <> (sealed is null))
);
comment on table private.console_settings is
  'Settings that operators decided at the console; the environment wins over them. The audit log says who changed them.';
comment on column private.console_settings.value is 'The value as an operator writes it; null for a secret.';
comment on column private.console_settings.sealed is 'A secret, encrypted with a key of keys.json (AES-256-GCM).';
alter table private.console_settings enable row level security;

create function private.announce_console_settings() returns trigger
  language plpgsql set search_path = '' as $$
begin
  perform pg_notify('console_settings', '');
  return null;
end $$;
comment on function private.announce_console_settings() is 'Tells all processes that the settings of the console changed.';
revoke all on function private.announce_console_settings() from public;
create trigger announce after insert or update or delete on private.console_settings
  for each statement execute function private.announce_console_settings();
comment on trigger announce on private.console_settings is 'Tells all processes that the settings changed.';

create trigger payment_audit_append_only before update or delete or truncate on private.payment_audit
  for each statement execute function auth.refuse_change();
comment on trigger payment_audit_append_only on private.payment_audit is
  'Refuses every change of the audit log of purchases.';

create index operator_audit_at_idx on private.operator_audit (at);
create index payment_audit_at_idx on private.payment_audit (at);

create view operator.trail with (security_barrier) as
  select t.log, t.id, t.at, t.action, t.subject, t.details,
         (select u.email from auth.users u where u.id = t.actor) as actor
  from (
    select 'console' as log, a.id::text as id, a.at, a.actor, a.action, a.subject, a.details
      from private.operator_audit a
    union all
    select 'accounts', e.id::text, e.created_at, e.actor_id, e.action, coalesce(e.ip_address, ''), e.payload
      from auth.audit_log_entries e
    union all
    select 'payments', p.id::text, p.at, p.user_id, p.action, coalesce(p.address, ''),
           jsonb_strip_nulls(jsonb_build_object('reason', p.reason, 'session', p.session_id))
      from private.payment_audit p) t
  where (select auth.is_operator());
comment on view operator.trail is
  'All audit logs in one list: what operators did, what happened to accounts, refused and moved purchases.';
grant select on operator.trail to authenticated, service_role;
