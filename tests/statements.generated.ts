// Written by `npm run docs` from the statements in the sources and the schema in migrations/: do not edit.
import type { JsonColumn } from '../src/kernel/resources/database/json-columns.ts';

declare module '../src/kernel/resources/database/statements.generated.ts' {
  interface Statements {
  // src/business/api-keys/api-keys.test.ts
  "insert into public.enquiries (id, name, email, enquiry_type, address_hash, text_hash, due_at)\n     values ($1, 'Priya Shah', 'priya@example.com', 'App Builder', 'a', 't', now() + interval '1 day')": { values: [string]; row: Record<never, never> };
  "select * from private.api_keys": { values: []; row: { id: string; user_id: string; name: string; secret_hash: Buffer; hint: string; rights: string[]; aal: 'aal1' | 'aal2'; created_at: Date; expires_at: Date; last_used_at: Date | null; ended_at: Date | null; ended_by: string | null } };
  "update private.api_keys set last_used_at = now() - interval '6 minutes' where id = $1": { values: [string]; row: Record<never, never> };
  "update private.api_keys set expires_at = now() where id = $1": { values: [string]; row: Record<never, never> };
  "update auth.users set banned_until = now() + interval '1 day' where email = $1": { values: [string]; row: Record<never, never> };
  "update auth.users set banned_until = null where email = $1": { values: [string]; row: Record<never, never> };
  "delete from auth.users where email = $1": { values: [string]; row: Record<never, never> };
  "insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, status, secret, created_at, updated_at)\n     select gen_random_uuid(), id, 'phone', 'totp', 'verified', 'x', now(), now() from auth.users where email = $1": { values: [string]; row: Record<never, never> };
  "select action, subject, outcome from private.api_key_writes where key_id = $1 order by id": { values: [string]; row: { action: string; subject: string; outcome: string | null } };
  "select details from private.operator_audit where subject = $1 order by id desc limit 1": { values: [string]; row: { details: JsonColumn<'private.operator_audit.details'> } };
  // src/business/avatars/avatars.test.ts
  "select file_size_limit, allowed_mime_types from storage.buckets where id = $1": { values: [string]; row: { file_size_limit: string | null; allowed_mime_types: string[] | null } };
  "update auth.users set raw_app_meta_data = raw_app_meta_data - 'role' where id = $1": { values: [string]; row: Record<never, never> };
  "insert into auth.mfa_factors (user_id, friendly_name, factor_type, status, secret)\n     values ($1, 'x', 'totp', 'verified', 'x')": { values: [string]; row: Record<never, never> };
  "select private.holds_something($1) as holds": { values: [string]; row: { holds: boolean | null } };
  "update auth.users set deleted_at = now() where id = $1": { values: [string]; row: Record<never, never> };
  "select name from storage.objects where bucket_id = $1 and owner = any ($2::uuid[])": { values: [string, readonly (string | null)[]]; row: { name: string } };
  // src/business/backup/backup-schedule.test.ts
  "select folder, error from private.backups order by finished_at": { values: []; row: { folder: string; error: string | null } };
  "select subject from private.mails where subject like 'No backup%'": { values: []; row: { subject: string } };
  "select from private.job where name = $1": { values: [string]; row: Record<never, never> };
  "update private.backups set finished_at = now() + interval '10 days' where id = (select id from private.backups limit 1)": { values: []; row: Record<never, never> };
  // src/business/backup/backup.test.ts
  "select (select count(*)::int from pg_constraint where contype = 'f' and convalidated) as foreign_keys,\n              (select count(*)::int from pg_trigger where not tgisinternal and tgenabled = 'O') as triggers": { values: []; row: { foreign_keys: number; triggers: number } };
  "update private.api_keys set ended_at = now(), ended_by = 'restore'": { values: []; row: Record<never, never> };
  "select version /* not null */ from storage.objects where name like '%deleted.txt'": { values: []; row: { version: string } };
  "select from storage.objects where version = $1": { values: [string]; row: Record<never, never> };
  "select folder, error from private.backups order by finished_at desc limit 2": { values: []; row: { folder: string; error: string | null } };
  "select version /* not null */ from storage.objects where name like '%lost.txt'": { values: []; row: { version: string } };
  // src/business/backup/verification-schedule.test.ts
  "select kind, verified, file_count, faults, error from private.backup_verifications order by finished_at": { values: []; row: { kind: 'backup' | 'second'; verified: string; file_count: string | null; faults: string[]; error: string | null } };
  "select group_id from private.job where name = 'backup.verify'": { values: []; row: { group_id: string | null } };
  // src/business/billing/checkout/credit-purchase.test.ts
  "select customer_id /* not null */ from public.customers where user_id = $1": { values: [string]; row: { customer_id: string } };
  "update auth.users set deletion_due_at = now() + interval '30 days' where id = $1": { values: [string]; row: Record<never, never> };
  // src/business/billing/checkout/customer-link.test.ts
  "update auth.users set confirmation_sent_at = now() - interval '1 minute' where id = $1": { values: [string]; row: Record<never, never> };
  "select sum(amount)::int as sum from public.credit_transactions where user_id = $1": { values: [string]; row: { sum: number | null } };
  "select reason from private.payment_audit where user_id = $1 and action = 'link refused'": { values: [string]; row: { reason: string | null } };
  // src/business/billing/checkout/plan-purchase.test.ts
  "update auth.users set deletion_due_at = null where id = $1": { values: [string]; row: Record<never, never> };
  "select customer_id /* not null */ from private.checkouts where session_id = $1": { values: [string]; row: { customer_id: string } };
  "delete from private.customers_to_end where customer_id =\n             (select customer_id from private.checkouts where session_id = $1)": { values: [string]; row: Record<never, never> };
  "select 1 from private.customers_to_end where customer_id = $1": { values: [string]; row: { "?column?": number } };
  "update private.checkouts set started_by = $2 where session_id = $1": { values: [string, string]; row: Record<never, never> };
  "select linked_at from private.checkouts where session_id = $1": { values: [string]; row: { linked_at: Date | null } };
  "select distinct c.customer_id from private.checkouts c where c.started_by = $1": { values: [string]; row: { customer_id: string | null } };
  "update private.checkouts set paid_at = null where session_id = $1": { values: [string]; row: Record<never, never> };
  "update private.provider_objects set data = data || '{\"customer\": null}' where id = $1": { values: [string]; row: Record<never, never> };
  "update private.checkouts set claim_hash = null where session_id = $1": { values: [string]; row: Record<never, never> };
  "select claim_hash is null as waits from private.checkouts where session_id = $1": { values: [string]; row: { waits: boolean } };
  // src/business/billing/customers/billing-operations.test.ts
  "select private.plan_override($1) as plan": { values: [string]; row: { plan: string | null } };
  "select plan, reason, set_by, ended_by from private.plan_overrides where user_id = $1": { values: [string]; row: { plan: string; reason: string; set_by: string; ended_by: string | null } };
  // src/business/billing/customers/customer-address.test.ts
  "select customer_id as customer /* not null */ from public.customers where user_id = $1": { values: [string]; row: { customer: string } };
  "select customer_id from private.customers_to_address": { values: []; row: { customer_id: string } };
  "insert into private.customers_to_address (customer_id, user_id, former) values ($1, $2, $3)": { values: [string, string, string]; row: Record<never, never> };
  // src/business/billing/customers/customer-fetch.test.ts
  "select 1 from private.payment_customers": { values: []; row: { "?column?": number } };
  "insert into private.payment_events (id, type, customer_id) values ('evt_early', 'invoice.paid', 'cus_early')": { values: []; row: Record<never, never> };
  "update private.payment_events set handled_at = now() where id = 'evt_early'": { values: []; row: Record<never, never> };
  "update public.subscriptions set status = 'canceled'": { values: []; row: Record<never, never> };
  "insert into private.installation (key, value) values ('billing reconciled at', (now() - interval '41 hours')::text)\n       on conflict (key) do update set value = excluded.value": { values: []; row: Record<never, never> };
  "update private.credit_grants set valid_until = to_timestamp($2)\n       where customer_row = (select id from public.customers where user_id = $1)": { values: [string, number]; row: Record<never, never> };
  "select array_agg(credits order by credits)::int[] as rows from public.customers where user_id in ($1, $2)": { values: [string, string]; row: { rows: number[] | null } };
  "insert into private.customers_to_end (customer_id) values ('cus_gone')": { values: []; row: Record<never, never> };
  "select 1 from private.customers_to_end where done_at is null": { values: []; row: { "?column?": number } };
  "insert into private.payment_prices (provider_price, price_id, amount, livemode, currency) values ('price_1Old', 'price_of_before', 100, false, 'gbp')": { values: []; row: Record<never, never> };
  // src/business/billing/customers/customer-reconciliation.test.ts
  "update public.subscriptions set status = 'canceled', tier = 'basic'": { values: []; row: Record<never, never> };
  "delete from public.credit_transactions where user_id = $1": { values: [string]; row: Record<never, never> };
  "update public.customers set credits = 0 where user_id = $1": { values: [string]; row: Record<never, never> };
  "update public.customers set credits = credits + $2 where user_id = $1": { values: [string, number]; row: Record<never, never> };
  "select count(*)::int as rows from public.customers": { values: []; row: { rows: number } };
  "insert into private.provider_objects (id, kind, customer, data) values ('cus_other', 'customer', 'cus_other',\n       '{\"id\":\"cus_other\",\"object\":\"customer\",\"livemode\":false,\"invoice_settings\":{\"default_payment_method\":null}}')": { values: []; row: Record<never, never> };
  // src/business/billing/customers/free-credits.test.ts
  "insert into private.free_credits (mail_digest, given_at)\n       select int4send(n), now() from generate_series(1, 200) n": { values: []; row: Record<never, never> };
  "update private.free_credits set given_at = now() - interval '25 hours'": { values: []; row: Record<never, never> };
  "select count(*)::int as entries from public.credit_transactions where user_id = $1 and kind = 'grant'": { values: [string]; row: { entries: number } };
  "update private.free_credits set given_at = now() - interval '366 days' where user_id = any($1)": { values: [readonly (string | null)[]]; row: Record<never, never> };
  "select mail_digest as digest from private.free_credits where user_id = $1": { values: [string]; row: { digest: Buffer } };
  "select 1 from private.free_credits where mail_digest = $1": { values: [Uint8Array]; row: { "?column?": number } };
  "select client_digest from private.free_credits where user_id = $1": { values: [string]; row: { client_digest: Buffer | null } };
  // src/business/billing/provider-events.test.ts
  "select c.customer_id as customer /* not null */, o.id as subscription from public.customers c\n     join private.provider_objects o on o.customer = c.customer_id and o.kind = 'subscription'\n     where c.user_id = $1": { values: [string]; row: { customer: string; subscription: string } };
  "select data from private.provider_events where data #>> '{data,object,customer}' = $1\n     order by md5(id || $2) limit 6": { values: [string, string]; row: { data: JsonColumn<'private.provider_events.data'> } };
  "select status, cancel_at_period_end, price_id,\n       extract(epoch from current_period_start)::int as period_start,\n       extract(epoch from current_period_end)::int as period_end\n     from public.subscriptions where subscription_id = $1": { values: [string]; row: { status: string; cancel_at_period_end: boolean; price_id: string; period_start: number | null; period_end: number | null } };
  "select c.credits, (select coalesce(sum(t.amount), 0)::int from public.credit_transactions t\n       where t.customer_row = c.id and t.state <> 'returned') as ledger\n     from public.customers c where c.user_id = $1": { values: [string]; row: { credits: number; ledger: number } };
  // src/business/billing/subscription/billing-management.test.ts
  "delete from private.provider_objects where kind in ('customer', 'subscription', 'invoice')\n         and (customer = (select customer_id from public.customers where user_id = $1)\n           or id = (select customer_id from public.customers where user_id = $1))": { values: [string]; row: Record<never, never> };
  "select s.subscription_id from public.subscriptions s join public.customers c on c.customer_id = s.customer_id\n       where c.user_id = $1": { values: [string]; row: { subscription_id: string } };
  "select data from private.provider_objects where kind = 'billing_portal.session' order by position desc limit 1": { values: []; row: { data: JsonColumn<'private.provider_objects.data'> } };
  "update public.subscriptions set price_id = 'price_of_before' where subscription_id = $1": { values: [string]; row: Record<never, never> };
  // src/business/billing/usage-count.test.ts
  "insert into northline_app.analysis_reports (file_id, user_id, analysis_id, report, blocks)\n     values ($1, $2, gen_random_uuid(), $3, '[]')": { values: [string, string, object | string]; row: Record<never, never> };
  "insert into northline_app.course_uploads (object_id, user_id, seconds, bytes) values (gen_random_uuid(), $1, 61, 9)": { values: [string]; row: Record<never, never> };
  "select private.storage_limit_bytes($1) as bytes": { values: [string]; row: { bytes: string | null } };
  "insert into public.customers (user_id, credits) values ($1, 1)": { values: [string]; row: Record<never, never> };
  "select private.storage_used_bytes($1)::float8 as used /* not null */": { values: [string]; row: { used: number } };
  // src/business/billing/webhook-receipt.test.ts
  "select e.data from private.provider_events e\n     join public.customers c on c.user_id = $1\n     where e.data #>> '{data,object,customer}' = c.customer_id order by e.position": { values: [string]; row: { data: JsonColumn<'private.provider_events.data'> } };
  "select 1 from private.payment_events where id = any($1)": { values: [readonly (string | null)[]]; row: { "?column?": number } };
  "update private.provider_objects set data = jsonb_set(data, '{items,data,0,price,id}', '\"price_other\"')\n       where kind = 'subscription' and customer = (select customer_id from public.customers where user_id = $1)": { values: [string]; row: Record<never, never> };
  "select handled_at from private.payment_events where id = $1": { values: [string]; row: { handled_at: Date | null } };
  "delete from public.subscriptions where customer_id = $1": { values: [string]; row: Record<never, never> };
  "insert into private.payment_events (id, type, customer_id, received_at)\n       values ($1, 'invoice.paid', $2, now() - make_interval(hours => $3))": { values: [string, string, number]; row: Record<never, never> };
  "delete from private.payment_events where id = $1": { values: [string]; row: Record<never, never> };
  // src/business/bookings/bookings.test.ts
  "delete from northline_app.bookings": { values: []; row: Record<never, never> };
  "delete from private.booking_holds": { values: []; row: Record<never, never> };
  "delete from private.mails": { values: []; row: Record<never, never> };
  "insert into northline_app.bookings (starts_at, minutes, name, phone) values ($1, 30, $2, $3) returning id": { values: [Date | string, string, string]; row: { id: string } };
  "update private.booking_holds set until = now() - interval '1 second'": { values: []; row: Record<never, never> };
  "insert into private.voice_records (kind, body) values ('call', '{}') returning id": { values: []; row: { id: string } };
  "insert into auth.users (id, phone, phone_confirmed_at, raw_user_meta_data)\n       values (gen_random_uuid(), '447400123456', now(), '{\"locale\": \"de\"}')": { values: []; row: Record<never, never> };
  "delete from auth.users where phone = '447400123456'": { values: []; row: Record<never, never> };
  "update northline_app.bookings set state = 'cancelled' where state = 'booked'": { values: []; row: Record<never, never> };
  "update northline_app.bookings set state = 'booked' where id = $1": { values: [string]; row: Record<never, never> };
  // src/business/bookings/caldav-calendar.test.ts
  "insert into northline_app.bookings (starts_at, minutes, name, phone) values ('2031-03-03T10:00:00Z', 30, 'Ann', '1') returning id": { values: []; row: { id: string } };
  "update northline_app.bookings set starts_at = '2031-03-03T11:00:00Z', changes = 1 where id = $1": { values: [string]; row: Record<never, never> };
  "update northline_app.bookings set state = 'cancelled', changes = 2 where id = $1": { values: [string]; row: Record<never, never> };
  // src/business/bookings/pages/book-page.test.ts
  "select id from northline_app.bookings": { values: []; row: { id: string } };
  "select told_agency, told_caller, confirmed_by from northline_app.bookings where email = $1": { values: [string]; row: { told_agency: number | null; told_caller: number | null; confirmed_by: 'mail' | 'text' | null } };
  "update private.booking_requests set created_at = now() - interval '25 hours'": { values: []; row: Record<never, never> };
  "select count(*) as held from private.booking_holds": { values: []; row: { held: string } };
  "insert into northline_app.bookings (starts_at, minutes, name, phone, email, confirmed_by, source)\n       select now() + make_interval(days => 40 + n), 30, 'A', '1', $1, 'mail', 'page' from generate_series(1, 5) n": { values: [string]; row: Record<never, never> };
  "insert into private.booking_requests (starts_at, minutes, name, phone, email, zone, language)\n       select now(), 30, 'A', '1', 'v' || n || '@customers.example', 'UTC', 'en' from generate_series(1, 200) n": { values: []; row: Record<never, never> };
  "insert into northline_app.bookings\n           (starts_at, minutes, name, phone, email, confirmed_by, created_at, told_agency, told_caller, source)\n         values (now() + make_interval(mins => $1), 30, 'Ann', '07700900123', $2, 'mail',\n                 now() - make_interval(hours => $3), 0, 0, 'page') returning id": { values: [number, string, number]; row: { id: string } };
  "update northline_app.bookings set starts_at = now() + interval '50 minutes' where id = $1": { values: [string]; row: Record<never, never> };
  "update auth.users set email_proven_at = null where email = $1": { values: [string]; row: Record<never, never> };
  "update auth.users set email_proven_at = now() where email = $1": { values: [string]; row: Record<never, never> };
  // src/business/console/colleagues/colleagues.test.ts
  "insert into public.customers (user_id, credits) values ($1, 5)": { values: [string]; row: Record<never, never> };
  "select action, role, details from private.operator_audit where subject = $1 order by id": { values: [string]; row: { action: string; role: string | null; details: JsonColumn<'private.operator_audit.details'> } };
  "update private.colleague_invitations set expires_at = now() where email = $1": { values: [string]; row: Record<never, never> };
  "update auth.users set raw_app_meta_data = raw_app_meta_data - 'operator_role' where email = $1": { values: [string]; row: Record<never, never> };
  "select private.operator_role_of(raw_app_meta_data) as role from auth.users where email = any ($1) order by 1": { values: [readonly (string | null)[]]; row: { role: string | null } };
  "select action, private.least_role_of(action) as least from unnest($1::text[]) as action": { values: [readonly (string | null)[]]; row: { action: string | null; least: string | null } };
  // src/business/console/console-home.test.ts
  "insert into private.payment_invoices (id, customer_id, status, total, amount_due, amount_remaining, refunded, created_at, currency)\n     values ('in_a', 'cus_a', 'paid', 4900, 4900, 0, 900, now(), 'gbp'), ('in_b', 'cus_a', 'open', 4900, 4900, 4900, 0, now(), 'gbp'),\n            ('in_c', 'cus_a', 'void', 4900, 0, 0, 0, now(), 'gbp'), ('in_d', 'cus_a', 'paid', 24900, 24900, 0, 0, now() - interval '8 days', 'gbp'),\n            ('in_e', 'cus_a', 'paid', 100, 100, 0, 0, now() - interval '40 days', 'gbp'),\n            ('in_f', 'cus_b', 'paid', 5900, 5900, 0, 0, now(), 'eur'), ('in_g', 'cus_b', 'paid', 100, 100, 0, 0, now(), 'eur')": { values: []; row: Record<never, never> };
  "insert into private.voice_records (kind, body) values\n       ('call', '{\"status\":\"ended\",\"endedAt\":\"2026-11-27T10:00:00Z\",\"analysis\":{\"successEvaluation\":\"false\"}}'),\n       ('call', '{\"status\":\"ended\",\"analysis\":{\"successEvaluation\":\"true\"}}')": { values: []; row: Record<never, never> };
  "insert into northline_app.bookings (id, starts_at, minutes, name, phone, state) values\n       ($1, now() + interval '5 minutes', 30, 'Ann Lee', '+44 1', 'booked'),\n       ($2, now() + interval '6 minutes', 30, 'Gone', '+44 2', 'cancelled'),\n       ($3, now() + interval '3 days', 30, 'Later', '+44 3', 'booked')": { values: [string, string, string]; row: Record<never, never> };
  "insert into private.site_versions (id, content, note) values (1, '{\"plans\": [], \"legal\": {\"terms\": \"Geneva law applies.\"}}', '')": { values: []; row: Record<never, never> };
  "insert into private.site_versions (id, content, note) values ($1, $2, '')": { values: [number, object | string]; row: Record<never, never> };
  "insert into private.backups (started_at, folder, error) values (now(), '/b/1', 'the disk is full')": { values: []; row: Record<never, never> };
  "insert into private.backups (started_at, folder, row_count, file_count, lost_files) values (now(), '/b/2', 1, 0, 0)": { values: []; row: Record<never, never> };
  // src/business/console/demo/demo-data.test.ts
  "insert into public.customers (user_id) select id from auth.users where email = $1": { values: [string]; row: Record<never, never> };
  "select id from private.mails": { values: []; row: { id: string } };
  "select mail_due, mailed_at from private.message_notes where message_id = $1": { values: [string]; row: { mail_due: boolean; mailed_at: Date | null } };
  "update northline_app.bookings set starts_at = $2 where id = $1": { values: [string, Date | string]; row: Record<never, never> };
  "select recipient, subject, body_text from private.mails where id <> all ($1)": { values: [readonly (string | null)[]]; row: { recipient: string; subject: string; body_text: string } };
  "select id from private.outbox_events where state <> $1 and kind <> $2": { values: [string, string]; row: { id: string } };
  "select id from private.analysis_outcomes": { values: []; row: { id: string } };
  "select customer_id from private.customers_to_end": { values: []; row: { customer_id: string } };
  "select email, encrypted_password, raw_app_meta_data, banned_until > now() as barred from auth.users where id = $1": { values: [string]; row: { email: string | null; encrypted_password: string | null; raw_app_meta_data: JsonColumn<'auth.users.raw_app_meta_data'>; barred: boolean | null } };
  "select id from auth.sessions where user_id = $1": { values: [string]; row: { id: string } };
  "select id from private.mails where recipient = $1": { values: [string]; row: { id: string } };
  "select id from public.customers where user_id is null": { values: []; row: { id: string } };
  "select account from private.erasures": { values: []; row: { account: string } };
  "select id from public.user_files": { values: []; row: { id: string } };
  "select id from private.demo_records": { values: []; row: { id: string } };
  "select state from private.demo_data": { values: []; row: { state: 'adding' | 'ready' | 'removing' } };
  // src/business/console/first-operator.test.ts
  "select actor, subject, details from private.operator_audit where action = 'operator.add'": { values: []; row: { actor: string | null; subject: string; details: JsonColumn<'private.operator_audit.details'> } };
  // src/business/console/operator-actions.test.ts
  "delete from public.enquiries": { values: []; row: Record<never, never> };
  "insert into public.enquiries (id, name, email, enquiry_type, additional_notes, address_hash, text_hash,\n       suspect_reasons, created_at, due_at)\n     values ($1, 'Priya Shah', 'priya@example.com', 'App Builder', $2, 'a', 't', $3,\n       now() - make_interval(hours => $4), now() + make_interval(hours => 24 - $4))": { values: [string, string, readonly (string | null)[], number]; row: Record<never, never> };
  "select relname as name from pg_class where relnamespace = 'operator'::regnamespace and relkind = 'v'": { values: []; row: { name: string } };
  "select operator.mark_replied('ENQ-1-a', true)": { values: []; row: { mark_replied: boolean | null } };
  "insert into auth.mfa_factors (user_id, factor_type, status) values ($1, 'totp', 'verified')": { values: [string]; row: Record<never, never> };
  "insert into public.enquiries (id, name, email, enquiry_type, address_hash, text_hash)\n       select 'ENQ-' || n || '-a', 'N', 'n@example.com', 'App Builder', 'a' || n, 't' || n from generate_series(1, 60) n": { values: []; row: Record<never, never> };
  "select action from private.operator_audit where subject = 'ENQ-1-a' order by id": { values: []; row: { action: string } };
  "delete from private.operator_audit": { values: []; row: Record<never, never> };
  "select action from private.operator_audit where subject = 'ENQ-1-a' and action = 'enquiry.assign'": { values: []; row: { action: string } };
  "insert into public.customers (customer_id) values ('cus_1')": { values: []; row: Record<never, never> };
  "insert into public.customers (user_id, credits) values ($1, 4)\n       on conflict (user_id) do update set credits = 4 returning id": { values: [string]; row: { id: string } };
  "insert into public.credit_transactions (user_id, customer_row, amount, kind, state, created_at) values\n       ($1, $2, 5, 'grant', 'settled', now() - interval '3 hours'), ($1, $2, -1, 'spend', 'settled', now() - interval '2 hours'),\n       ($1, $2, -1, 'spend', 'returned', now() - interval '1 hour')": { values: [string, string]; row: Record<never, never> };
  "select action from private.operator_audit where subject = $1 order by id": { values: [string]; row: { action: string } };
  "select action from private.operator_audit where subject = $1": { values: [string]; row: { action: string } };
  "select recipient, body_text from private.mails where subject like '%(ENQ-7-answer)%'": { values: []; row: { recipient: string; body_text: string } };
  "update public.enquiries set email = '' where id = 'ENQ-8-phone'": { values: []; row: Record<never, never> };
  "insert into northline_app.bookings (starts_at, minutes, name, phone)\n       select now() + n * interval '1 hour', 20, 'Caller ' || n, '+44 20 7946 00' || n from generate_series(1, 60) n": { values: []; row: Record<never, never> };
  "insert into private.booking_holds (starts_at, holder, until)\n       values (now() + interval '1 day', 'a call', now() + interval '1 hour'), (now() + interval '2 days', 'a call', now())": { values: []; row: Record<never, never> };
  "insert into auth.users (email) select 'many' || n || '@example.com' from generate_series(1, 55) n": { values: []; row: Record<never, never> };
  "update auth.users set created_at = now() + interval '1 hour' where email = 'many17@example.com'": { values: []; row: Record<never, never> };
  "select action from private.operator_audit where action like 'news.%' order by id": { values: []; row: { action: string } };
  "insert into private.backup_verifications (started_at, finished_at, kind, verified, file_count, faults)\n       values (now(), '2026-11-26T03:00:00Z', 'backup', '/b/1', 1, '{}'),\n              (now(), '2026-11-27T03:00:00Z', 'backup', '/b/2', 1, '{rent.pdf: its bytes are damaged.}')": { values: []; row: Record<never, never> };
  // src/business/console/records/console-search.test.ts
  "insert into public.customers (user_id, customer_id) values ($1, 'cus_priya') returning id": { values: [string]; row: { id: string } };
  "insert into private.payment_customers (customer_id, customer_row) values ('cus_priya', $1)": { values: [string]; row: Record<never, never> };
  "insert into private.payment_invoices (id, customer_id, number, status, total, amount_due, amount_remaining, created_at, currency)\n     values ('in_priya', 'cus_priya', 'KXW-2041', 'paid', 4900, 4900, 0, now(), 'gbp')": { values: []; row: Record<never, never> };
  "insert into public.enquiries (id, name, email, phone, enquiry_type, additional_notes, address_hash, text_hash)\n     values ('ENQ-7-abc', 'P. Shah', $1, '020 7946 0018', 'App Builder', 'Two offices, one switchboard. 100% sure_thing', 'a', 't')": { values: [string]; row: Record<never, never> };
  "insert into northline_app.bookings (id, starts_at, minutes, name, phone) values ($1, now() + interval '1 day', 20, 'Ms Lindqvist', '+44 20 7946 0018')": { values: [string]; row: Record<never, never> };
  "insert into private.voice_records (id, kind, body) values ($1, 'call', $2)": { values: [string, object | string]; row: Record<never, never> };
  "insert into northline_app.messages (user_id, from_agency, body) values ($1, false, 'Is the draft of the lease ready?')": { values: [string]; row: Record<never, never> };
  "select kind from operator.search('priya', 5)": { values: []; row: { kind: string | null } };
  "update auth.users set deleted_at = null where id = $1": { values: [string]; row: Record<never, never> };
  // src/business/console/records/customer-record.test.ts
  "select action, details from private.operator_audit where subject = $1 order by id": { values: [string]; row: { action: string; details: JsonColumn<'private.operator_audit.details'> } };
  "insert into public.customers (user_id, credits) values ($1, 0) on conflict (user_id) do nothing": { values: [string]; row: Record<never, never> };
  "insert into public.enquiries (id, name, email, phone, enquiry_type, additional_notes, address_hash, text_hash)\n       values ('ENQ-8-ada', 'Ada', $1, '020 7946 0777', 'App Builder', 'An app for my boat', 'a', 't')": { values: [string]; row: Record<never, never> };
  "insert into northline_app.messages (user_id, from_agency, body) values ($1, false, 'Is it ready?')": { values: [string]; row: Record<never, never> };
  "insert into northline_app.bookings (starts_at, minutes, name, phone, email) values (now() + interval '9 days', 20, 'Ada', '+44 20 7946 0777', $1)": { values: [string]; row: Record<never, never> };
  "select customer_row from private.unexplained_balances": { values: []; row: { customer_row: string } };
  "update private.support_access set until = now() - interval '1 second' where user_id = $1": { values: [string]; row: Record<never, never> };
  "update private.support_access set ended_at = null, ended_by = null where user_id = $1": { values: [string]; row: Record<never, never> };
  "select id from private.support_access where user_id = $1": { values: [string]; row: { id: string } };
  "select northline_app.allow_support() as until": { values: []; row: { until: Date | null } };
  // src/business/console/settings/setting-functions.test.ts
  "select name from private.console_settings": { values: []; row: { name: string } };
  "select value, sealed from private.console_settings where name = 'SMTP_URL'": { values: []; row: { value: string | null; sealed: Buffer | null } };
  "insert into private.operator_audit (action, subject, details)\n     select 'test.mark', 'mark ' || n, '{}' from generate_series(1, 120) n": { values: []; row: Record<never, never> };
  "delete from private.payment_audit": { values: []; row: Record<never, never> };
  "delete from auth.audit_log_entries": { values: []; row: Record<never, never> };
  "update private.console_settings set sealed = substr(sealed, 1, 20) || '\\x00'::bytea where name = 'SMTP_URL'": { values: []; row: Record<never, never> };
  // src/business/console/settings/setting-trials.test.ts
  "select 1 from private.webhook_targets where name = 'crm'": { values: []; row: { "?column?": number } };
  "insert into private.webhook_targets (name, url, events, active) values ('crm', $1, '{}', true)": { values: [string]; row: Record<never, never> };
  "select 1 from private.outbox_events": { values: []; row: { "?column?": number } };
  // src/business/content/site-content.test.ts
  "select amount from private.payment_prices where price_id = 'price_documents_pro_2' and current": { values: []; row: { amount: number } };
  // src/business/courses/courses.test.ts
  "with customer as (update public.customers set customer_id = 'cus_' || $1::text where user_id = $1::uuid returning customer_id)\n       insert into public.subscriptions\n         (customer_id, subscription_id, price_id, tier, status, current_period_start, current_period_end)\n       select customer_id, 'sub_' || $1::text, 'price_courses_' || $2, $2, 'active', now() - interval '7 days',\n              now() + interval '21 days' from customer": { values: [string, string]; row: Record<never, never> };
  "select private.storage_used_bytes($1) as used": { values: [string]; row: { used: string | null } };
  "update public.customers set credits = 5 where user_id = $1": { values: [string]; row: Record<never, never> };
  "update northline_app.messages set sent_at = sent_at - interval '2 minutes' where user_id = $1": { values: [string]; row: Record<never, never> };
  "select recipient, subject from private.mails where subject like '% Welcome' or subject like '%lektionen'": { values: []; row: { recipient: string; subject: string } };
  "update auth.users set raw_user_meta_data = '{\"locale\": \"de\"}' where id = $1": { values: [string]; row: Record<never, never> };
  "select subject, body_text from private.mails where recipient = $1 and subject ~ '^(In Arbeit|In work|Received)'": { values: [string]; row: { subject: string; body_text: string } };
  "update auth.users set raw_user_meta_data = '{\"locale\": \"en\"}' where id = $1": { values: [string]; row: Record<never, never> };
  "select body_text from private.mails where subject like 'A lesson was received: %' and body_text like '%second%'": { values: []; row: { body_text: string } };
  "select action from private.operator_audit where action like 'course.%' order by id": { values: []; row: { action: string } };
  "insert into northline_app.courses (user_id, title, position)\n     select $1, 'Course ' || n, n from generate_series(2, 50) as n": { values: [string]; row: Record<never, never> };
  "select 1 from northline_app.courses where user_id = $1": { values: [string]; row: { "?column?": number } };
  "select private.begin_upload($1, 'course-videos', $2, $3, 9, 9, '1 hour') as room": { values: [string, string, string]; row: { room: string | null } };
  // src/business/documents/corrections/fact-correction.test.ts
  "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'\n                and query like '%for no key update'": { values: []; row: { count: string } };
  "select 1 from northline_app.analysis_reports where file_id = $1 for update": { values: [string]; row: { "?column?": number } };
  "select report_line from public.user_files where id = $1": { values: [string]; row: { report_line: string | null } };
  // src/business/documents/document-analysis.test.ts
  "select count(*) from private.analyses where file_id = $1": { values: [string]; row: { count: string } };
  "select o.version from storage.objects o join public.user_files f on f.file_path = o.name where f.id = $1": { values: [string]; row: { version: string | null } };
  "delete from storage.objects where name = (select file_path from public.user_files where id = $1)": { values: [string]; row: Record<never, never> };
  "insert into private.analyses (file_id, user_id, target, deadline_at, context)\n         values ($1, $2, 'embedded', now() + interval '1 hour', '{}') returning id": { values: [string, string]; row: { id: string } };
  "insert into private.analyses (file_id, user_id, target, state, deadline_at)\n       values ($1, $2, 'external', 'sent', now() + interval '1 hour') returning id": { values: [string, string]; row: { id: string } };
  "select data from private.job where name = 'embedded-analysis' and data ->> 'analysisId' = $1": { values: [string]; row: { data: JsonColumn<'private.job.data'> | null } };
  "select count(*) from private.job where name = 'embedded-analysis' and data ->> 'analysisId' = $1 and state = 'completed'": { values: [string]; row: { count: string } };
  // src/business/documents/exports/searchable-export.test.ts
  "insert into northline_app.analysis_reports (file_id, user_id, analysis_id, report, blocks)\n     select $2, user_id, gen_random_uuid(), jsonb_set(report, '{coverage}', $3::jsonb), jsonb_set(blocks, '{0,words}', $4::jsonb)\n       from northline_app.analysis_reports where file_id = $1": { values: [string, string, object | string, object | string]; row: Record<never, never> };
  "insert into northline_app.teams (name) values ('Quay') returning id": { values: []; row: { id: string } };
  "insert into northline_app.team_members (user_id, team_id, role) values ($1, $2, 'owner')": { values: [string, string]; row: Record<never, never> };
  "insert into northline_app.team_files (file_id, team_id, shared_by) values ($1, $2, $3)": { values: [string, string, string]; row: Record<never, never> };
  // src/business/documents/external-automation.test.ts
  "update private.analyses set deadline_at = now() - interval '1 second' where id = $1": { values: [string]; row: Record<never, never> };
  // src/business/documents/file-lock.test.ts
  "select 1 from private.arrived_documents where file_id = $1": { values: [string]; row: { "?column?": number } };
  "select 1 from public.user_files where id = $1": { values: [string]; row: { "?column?": number } };
  "insert into northline_app.correction_precedents (user_id, file_id, key, senders, value)\n       values ($1, $2, 'supplier', array['iban 1'], 'Finch Ltd') returning id": { values: [string, string]; row: { id: string } };
  "insert into northline_app.analysis_corrections (file_id, key, original, value, user_id, precedent_id)\n       values ($1, 'supplier', 'Fnch', 'Finch Ltd', $2, $3)": { values: [string, string, string]; row: Record<never, never> };
  "insert into northline_app.document_rules (user_id, name, wanted, acts, since)\n       values ($1, 'Names', '{}', '{\"name\":\"{kind} {total}\"}', '2020-01-01T00:00:00Z')": { values: [string]; row: Record<never, never> };
  "insert into private.arrived_documents (file_id) values ($1)": { values: [string]; row: Record<never, never> };
  "insert into private.analyses (file_id, user_id, target, state, deadline_at, updated_at)\n         values ($1, $2, 'embedded', 'sent', now() + $3 * interval '1 hour', now() + $4 * interval '1 hour')": { values: [string, string, number, number]; row: Record<never, never> };
  "select 1 from public.user_files where id = $1 for update": { values: [string]; row: { "?column?": number } };
  "delete from public.user_files where id = $1": { values: [string]; row: Record<never, never> };
  "select state from private.analyses where file_id = $1": { values: [string]; row: { state: 'queued' | 'sent' | 'merging' | 'fallback' | 'completed' | 'failed' } };
  // src/business/documents/invoices/invoice-list.test.ts
  "select (created_at at time zone 'UTC')::date::text as day /* not null */ from public.user_files where id = $1": { values: [string]; row: { day: string } };
  // src/business/documents/own-fields/correction-precedents.test.ts
  "select key, value, precedent_id from northline_app.analysis_corrections where file_id = $1 order by key": { values: [string]; row: { key: string; value: string; precedent_id: string | null } };
  // src/business/documents/own-fields/own-fields.test.ts
  "select file_id from private.document_rows where file_id = any ($1)": { values: [readonly (string | null)[]]; row: { file_id: string } };
  "insert into northline_app.own_fields (user_id, kind, name) values ($1, 'lease', $2)": { values: [string, string]; row: Record<never, never> };
  "select 1 from northline_app.own_field_values where user_id = $1": { values: [string]; row: { "?column?": number } };
  "select 1 from northline_app.own_fields where user_id = $1": { values: [string]; row: { "?column?": number } };
  // src/business/documents/own-fields/shared-fields.test.ts
  "insert into public.customers (user_id, credits) values ($1, 20)\n     on conflict (user_id) do update set credits = 20": { values: [string]; row: Record<never, never> };
  "update public.customers set credits = 20 where user_id = any ($1)": { values: [readonly (string | null)[]]; row: Record<never, never> };
  "select tags from northline_app.file_tags where file_id = $1": { values: [string]; row: { tags: string[] } };
  "select action, actor from private.operator_audit where subject = $1 order by id": { values: [string]; row: { action: string; actor: string | null } };
  // src/business/documents/questions/document-question.test.ts
  "select questions, tokens from private.document_model_use where user_id = $1": { values: [string]; row: { questions: number; tokens: string } };
  "update private.document_model_use set tokens = 11999 where user_id = $1": { values: [string]; row: Record<never, never> };
  // src/business/documents/requests/analysis-queue.test.ts
  "select deadline_at > now() + interval '7 days' as waits from private.analyses where id = $1": { values: [string]; row: { waits: boolean } };
  "update private.analyses set state = 'failed' where id = $1": { values: [string]; row: Record<never, never> };
  "delete from private.job where data ->> 'analysisId' = $1": { values: [string]; row: Record<never, never> };
  "update private.analyses set updated_at = now() - interval '10 minutes'": { values: []; row: Record<never, never> };
  // src/business/documents/requests/finished-notice.test.ts
  "insert into private.analyses (file_id, user_id, target, state, deadline_at, finished_at, context)\n     values ($1, $2, 'embedded', $3, now() + interval '1 hour', case when $3 = 'queued' then null else now() end, '{}')": { values: [string, string, string]; row: Record<never, never> };
  "insert into public.customers (user_id, credits) values ($1, 9)\n     on conflict (user_id) do update set credits = 9": { values: [string]; row: Record<never, never> };
  "update private.analyses set state = 'completed', finished_at = now() where user_id = $1 and state = 'queued'": { values: [string]; row: Record<never, never> };
  "update auth.users set raw_user_meta_data = '{\"notices\": {\"analysis\": false}}' where id = $1": { values: [string]; row: Record<never, never> };
  // src/business/documents/requests/reading-pause.test.ts
  "insert into private.analyses (file_id, user_id, target, state, deadline_at, context)\n     values ($1, $2, 'embedded', 'failed', now(), '{}') returning id": { values: [string, string]; row: { id: string } };
  "select count from private.reading_failures where user_id = $1": { values: [string]; row: { count: number } };
  "update private.analyses set state = 'sent' where id = $1": { values: [string]; row: Record<never, never> };
  "update private.reading_failures set count = 6": { values: []; row: Record<never, never> };
  "select f.status, f.progress, f.waits_until, a.deadline_at - f.waits_until >= interval '15 minutes' as has_its_time\n         from public.user_files f join private.analyses a on a.file_id = f.id and a.state in ('queued', 'sent')\n        where f.id = $1": { values: [string]; row: { status: 'uploaded' | 'queued' | 'analyzing' | 'analyzed' | 'failed' | 'needs_password'; progress: number | null; waits_until: Date | null; has_its_time: boolean | null } };
  "update private.reading_failures set ended_at = now() - interval '1 hour'": { values: []; row: Record<never, never> };
  "update private.job set start_after = now() where name = 'embedded-analysis' and state = 'created'": { values: []; row: Record<never, never> };
  "select waits_until from public.user_files where id = $1": { values: [string]; row: { waits_until: Date | null } };
  "select count from private.reading_failures": { values: []; row: { count: number } };
  // src/business/documents/requests/secret-rotation.test.ts
  "update private.webhook_targets set previous_until = now() where name = 'analysis'": { values: []; row: Record<never, never> };
  // src/business/documents/requests/unreadable-mark.test.ts
  "update private.analyses set deadline_at = now() - interval '1 second' where state in ('queued', 'sent')": { values: []; row: Record<never, never> };
  "select f.unreadable, a.error_code from public.user_files f join private.analyses a on a.file_id = f.id\n      where f.id = $1": { values: [string]; row: { unreadable: boolean; error_code: string | null } };
  "update public.user_files set unreadable = true where id = $1": { values: [string]; row: Record<never, never> };
  "select unreadable from public.user_files where id = $1": { values: [string]; row: { unreadable: boolean } };
  // src/business/documents/rules/rules.test.ts
  "select id, done from northline_app.rule_runs where file_id = $1": { values: [string]; row: { id: string; done: JsonColumn<'northline_app.rule_runs.done'> } };
  "select f.file_name, t.tags from public.user_files f\n           left join northline_app.file_tags t on t.file_id = f.id where f.id = $1": { values: [string]; row: { file_name: string; tags: string[] | null } };
  "select file_id from private.arrived_documents where file_id = any ($1)": { values: [readonly (string | null)[]]; row: { file_id: string } };
  "update northline_app.document_rules set active = true where user_id = $1": { values: [string]; row: Record<never, never> };
  "select subject from private.mails where recipient = 'rule-dies@customers.example' and subject like 'Energy: %'": { values: []; row: { subject: string } };
  "select file_name from public.user_files where id = $1": { values: [string]; row: { file_name: string } };
  "update auth.users set email_proven_at = now() where id = $1 returning email": { values: [string]; row: { email: string | null } };
  "insert into northline_app.rule_runs (rule_id, file_id, user_id, done) values ($1, $2, $3, $4)": { values: [string, string, string, object | string]; row: Record<never, never> };
  // src/business/documents/search/document-search.test.ts
  "update northline_app.analysis_reports set analysis_id = gen_random_uuid(),\n            blocks = '[{\"id\":\"b1\",\"type\":\"para\",\"text\":\"A giraffe.\"}]' where file_id = $1": { values: [string]; row: Record<never, never> };
  "select 1 from northline_app.analysis_passages where file_id = $1": { values: [string]; row: { "?column?": number } };
  // src/business/documents/sharing/report-share.test.ts
  "select token_hash from northline_app.analysis_shares": { values: []; row: { token_hash: string } };
  "update northline_app.analysis_shares set expires_at = now() - interval '1 second'": { values: []; row: Record<never, never> };
  "insert into private.analyses (file_id, user_id, target, deadline_at, state)\n     select $1, $2, 'embedded', now(), 'failed' from generate_series(2, $3::integer)": { values: [string, string, number]; row: Record<never, never> };
  // src/business/documents/stacks/stack-split.test.ts
  "select file_path from public.user_files where id = $1": { values: [string]; row: { file_path: string } };
  "select d.acts ->> 'tag' as tag, jsonb_array_length(r.done) as done from northline_app.rule_runs r\n           join northline_app.document_rules d on d.id = r.rule_id where r.file_id = $1": { values: [string]; row: { tag: string | null; done: number | null } };
  "insert into private.document_reminders (run_id, due_at, day)\n       select id, now() + interval '9 days', current_date + 10 from northline_app.rule_runs where file_id = $1": { values: [string]; row: Record<never, never> };
  "select 1 from private.document_reminders": { values: []; row: { "?column?": number } };
  "select count(*) from private.stack_splits": { values: []; row: { count: string } };
  "insert into private.analyses (file_id, user_id, target, deadline_at, state)\n         values ($1, $2, 'embedded', now() + interval '1 hour', $3)": { values: [string, string, string]; row: Record<never, never> };
  "update private.analyses set state = 'failed' where file_id = $1 and state = 'sent'": { values: [string]; row: Record<never, never> };
  "select count(*) from private.stack_splits where file_id = $1": { values: [string]; row: { count: string } };
  // src/business/enquiries/enquiry-flood.test.ts
  "select count(*) from public.enquiries": { values: []; row: { count: string } };
  // src/business/enquiries/enquiry-receipt.test.ts
  "select * from public.enquiries where id = $1": { values: [string]; row: { id: string; name: string; email: string; phone: string | null; company_name: string | null; website: string | null; enquiry_type: string; additional_notes: string | null; course_description: string | null; user_id: string | null; event_subject: string; suspect_reasons: string[]; address_hash: string; text_hash: string; created_at: Date; due_at: Date; replied_at: Date | null; replied_by: string | null; note: string; warned_at: Date | null; proof_hash: string | null } };
  "select has_table_privilege('anon', 'public.enquiries', 'select') as anon,\n            has_table_privilege('authenticated', 'public.enquiries', 'select') as user": { values: []; row: { anon: boolean | null; user: boolean | null } };
  // src/business/enquiries/proof-of-work/proof-of-work.test.ts
  "select suspect_reasons from public.enquiries where id = $1": { values: [string]; row: { suspect_reasons: string[] } };
  // src/business/enquiries/reply-reminder.test.ts
  "insert into public.enquiries (id, name, email, enquiry_type, address_hash, text_hash, created_at, due_at, suspect_reasons)\n     values ($1, $2, 'n@example.com', 'App Builder', 'a', 't', now() - make_interval(mins => $3),\n       now() - make_interval(mins => $3) + interval '24 hours', $4)": { values: [string, string, number, readonly (string | null)[]]; row: Record<never, never> };
  "insert into public.enquiries (id, name, email, enquiry_type, address_hash, text_hash)\n     values ('ENQ-1-a', 'N', 'n@example.com', 'App Builder', 'a', 't')": { values: []; row: Record<never, never> };
  "select extract(epoch from due_at - created_at)::float8 / 3600 as hours from public.enquiries": { values: []; row: { hours: number } };
  "update public.enquiries set replied_at = now() where id = 'ENQ-4-a'": { values: []; row: Record<never, never> };
  // src/business/files/credit-reservation.test.ts
  "select c.credits,\n            (select coalesce(sum(amount), 0)::int from public.credit_transactions where user_id = $1 and state <> 'returned') as ledger,\n            (select count(*)::int from public.user_files where user_id = $1) as files,\n            (select count(*)::int from storage.objects where owner = $1) as objects,\n            (select count(*)::int from public.credit_transactions where user_id = $1 and kind = 'spend' and state <> 'returned') as paid\n       from public.customers c where c.user_id = $1": { values: [string]; row: { credits: number; ledger: number; files: number; objects: number; paid: number } };
  "select * from private.sweep_credits()": { values: []; row: { returned: number | null; adopted: number | null } };
  "update public.credit_transactions set expires_at = now() - interval '1 second' where user_id = $1 and expires_at is not null": { values: [string]; row: Record<never, never> };
  "update public.user_files set status = 'analyzed' where user_id = $1": { values: [string]; row: Record<never, never> };
  "select private.begin_upload(gen_random_uuid(), 'user-uploads', $2, $1, 10, 100, interval '-1 second')": { values: [string, string]; row: { begin_upload: string | null } };
  // src/business/files/dashboard.test.ts
  "insert into public.customers (user_id, credits) values ($1, $2)\n     on conflict (user_id) do update set credits = excluded.credits": { values: [string, number]; row: Record<never, never> };
  "with customer as (\n         update public.customers set credits = 0, customer_id = 'cus_' || user_id::text where user_id = $1\n         returning customer_id)\n       insert into public.subscriptions\n         (customer_id, subscription_id, price_id, tier, status, current_period_start, current_period_end)\n       select customer_id, 'sub_' || customer_id, 'price_documents_pro', 'pro', 'past_due', now(), now() + interval '1 month'\n       from customer": { values: [string]; row: Record<never, never> };
  // src/business/inbox/imap-fetch.test.ts
  "delete from private.inbox_addresses": { values: []; row: Record<never, never> };
  "insert into public.customers (user_id, credits) values ($1, 0)": { values: [string]; row: Record<never, never> };
  "select private.correct_credits((select id from public.customers where user_id = $1), 20, 'for a test')": { values: [string]; row: { correct_credits: string | null } };
  "insert into private.inbox_addresses (user_id, token) values ($1, $2)": { values: [string, string]; row: Record<never, never> };
  "select file_name from public.user_files where user_id = $1": { values: [string]; row: { file_name: string } };
  "delete from public.user_files where user_id = $1 and file_name = 'late-two.txt'": { values: [string]; row: Record<never, never> };
  "delete from private.inbox_documents where name = 'late-two.txt'": { values: []; row: Record<never, never> };
  "insert into private.inbox_mails (user_id, digest, sender, subject, attempts)\n     select $1, '\\x00', 'x', 'x', 1": { values: [string]; row: Record<never, never> };
  "update private.inbox_mails set attempts = 21 where user_id = $1 and subject = 'stuck'": { values: [string]; row: Record<never, never> };
  "delete from private.inbox_documents where name = 'stuck-two.txt'": { values: []; row: Record<never, never> };
  "update public.customers set credits = 2 where user_id = $1": { values: [string]; row: Record<never, never> };
  "select public.use_credits($1, 1, 'held') as used": { values: [string]; row: { used: boolean | null } };
  "insert into private.inbox_mails (user_id, digest, sender, subject, state)\n     select $1, decode(md5(n::text), 'hex'), 'a@b.example', 'x', 'done' from generate_series(1, 200) as n": { values: [string]; row: Record<never, never> };
  "update private.inbox_mailbox set checked_at = now() - interval '1 hour'": { values: []; row: Record<never, never> };
  // src/business/inbox/mail-receipt.test.ts
  "select private.correct_credits((select id from public.customers where user_id = $1), $2, 'for a test')": { values: [string, number]; row: { correct_credits: string | null } };
  "select file_name, mime_type, file_size, status from public.user_files where user_id = $1 order by created_at, file_name": { values: [string]; row: { file_name: string; mime_type: string; file_size: string; status: 'uploaded' | 'queued' | 'analyzing' | 'analyzed' | 'failed' | 'needs_password' } };
  "select 1 from private.analyses where user_id = $1": { values: [string]; row: { "?column?": number } };
  "select public.use_credits($1, 1, $2) as used": { values: [string, string]; row: { used: boolean | null } };
  "update private.plan_allowances set megabytes = 0": { values: []; row: Record<never, never> };
  "update auth.users set deletion_due_at = now() + interval '7 days' where id = $1": { values: [string]; row: Record<never, never> };
  "update auth.users set banned_until = now() + interval '1 day' where id = $1": { values: [string]; row: Record<never, never> };
  "update auth.users set banned_until = null where id = $1": { values: [string]; row: Record<never, never> };
  "select private.personal_data_of($1, null, null) as data": { values: [string]; row: { data: unknown } };
  "select 1 from private.inbox_mails where user_id = $1": { values: [string]; row: { "?column?": number } };
  "insert into northline_app.team_members (user_id, team_id, role) values ($1, $2, $3)": { values: [string, string, string]; row: Record<never, never> };
  "update auth.users set email = $2, email_proven_at = now() where id = $1": { values: [string, string]; row: Record<never, never> };
  "update auth.users set email_proven_at = null where id = $1": { values: [string]; row: Record<never, never> };
  // src/business/mailbox/delivery-reports.test.ts
  "delete from private.mail_suppressions": { values: []; row: Record<never, never> };
  "insert into private.mails (id, recipient, sender, subject, body_text, body_html, state)\n     values ($1, $2, 'a@b.example', 's', '', '', 'sent')": { values: [string, string]; row: Record<never, never> };
  "select address, reason, source from private.mail_suppressions": { values: []; row: { address: string; reason: 'bounce' | 'complaint' | 'unsubscribe' | 'operator'; source: 'smtp' | 'notice' | 'link' | 'console' } };
  "select state from private.mails": { values: []; row: { state: 'kept' | 'waiting' | 'sent' | 'failed' | 'bounced' | 'suppressed' } };
  // src/business/mcp/mcp.test.ts
  "select action, subject, outcome from private.api_key_writes where key_id = $1": { values: [string]; row: { action: string; subject: string; outcome: string | null } };
  "select paid_on from northline_app.analysis_invoice_marks": { values: []; row: { paid_on: Date } };
  "update public.user_files set deleted_at = now() where id = $1": { values: [string]; row: Record<never, never> };
  "select 1 as found from private.api_key_writes where key_id = $1": { values: [string]; row: { found: number } };
  "select action from private.operator_audit where action like 'booking.%' and details ->> 'api_key' is not null order by id": { values: []; row: { action: string } };
  // src/business/monitoring/installation-check.test.ts
  "insert into private.backups (started_at, folder, row_count, file_count, lost_files) values (now(), '/b', 1, 1, 0)": { values: []; row: Record<never, never> };
  "insert into private.outbox_events (kind, subject_id, state, queued_at) values ('x', gen_random_uuid(), 'dead', now())": { values: []; row: Record<never, never> };
  "insert into public.enquiries (id, name, email, enquiry_type, address_hash, text_hash, due_at, warned_at)\n     values ('ENQ-1-aaaaaaaaa', 'A', 'a@example.com', 'x', 'a', 'b', now() - interval '1 hour', now())": { values: []; row: Record<never, never> };
  "insert into auth.users (email, raw_app_meta_data) values ('op@example.com', '{\"role\": \"operator\"}')": { values: []; row: Record<never, never> };
  "with call as (insert into private.voice_records (kind, body) values ('call', '{}') returning id)\n     insert into private.voice_recordings (call_id, worker, expires_at, refused)\n     select id, 'elsewhere 1', now() + interval '1 day', 'EntityTooLarge' from call": { values: []; row: Record<never, never> };
  "insert into private.backup_verifications (started_at, finished_at, kind, verified, file_count, faults)\n       values ($1, $1, 'backup', '/b/northline-1', 4, $2)": { values: [Date | string, readonly (string | null)[]]; row: Record<never, never> };
  // src/business/monitoring/metrics-route.test.ts
  "insert into private.outbox_events (kind, subject_id, state, target, data, created_at, queued_at)\n     values ('x', gen_random_uuid(), 'dead', 'crm', '{}', now(), now()),\n            ('x', gen_random_uuid(), 'pending', 'crm', '{}', now() - interval '1 hour', now())": { values: []; row: Record<never, never> };
  "insert into private.payment_invoices (id, customer_id, status, total, amount_due, amount_remaining, refunded, created_at, currency)\n     values ('in_1', 'cus_1', 'paid', 4900, 4900, 0, 900, now(), 'gbp'), ('in_2', 'cus_2', 'paid', 5900, 5900, 0, 0, now(), 'jpy')": { values: []; row: Record<never, never> };
  "insert into private.backups (started_at, finished_at, folder, row_count, file_count, lost_files)\n     values (now(), to_timestamp(1000000), '/b', 1, 1, 0)": { values: []; row: Record<never, never> };
  "insert into private.backup_verifications (started_at, finished_at, kind, verified, file_count)\n     values (now(), to_timestamp(2000000), 'second', '/b', 1)": { values: []; row: Record<never, never> };
  // src/business/news/feed-attacks.test.ts
  "delete from public.news_posts": { values: []; row: Record<never, never> };
  // src/business/news/news-list.test.ts
  "insert into public.news_posts (title, content, url, published_at)\n     values ('Tomorrow', 'Not yet', 'https://example.com/', now() + interval '1 day')": { values: []; row: Record<never, never> };
  // src/business/push/push-notices.test.ts
  "select n.attempts from private.push_notices n join private.push_subscriptions s on s.id = n.subscription_id\n      where s.user_id = $1": { values: [string]; row: { attempts: number } };
  "select count(*)::int as ends from private.push_subscriptions where endpoint = $1": { values: [string]; row: { ends: number } };
  "with others as (insert into auth.sessions (user_id) select $1::uuid from generate_series(1, 9) returning id)\n     insert into private.push_subscriptions (user_id, session_id, endpoint, public_key, auth_secret, server_key)\n     select $1::uuid, o.id, 'https://push.example/' || o.id, $2::bytea, $3::bytea, $4 from others o": { values: [string, Uint8Array, Uint8Array, string]; row: Record<never, never> };
  // src/business/statistics/statistics-section.test.ts
  "insert into private.analysis_outcomes (made_report, seconds)\n     select number % 4 <> 0, number from generate_series(1, $1::int) number": { values: [number]; row: Record<never, never> };
  "insert into private.running_minutes (minute)\n       select date_trunc('minute', now()) - make_interval(mins => number)\n       from generate_series(0, 99) number where number % 2 = 1 on conflict do nothing": { values: []; row: Record<never, never> };
  "insert into private.running_minutes (minute)\n       select date_trunc('day', now(), 'UTC') - interval '3 days' + make_interval(mins => number)\n       from generate_series(0, 1439) number on conflict do nothing": { values: []; row: Record<never, never> };
  // src/business/teams/team-attacks.test.ts
  "select 1 from pg_locks l join pg_stat_activity a on a.pid = l.pid\n      where not l.granted and a.datname = current_database() limit 1": { values: []; row: { "?column?": number } };
  "update auth.users set deleted_at = now(), email = null where id = $1": { values: [string]; row: Record<never, never> };
  "delete from private.team_invitations where team_id = $1 and email = $2": { values: [string, string]; row: Record<never, never> };
  // src/business/teams/team-changes.test.ts
  "select count(*)::integer as count /* not null */ from realtime.changes\n      where table_name = 'team_changes' and body -> 'known' ->> 'team_id' = $1": { values: [string]; row: { count: number } };
  "update public.user_files set status = 'queued' where id = $1": { values: [string]; row: Record<never, never> };
  "update auth.users set raw_user_meta_data = '{\"full_name\": \"Priya Shah\"}' where id = $1": { values: [string]; row: Record<never, never> };
  // src/business/teams/teams.test.ts
  "update auth.users set email_proven_at = now(), raw_user_meta_data = '{\"full_name\": \"Ada\"}' where id = $1": { values: [string]; row: Record<never, never> };
  "update private.team_invitations set expires_at = now() where email = $1": { values: [string]; row: Record<never, never> };
  "select 1 from northline_app.teams where id = $1": { values: [string]; row: { "?column?": number } };
  "select 1 from auth.users where id = $1": { values: [string]; row: { "?column?": number } };
  "select 1 from northline_app.teams where payer = $1": { values: [string]; row: { "?column?": number } };
  // src/kernel/http/health.test.ts
  "select current_database() as name": { values: []; row: { name: string } };
  // src/kernel/http/slow-bodies.test.ts
  "select name from private.uploads where name = 'stalled.txt'": { values: []; row: { name: string } };
  // src/kernel/resources/database/broken-connections.test.ts
  "select pg_backend_pid() as pid": { values: []; row: { pid: number } };
  // src/kernel/resources/database/prepared-statements.test.ts
  "select count(*) as n from pg_prepared_statements where name like 'northline_%'": { values: []; row: { n: string } };
  // src/kernel/resources/database/unique-violation.test.ts
  "insert into private.installation (key, value) values ($1, $2)": { values: [string, string]; row: Record<never, never> };
  "select value from private.installation where key = $1": { values: [string]; row: { value: string } };
  // src/kernel/resources/jobs/keyed-jobs.test.ts
  "select start_after from private.job where name = $1 and singleton_key = $2 and state = 'created' for update skip locked": { values: [string, string]; row: { start_after: Date } };
  "select start_after from private.job where name = $1 and singleton_key = $2": { values: [string, string]; row: { start_after: Date } };
  // src/kernel/resources/jobs/woken-rounds.test.ts
  "update private.periodic_rounds set begun_at = now() - interval '1 hour' where task = 'test.shared'": { values: []; row: Record<never, never> };
  // src/kernel/resources/mailer/mail-queue.test.ts
  "select * from private.mails order by created_at desc limit 1": { values: []; row: { id: string; recipient: string; sender: string; subject: string; body_text: string; body_html: string; reply_to: string | null; state: 'kept' | 'waiting' | 'sent' | 'failed' | 'bounced' | 'suppressed'; last_error: string | null; created_at: Date; sent_at: Date | null; purpose: 'account' | 'service' | 'optional'; attempts: number; queued_at: Date | null; calendar: string; in_reply_to: string } };
  "delete from private.job where name = 'mailer.deliver' and state in ('created', 'retry')": { values: []; row: Record<never, never> };
  "update private.mails set queued_at = null where state = 'waiting'": { values: []; row: Record<never, never> };
  "select address, reason, source, detail from private.mail_suppressions": { values: []; row: { address: string; reason: 'bounce' | 'complaint' | 'unsubscribe' | 'operator'; source: 'smtp' | 'notice' | 'link' | 'console'; detail: string } };
  "insert into auth.users (id, email, raw_user_meta_data, email_confirmed_at)\n       values (gen_random_uuid(), $1, $2, case when $3 then now() end)": { values: [string, object | string, boolean]; row: Record<never, never> };
  "update private.mail_suppressions set updated_at = now() - interval '16 minutes'": { values: []; row: Record<never, never> };
  "update private.mails set created_at = now() - make_interval(days => $2, mins => 1) where recipient = $1": { values: [string, number]; row: Record<never, never> };
  "select recipient from private.mails": { values: []; row: { recipient: string } };
  // src/kernel/resources/outbound-http/event-announcement.test.ts
  "select state from private.outbox_events order by created_at desc limit 1": { values: []; row: { state: 'pending' | 'delivered' | 'dead' | 'cancelled' } };
  "insert into public.customers (customer_id) values ('cus_never')": { values: []; row: Record<never, never> };
  "insert into public.subscriptions (customer_id, subscription_id, price_id, tier, status) values ('cus_1', 'sub_1', 'p', 'Pro', 'active')": { values: []; row: Record<never, never> };
  "update public.subscriptions set updated_at = now() where subscription_id = 'sub_1'": { values: []; row: Record<never, never> };
  "update public.subscriptions set status = 'past_due' where subscription_id = 'sub_1'": { values: []; row: Record<never, never> };
  "select state from private.analyses": { values: []; row: { state: 'queued' | 'sent' | 'merging' | 'fallback' | 'completed' | 'failed' } };
  "update private.analyses set state = 'failed'": { values: []; row: Record<never, never> };
  "insert into private.voice_records (kind, body)\n     values ('call', '{\"status\": \"in-progress\", \"assistantId\": \"a1\", \"customer\": {\"number\": \"+15550100\"}}') returning id": { values: []; row: { id: string } };
  "update private.voice_records set body = body || '{\"status\": \"ended\", \"endedReason\": \"customer-ended-call\"}' where id = $1": { values: [string]; row: Record<never, never> };
  "select start_after - now() < interval '1 minute' as soon from private.job\n          where name = 'deliver-event.crm' and state = 'created' and start_after > now()": { values: []; row: { soon: boolean } };
  "update private.webhook_targets set previous_until = now()": { values: []; row: Record<never, never> };
  "select * from private.webhook_targets where name = 'crm'": { values: []; row: { name: string; url: string; events: string[]; active: boolean; secret_version: number; previous_until: Date | null; paused_at: Date | null; disabled_at: Date | null; created_at: Date; updated_at: Date } };
  // src/platform/auth/account/account-deletion.test.ts
  "select 1 from auth.sessions where user_id = $1": { values: [string]; row: { "?column?": number } };
  "insert into northline_app.team_members (user_id, team_id, role)\n       select $2, team_id, 'member' from northline_app.team_members where user_id = $1": { values: [string, string]; row: Record<never, never> };
  "select 1 from northline_app.team_members where user_id = $1": { values: [string]; row: { "?column?": number } };
  "select role from northline_app.team_members where user_id = $1": { values: [string]; row: { role: 'owner' | 'member' | 'billing' } };
  "update auth.sessions set amr = jsonb_set(amr, '{0,timestamp}', to_jsonb(extract(epoch from now())::bigint - 601))\n     where user_id = $1": { values: [string]; row: Record<never, never> };
  "with customer as (insert into public.customers (user_id, credits) values ($1, 3) returning id)\n     insert into private.payment_customers (customer_id, customer_row) select 'cus_' || $1::text, id from customer": { values: [string]; row: Record<never, never> };
  "select deletion_due_at from auth.users where id = $1": { values: [string]; row: { deletion_due_at: Date | null } };
  "update auth.users set deletion_due_at = now() + interval '3 days' where id = $1": { values: [string]; row: Record<never, never> };
  "select customer_id from private.customers_to_end where customer_id = 'cus_' || $1": { values: [string]; row: { customer_id: string } };
  "update auth.users set deletion_due_at = now() - interval '1 second' where id = $1": { values: [string]; row: Record<never, never> };
  "select payload from auth.audit_log_entries where actor_id = $1 and action = 'user_deleted'": { values: [string]; row: { payload: JsonColumn<'auth.audit_log_entries.payload'> } };
  "select 1 from private.erasures where account = $1": { values: [string]; row: { "?column?": number } };
  "update auth.users set deletion_due_at = now() - case when id = $1 then interval '2 days' else interval '1 day' end where id in ($1, $2)": { values: [string, string]; row: Record<never, never> };
  // src/platform/auth/admin/user-management.test.ts
  "select email, deleted_at from auth.users where id = $1": { values: [string]; row: { email: string | null; deleted_at: Date | null } };
  "select id from auth.users where email = $1": { values: [string]; row: { id: string } };
  "select 1 from auth.one_time_tokens where user_id = $1": { values: [string]; row: { "?column?": number } };
  // src/platform/auth/captcha-verification.test.ts
  "select count(*)::int as n from auth.users where email = $1 or is_anonymous": { values: [string]; row: { n: number } };
  // src/platform/auth/client-replies.test.ts
  "select count(*)::int as n from private.mails where recipient = 'link@old.example'": { values: []; row: { n: number } };
  // src/platform/auth/factors/factor-verification.test.ts
  "insert into auth.mfa_factors (user_id, factor_type, status) values ($1, 'totp', 'verified') returning id": { values: [string]; row: { id: string } };
  // src/platform/auth/factors/recovery-codes.test.ts
  "select c::text as row from auth.mfa_recovery_codes c where factor_id = $1": { values: [string]; row: { row: string } };
  "update auth.mfa_factors set friendly_name = 'My phone' where user_id = $1": { values: [string]; row: Record<never, never> };
  // src/platform/auth/mails/one-time-login.test.ts
  "select 1 from auth.users where email = $1": { values: [string]; row: { "?column?": number } };
  "select 1 from private.mails where recipient = $1": { values: [string]; row: { "?column?": number } };
  // src/platform/auth/mails/owner-notices.test.ts
  "insert into private.mail_suppressions (address, reason, source, detail) values ($1, 'complaint', 'notice', '')": { values: [string]; row: Record<never, never> };
  "select subject, state, purpose from private.mails where recipient = $1": { values: [string]; row: { subject: string; state: 'kept' | 'waiting' | 'sent' | 'failed' | 'bounced' | 'suppressed'; purpose: 'account' | 'service' | 'optional' } };
  "select count(*)::int as count from private.job where name = 'auth.notice'": { values: []; row: { count: number } };
  // src/platform/auth/passkeys/passkey-sign-in.test.ts
  "update auth.webauthn_challenges set expires_at = now() - interval '1 second'": { values: []; row: Record<never, never> };
  "update auth.users set is_sso_user = true where id = $1": { values: [string]; row: Record<never, never> };
  "update auth.users set banned_until = now() + interval '1 hour' where id = $1": { values: [string]; row: Record<never, never> };
  "update auth.users set email_confirmed_at = null where id = $1": { values: [string]; row: Record<never, never> };
  // src/platform/auth/passkeys/webauthn-factor.test.ts
  "update auth.mfa_challenges set webauthn_challenge = null where id = $1": { values: [string]; row: Record<never, never> };
  // src/platform/auth/passwords/password-import.test.ts
  "select encrypted_password from auth.users where email = $1": { values: [string]; row: { encrypted_password: string | null } };
  // src/platform/auth/passwords/password-reset.test.ts
  "update auth.one_time_tokens set expires_at = now() where user_id = $1": { values: [string]; row: Record<never, never> };
  "select count(*) from private.mails where recipient = $1": { values: [string]; row: { count: string } };
  // src/platform/auth/phones/phone-sign-up.test.ts
  "update auth.users set phone_confirmed_at = null where id = $1": { values: [string]; row: Record<never, never> };
  // src/platform/auth/providers/github-provider.test.ts
  "delete from auth.users where id in (select user_id from auth.identities where provider = 'github')": { values: []; row: Record<never, never> };
  // src/platform/auth/providers/id-token-grant.test.ts
  "insert into auth.users (email) values ($1)": { values: [string]; row: Record<never, never> };
  "update auth.users set banned_until = 'infinity' where id = $1": { values: [string]; row: Record<never, never> };
  "select provider from auth.identities where user_id = $1": { values: [string]; row: { provider: string } };
  "select 1 from pg_locks where locktype = 'advisory' and not granted\n             and ((classid::bigint << 32) | objid::bigint) = hashtextextended($1, 0)": { values: [string]; row: { "?column?": number } };
  "select 1 from auth.identities where provider_id = $1": { values: [string]; row: { "?column?": number } };
  // src/platform/auth/providers/identity-linking.test.ts
  "update auth.identities set identity_data = identity_data || jsonb_build_object('email', $1::text) where provider_id = 'taken-later'": { values: [string]; row: Record<never, never> };
  "insert into auth.identities (user_id, provider, provider_id, identity_data)\n     values ($1, 'github', 'left-over', '{\"sub\": \"left-over\"}')": { values: [string]; row: Record<never, never> };
  "select 1 from auth.identities where user_id = $1": { values: [string]; row: { "?column?": number } };
  // src/platform/auth/providers/provider-sign-in.test.ts
  "select 1 from auth.flow_state where provider_tokens is not null": { values: []; row: { "?column?": number } };
  "update auth.provider_flows set provider = 'gone'": { values: []; row: Record<never, never> };
  // src/platform/auth/saml/sso-provider-management.test.ts
  "insert into auth.used_assertions (hash, expires_at) values ('\\x01', now() - interval '1 day')": { values: []; row: Record<never, never> };
  "delete from private.periodic_rounds where task in ('metadata of identity providers', 'expired sign-in data')": { values: []; row: Record<never, never> };
  "select 1 from auth.used_assertions where hash = '\\x01'": { values: []; row: { "?column?": number } };
  // src/platform/auth/saml/sso-sign-in.test.ts
  "select 1 from auth.identities where provider_id = 'victim'": { values: []; row: { "?column?": number } };
  "select payload from auth.audit_log_entries where action = 'login_failed' and payload ->> 'provider' = $1": { values: [string]; row: { payload: JsonColumn<'auth.audit_log_entries.payload'> } };
  // src/platform/auth/sessions/session-list.test.ts
  "select extract(epoch from not_after - created_at)::int / 3600 as hours from auth.sessions": { values: []; row: { hours: number | null } };
  "update auth.sessions set not_after = now() - interval '1 second'": { values: []; row: Record<never, never> };
  // src/platform/auth/sessions/session-refresh.test.ts
  "update auth.sessions set refreshed_at = refreshed_at - interval '11 seconds'": { values: []; row: Record<never, never> };
  "select count(*) from auth.audit_log_entries where action = 'token_refreshed' and actor_id = $1": { values: [string]; row: { count: string } };
  "select payload from auth.audit_log_entries where action = 'token_revoked' and actor_id = $1": { values: [string]; row: { payload: JsonColumn<'auth.audit_log_entries.payload'> } };
  "select 1 from auth.sessions where user_id = $1 for update": { values: [string]; row: { "?column?": number } };
  "update auth.sessions set not_after = now() where user_id = $1": { values: [string]; row: Record<never, never> };
  "update auth.sessions set user_id = $2 where user_id = $1": { values: [string, string]; row: Record<never, never> };
  // src/platform/auth/sessions/sign-in.test.ts
  "select action, payload from auth.audit_log_entries where actor_id = $1 order by created_at": { values: [string]; row: { action: string; payload: JsonColumn<'auth.audit_log_entries.payload'> } };
  "update auth.audit_log_entries set action = 'login'": { values: []; row: Record<never, never> };
  // src/platform/auth/users/email-confirmation.test.ts
  "select email_confirmed_at, (select count(*) from auth.sessions s where s.user_id = u.id) as sessions from auth.users u where id = $1": { values: [string]; row: { email_confirmed_at: Date | null; sessions: string } };
  "update auth.flow_state set auth_code_hash = '\\x00' where user_id = (select id from auth.users where email = $1)": { values: [string]; row: Record<never, never> };
  "select id from private.mails where recipient = $1 and subject ~ 'Confirm'": { values: [string]; row: { id: string } };
  "select 1 from private.job where name = 'auth.mail' and data ->> 'kind' = 'resend' and data ->> 'email' = $1 and state <> 'completed'": { values: [string]; row: { "?column?": number } };
  // src/platform/auth/users/seeded-accounts.test.ts
  "select email, email_change from auth.users where email like 'seed%'": { values: []; row: { email: string; email_change: string | null } };
  // src/platform/auth/users/sign-up-anonymous.test.ts
  "update auth.users set created_at = now() - interval '40 days' where id = any ($1)": { values: [readonly (string | null)[]]; row: Record<never, never> };
  "update auth.sessions set updated_at = now() - interval '40 days' where user_id = $1": { values: [string]; row: Record<never, never> };
  "select id from auth.users where id = any ($1)": { values: [readonly (string | null)[]]; row: { id: string } };
  // src/platform/auth/users/user-update.test.ts
  "update auth.users set email_change = null where id = $1": { values: [string]; row: Record<never, never> };
  "select 1 from private.text_messages where recipient = $1": { values: [string]; row: { "?column?": number } };
  // src/platform/realtime/pub-sub.test.ts
  "select pg_terminate_backend(pid) from pg_stat_activity\n     where application_name = 'northline listen' and datname = current_database() and pid <> pg_backend_pid()": { values: []; row: { pg_terminate_backend: boolean | null } };
  // src/platform/rest/owner-tables.test.ts
  "select relname::text as name from pg_class\n      where relnamespace = 'public'::regnamespace and relkind in ('r', 'v', 'm', 'p', 'S')\n     union select proname::text from pg_proc where pronamespace = 'public'::regnamespace order by 1": { values: []; row: { name: string } };
  // src/platform/storage/objects/object-download.test.ts
  "update private.installation set value = 'another' where key = 'object_store'": { values: []; row: Record<never, never> };
  "update private.installation set value = $1 where key = 'object_store'": { values: [string]; row: Record<never, never> };
  // src/platform/storage/objects/object-move.test.ts
  "select owner from storage.objects where name = $1": { values: [string]; row: { owner: string | null } };
  "select private.storage_used_bytes($1) as bytes": { values: [string]; row: { bytes: string | null } };
  // src/platform/storage/service-replies.test.ts
  "select version from storage.objects where bucket_id = 'notes' and name = $1": { values: [string]; row: { version: string | null } };
  "select count(*)::int as open from private.uploads": { values: []; row: { open: number } };
  // src/platform/storage/uploads/aborted-uploads.test.ts
  "select private.begin_upload($1, 'user-uploads', 'x', null, $2, $2, interval '1 hour')": { values: [string, number | bigint | string]; row: { begin_upload: string | null } };
  "update private.uploads set expires_at = now()": { values: []; row: Record<never, never> };
  // src/platform/storage/uploads/object-upload.test.ts
  "insert into storage.objects (id, bucket_id, name, owner, version, metadata)\n       select gen_random_uuid(), 'user-uploads', $1::text || '/earlier', null, gen_random_uuid()::text, '{}'": { values: [string]; row: Record<never, never> };
  "select private.begin_upload(gen_random_uuid(), 'user-uploads', 'x', $1, $2, $2, interval '1 hour')": { values: [string, number | bigint | string]; row: { begin_upload: string | null } };
  "update public.customers set customer_id = $1::text where user_id = $2": { values: [string, string]; row: Record<never, never> };
  "insert into public.subscriptions (customer_id, subscription_id, price_id, tier, status)\n       values ($1, $1, 'price_courses_enterprise', 'enterprise', 'active')": { values: [string]; row: Record<never, never> };
  "select private.storage_limit_bytes($1) as limit": { values: [string]; row: { limit: string | null } };
  // src/platform/storage/uploads/resumable-routes.test.ts
  "select received from private.resumable_uploads where id = $1": { values: [string]; row: { received: string } };
  "select round(extract(epoch from expires_at - now()) / 3600)::int as hours from private.uploads where id = $1": { values: [string]; row: { hours: number } };
  "update private.uploads set expires_at = now() where id = $1": { values: [string]; row: Record<never, never> };
  // src/platform/storage/uploads/tus-client.test.ts
  "select count(*)::int as n from private.resumable_uploads": { values: []; row: { n: number } };
  "select count(*)::int as n from private.uploads": { values: []; row: { n: number } };
  "update private.uploads set expires_at = now() where id = (select id from private.uploads limit 1)": { values: []; row: Record<never, never> };
  // src/voice/api/analytics-routes.test.ts
  "insert into private.voice_records (kind, body, created_at) values ('call', $1, $2)": { values: [object | string, Date | string]; row: Record<never, never> };
  // src/voice/api/evaluation-routes.test.ts
  "select id from private.voice_records where kind = 'call'": { values: []; row: { id: string } };
  "select body, secrets from private.voice_eval_runs where id = $1": { values: [string]; row: { body: JsonColumn<'private.voice_eval_runs.body'>; secrets: string | null } };
  // src/voice/api/file-routes.test.ts
  "select (select count(*) from private.voice_passages where file_id = $1)\n          + (select count(*) from storage.objects where id = $1) as left": { values: [string]; row: { left: string } };
  "select state from private.job where name = 'index-voice-file' and data ->> 'fileId' = $1": { values: [string]; row: { state: string } };
  "update private.job set start_after = now() where name = 'index-voice-file' and state = 'retry'": { values: []; row: Record<never, never> };
  "select count(*) from private.uploads": { values: []; row: { count: string } };
  "select (select count(*) from private.uploads) + (select count(*) from storage.objects where bucket_id = 'voice-files') as count": { values: []; row: { count: string } };
  // src/voice/api/setting-warnings.test.ts
  "insert into private.voice_records (kind, body) values ('call', $1)": { values: [object | string]; row: Record<never, never> };
  // src/voice/api/voice-routes.test.ts
  "select secrets, body from private.voice_records where id = $1": { values: [string]; row: { secrets: string | null; body: JsonColumn<'private.voice_records.body'> } };
  "insert into private.voice_records (kind, body) values ('call', $1) returning id": { values: [object | string]; row: { id: string } };
  "insert into private.voice_call_logs (call_id, level, log) values ($1, 'INFO', 'first'), ($1, 'LOG', 'second')": { values: [string]; row: Record<never, never> };
  // src/voice/api/website.test.ts
  "select name, email, additional_notes from public.enquiries where id = $1": { values: [string]; row: { name: string; email: string; additional_notes: string | null } };
  // src/voice/calls/call-events.test.ts
  "select kind, subject_id from private.outbox_events where subject_id = any($1::uuid[])": { values: [readonly (string | null)[]]; row: { kind: string; subject_id: string } };
  // src/voice/calls/call-manager.test.ts
  "delete from private.voice_records where kind = 'call'": { values: []; row: Record<never, never> };
  "select kind, data from private.voice_evidence where call_id = $1 order by position": { values: [string]; row: { kind: 'begun' | 'disclosure' | 'consent' | 'turn' | 'ended' | 'deleted'; data: JsonColumn<'private.voice_evidence.data'> } };
  "delete from private.voice_evidence": { values: []; row: Record<never, never> };
  "update private.voice_records set body = body ||\n       '{\"status\": \"in-progress\", \"assistant\": {\"serverUrl\": \"http://127.0.0.1:9/calls\"}}' where id = $1": { values: [string]; row: Record<never, never> };
  "insert into private.voice_live_calls (call_id, worker, seen_at) values ($1, 'elsewhere 1 x', now() - interval '31 s')": { values: [string]; row: Record<never, never> };
  "update private.voice_records set created_at = now() - interval '91 s' where id = $1": { values: [string]; row: Record<never, never> };
  // src/voice/calls/record/daily-caps.test.ts
  "delete from private.voice_trial_costs": { values: []; row: Record<never, never> };
  "select kind, minutes, cost from private.voice_trial_costs order by id": { values: []; row: { kind: 'test' | 'preview' | 'transcript'; minutes: number; cost: number } };
  "update private.voice_trial_costs set cost = 0.1, minutes = 60": { values: []; row: Record<never, never> };
  // src/voice/console/assistants/assistant-editor.test.ts
  "select action from private.operator_audit where subject = $1 and actor is not null order by id": { values: [string]; row: { action: string } };
  "select version from private.voice_assistant_versions where assistant_id = $1": { values: [string]; row: { version: number } };
  "select secrets from private.voice_records where id = $1": { values: [string]; row: { secrets: string | null } };
  "select body from private.voice_assistant_versions where assistant_id = $1": { values: [string]; row: { body: JsonColumn<'private.voice_assistant_versions.body'> } };
  "insert into private.voice_records (kind, body, created_at)\n     select 'assistant', jsonb_build_object('name', 'Row ' || n), now() - n * interval '1 hour' from generate_series(1, 55) n": { values: []; row: Record<never, never> };
  // src/voice/console/call-list.test.ts
  "select from northline_app.live_call_words": { values: []; row: Record<never, never> };
  "update private.voice_live_calls set end_asked_at = now() where call_id = $1": { values: [string]; row: Record<never, never> };
  // src/voice/console/evaluations/assistant-tests.test.ts
  "select action from private.operator_audit where action like 'test.%' and actor is not null\n       and subject = any($1) order by id": { values: [readonly (string | null)[]]; row: { action: string } };
  // src/voice/console/playback/call-playback.test.ts
  "update private.voice_recordings set expires_at = now() - interval '1 s' where call_id = $1": { values: [string]; row: Record<never, never> };
  "update private.voice_recordings set video = null where call_id = $1": { values: [string]; row: Record<never, never> };
  "delete from storage.objects where bucket_id = 'voice-recordings' and starts_with(name, $1)": { values: [string]; row: Record<never, never> };
  "update private.voice_recordings set refused = 'entity_too_large' where call_id = $1": { values: [string]; row: Record<never, never> };
  "update private.voice_recordings set object_id = null, seconds = null, bytes = null where call_id = $1": { values: [string]; row: Record<never, never> };
  // src/voice/evaluations/rehearsal.test.ts
  "select id from public.enquiries": { values: []; row: { id: string } };
  // src/voice/recording/call-recording.test.ts
  "insert into private.voice_recordings (call_id, worker, expires_at) values ($1, $2, now() + interval '1 day')\n     on conflict (call_id) do update set worker = excluded.worker": { values: [string, string]; row: Record<never, never> };
  // src/voice/recording/video-recording.test.ts
  "select name from storage.objects where bucket_id = 'voice-recordings' and starts_with(name, $1) order by name": { values: [string]; row: { name: string } };
  "update private.voice_recordings set worker = $2 where call_id = $1": { values: [string, string]; row: Record<never, never> };
  "select bytes, refused from private.voice_recordings where call_id = $1": { values: [string]; row: { bytes: string | null; refused: string | null } };
  "select file_size_limit from storage.buckets where id = 'voice-recordings'": { values: []; row: { file_size_limit: string | null } };
  // src/voice/rooms/meeting-recording.test.ts
  "select body -> 'scenes' as scenes from private.voice_records where id = $1": { values: [string]; row: { scenes: unknown } };
  // src/voice/rooms/meeting-rooms.test.ts
  "select call_id from private.voice_recordings where call_id = $1": { values: [string]; row: { call_id: string } };
  "select worker from private.voice_open_rooms where room_id = $1": { values: [string]; row: { worker: string } };
  "select session_id from private.voice_room_leavings": { values: []; row: { session_id: string } };
  "select kind from private.voice_room_reports": { values: []; row: { kind: 'error' | 'network' | 'log' } };
  "insert into private.voice_open_rooms (room_id, worker) values ($1, 'elsewhere 1 x')": { values: [string]; row: Record<never, never> };
  "update private.voice_open_rooms set seen_at = now() - interval '31 s' where room_id = $1": { values: [string]; row: Record<never, never> };
  // src/voice/telephony/missed-calls.test.ts
  "select outcome from private.missed_calls where call_id = $1": { values: [string]; row: { outcome: string | null } };
  "select number from private.missed_calls where call_id = $1": { values: [string]; row: { number: string | null } };
  "insert into private.voice_records (kind, body) values ('phone-number', $1)": { values: [object | string]; row: Record<never, never> };
  "insert into northline_app.bookings (starts_at, minutes, name, phone, call_id, told_agency)\n     values (now() + interval '2 days', 30, 'Bo', $1, $2, 0)": { values: [string, string]; row: Record<never, never> };
  "insert into private.voice_records (kind, body) values ('assistant', '{\"missedCallPlan\": {\"enabled\": false}}')\n     returning id": { values: []; row: { id: string } };
  "update auth.users set phone = $2, phone_confirmed_at = now(), email_proven_at = now() where email = $1": { values: [string, string]; row: Record<never, never> };
  // src/voice/telephony/number-import.test.ts
  "select body::text || coalesce(secrets, $2) as secrets from private.voice_records where id = $1": { values: [string, string]; row: { secrets: string | null } };
  "update private.voice_records set body = body || '{\"status\":\"activating\"}', updated_at = now() - interval '1 hour'\n      where id = $1": { values: [string]; row: Record<never, never> };
  // src/voice/telephony/phone/incoming-call-limits.test.ts
  "update private.voice_callers set seen_at = now() - interval '31 seconds'": { values: []; row: Record<never, never> };
  "update private.voice_callers set ended_at = now()": { values: []; row: Record<never, never> };
  "update private.voice_callers set at = now() - interval '61 minutes'": { values: []; row: Record<never, never> };
  "update private.voice_callers set at = now() - interval '3 hours', ended_at = now()": { values: []; row: Record<never, never> };
  "select id from private.voice_callers": { values: []; row: { id: string } };
  "select id from private.voice_callers where ended_at is null and not told": { values: []; row: { id: string } };
  // tests/automation-examples.test.ts
  "select report::text as text from northline_app.analysis_reports where file_id = $1": { values: [string]; row: { text: string } };
  "select data from private.outbox_events where kind = 'document.analysis.completed' and target = 'crm' limit 1": { values: []; row: { data: JsonColumn<'private.outbox_events.data'> | null } };
  // tests/histories/check-history.ts
  "select private.lapse_credits(id, to_timestamp($2)) from public.customers where user_id = $1": { values: [string, number]; row: { lapse_credits: number | null } };
  "select s.subscription_id as id, s.status, s.price_id as price,\n       extract(epoch from s.current_period_start)::int as start, extract(epoch from s.current_period_end)::int as end,\n       s.cancel_at_period_end as cancel, s.pending_price_id as pending\n     from public.subscriptions s join public.customers c on c.customer_id = s.customer_id where c.user_id = $1": { values: [string]; row: { id: string; status: string; price: string; start: number | null; end: number | null; cancel: boolean; pending: string | null } };
  "select provider_price, price_id from private.payment_prices": { values: []; row: { provider_price: string; price_id: string } };
  "select id, status, total from private.payment_invoices where customer_id = any ($1)": { values: [readonly (string | null)[]]; row: { id: string; status: string; total: number } };
  "select t.invoice_id as id, t.amount as credits, g.to_take_back as back\n     from public.credit_transactions t join private.credit_grants g on g.id = t.id\n     join public.customers c on c.id = t.customer_row where c.user_id = $1 and t.invoice_id is not null": { values: [string]; row: { id: string; credits: number; back: number } };
  "select c.data ->> 'payment_intent' as payment /* not null */, (c.data ->> 'amount_refunded')::int + coalesce((\n         select sum((d.data ->> 'amount')::int) from private.provider_objects d\n         where d.kind = 'dispute' and d.data @> jsonb_build_object('charge', c.id) and d.data ->> 'status' <> 'won'), 0)::int as back /* not null */\n     from private.provider_objects c where c.kind = 'charge' and c.customer = any ($1)": { values: [readonly (string | null)[]]; row: { payment: string; back: number } };
  "select g.id from private.credit_grants g join public.customers c on c.id = g.customer_row where c.user_id = $1\n       and g.remaining > 0 and (extract(epoch from g.period_end) + $2 <= $3 or g.taken_back < g.to_take_back\n         or exists (select 1 from private.credit_grants n where n.subscription_id = g.subscription_id\n              and n.period_start >= g.period_end))": { values: [string, number | string, number | string]; row: { id: string } };
  "select e.id from private.payment_events e where e.handled_at is null\n       and (e.customer_id = any ($1)\n         or e.session_id in (select session_id from private.checkouts where customer_id = any ($1)))": { values: [readonly (string | null)[]]; row: { id: string } };
  // tests/histories/live-history.ts
  "insert into auth.users (id, email, email_confirmed_at) values ($1, $2, now())": { values: [string, string]; row: Record<never, never> };
  "insert into private.checkouts (session_id, price_id, started_by, secret_hash) values ($1, $2, $3, $4)": { values: [string, string, string, Uint8Array]; row: Record<never, never> };
  // tests/histories/money-and-credits.ts
  "select set_config('request.jwt.claims', '{\"role\":\"service_role\"}', true)": { values: []; row: { set_config: string } };
  "select public.use_credits($1, $2, $3)": { values: [string, number, string]; row: { use_credits: boolean | null } };
  "select id from public.credit_transactions where user_id = $1 and state = 'reserved' order by created_at, id": { values: [string]; row: { id: string } };
  "update public.credit_transactions set state = 'settled', expires_at = null where id = $1": { values: [string]; row: Record<never, never> };
  "select private.return_credit($1)": { values: [string]; row: { return_credit: boolean | null } };
  "select data from private.provider_events where data #>> '{data,object,customer}' = $1\n     order by position desc limit 12": { values: [string]; row: { data: JsonColumn<'private.provider_events.data'> } };
  // tests/journeys/account-keeping.test.ts
  "select body_text from private.mails where recipient = $1 and body_text like '%' || $2 || '%'": { values: [string, string]; row: { body_text: string } };
  // tests/journeys/account-picture.test.ts
  "select version /* not null */ from storage.objects where bucket_id = 'account-pictures' and owner = $1": { values: [string]; row: { version: string } };
  "select raw_user_meta_data as data from auth.users where id = $1": { values: [string]; row: { data: JsonColumn<'auth.users.raw_user_meta_data'> } };
  // tests/journeys/arrival-analysis.test.ts
  "insert into public.customers (user_id, credits) values ($1, 5)\n         on conflict (user_id) do update set credits = 5": { values: [string]; row: Record<never, never> };
  "select raw_user_meta_data ->> 'analyze_on_upload' as wish from auth.users where id = $1": { values: [string]; row: { wish: string | null } };
  // tests/journeys/booking-page.test.ts
  "delete from private.booking_requests": { values: []; row: Record<never, never> };
  // tests/journeys/broken-uploads.test.ts
  "insert into public.customers (user_id, credits) values ($1, $2)\n         on conflict (user_id) do update set credits = excluded.credits": { values: [string, number]; row: Record<never, never> };
  "select received from private.resumable_uploads join private.uploads using (id) where user_id = $1": { values: [string]; row: { received: string } };
  "select id from private.resumable_uploads where writer is not null": { values: []; row: { id: string } };
  "select o.metadata ->> 'eTag' as hash from public.user_files f join storage.objects o on o.name = f.file_path\n      where f.user_id = $1": { values: [string]; row: { hash: string | null } };
  // tests/journeys/browser-notices.test.ts
  "update private.push_subscriptions set paused_at = now() where endpoint = $1": { values: [string]; row: Record<never, never> };
  "select count(*)::int as browsers from private.push_subscriptions where user_id = $1": { values: [string]; row: { browsers: number } };
  // tests/journeys/course-customer.test.ts
  "with customer as (\n       insert into public.customers (user_id, customer_id, credits) values ($1::uuid, 'cus_' || $1::text, 3)\n       on conflict (user_id) do update set customer_id = excluded.customer_id, credits = 3 returning id, customer_id),\n     granted as (\n       insert into public.credit_transactions (user_id, customer_row, amount, kind) select $1::uuid, id, 3, 'grant' from customer)\n     insert into public.subscriptions\n       (customer_id, subscription_id, price_id, tier, status, current_period_start, current_period_end)\n     select customer_id, 'sub_' || $1::text, 'price_courses_essential', 'essential', 'active', now() - interval '7 days',\n            now() + interval '21 days' from customer": { values: [string]; row: Record<never, never> };
  "update northline_app.course_uploads set created_at = now() - interval '8 days'": { values: []; row: Record<never, never> };
  "select position from northline_app.course_lessons where title = 'Welcome'": { values: []; row: { position: number } };
  // tests/journeys/customer-console.test.ts
  "insert into public.enquiries (id, name, email, phone, enquiry_type, additional_notes, address_hash, text_hash)\n     values ('ENQ-1-' || substr(md5($1), 1, 6), 'Priya Shah', $1, '020 7946 0018', 'App Builder', 'Two offices, one switchboard.', 'a', 't')": { values: [string]; row: Record<never, never> };
  "update auth.users set raw_user_meta_data = raw_user_meta_data || jsonb_build_object('full_name', $2::text) where id = $1": { values: [string, string]; row: Record<never, never> };
  "insert into public.enquiries (id, name, email, enquiry_type, address_hash, text_hash, due_at)\n           values ($1, $2, 'v@example.com', 'App Builder', 'a', 't', now() + make_interval(hours => $3))": { values: [string, string, number]; row: Record<never, never> };
  "update public.enquiries set replied_at = now() where id = 'ENQ-1-key'": { values: []; row: Record<never, never> };
  // tests/journeys/documents-by-mail.test.ts
  "select private.correct_credits((select id from public.customers where user_id = $1), 9, 'for a test')": { values: [string]; row: { correct_credits: string | null } };
  // tests/journeys/documents.soak.test.ts
  "insert into public.customers (user_id, credits) values ($1, 20)\n         on conflict (user_id) do update set credits = 20": { values: [string]; row: Record<never, never> };
  "select id, file_name, status from public.user_files where user_id = $1 and deleted_at is null": { values: [string]; row: { id: string; file_name: string; status: 'uploaded' | 'queued' | 'analyzing' | 'analyzed' | 'failed' | 'needs_password' } };
  // tests/journeys/enquiries-and-news.test.ts
  "insert into public.news_posts (title, content, url, published_at)\n         values ('The line is open', 'Trains run again.', '/', now())": { values: []; row: Record<never, never> };
  // tests/journeys/error-texts.test.ts
  "update public.user_files set status = 'analyzed' where id = $1": { values: [string]; row: Record<never, never> };
  "with customer as (\n           update public.customers set credits = 0, customer_id = 'cus_' || user_id::text where user_id = $1\n           returning customer_id)\n         insert into public.subscriptions\n           (customer_id, subscription_id, price_id, tier, status, current_period_start, current_period_end)\n         select customer_id, 'sub_' || customer_id, 'price_documents_pro', 'pro', 'active', now(),\n                now() + interval '1 month' from customer": { values: [string]; row: Record<never, never> };
  // tests/journeys/file-previews.test.ts
  "insert into public.customers (user_id, credits) values ($1, 10)\n     on conflict (user_id) do update set credits = 10": { values: [string]; row: Record<never, never> };
  // tests/journeys/main-journey.test.ts
  "delete from storage.objects where name like '%supplier-terms.docx'": { values: []; row: Record<never, never> };
  // tests/journeys/many-files.test.ts
  "insert into public.user_files (user_id, file_path, file_name, file_size, mime_type, created_at)\n       select $1::uuid, $1 || '/' || n, 'Letter ' || n || '.pdf', n, 'application/pdf', now() - n * interval '1 hour'\n       from generate_series(1, $2::integer) n": { values: [string, number]; row: Record<never, never> };
  // tests/journeys/meeting-console.test.ts
  "update private.voice_recordings set worker = $2, refused = case when $3 = 'refused' then 'EntityTooLarge' end,\n              video = case when $3 = 'sound only' then null else video end\n        where call_id = $1": { values: [string, string, string]; row: Record<never, never> };
  "update private.voice_records set body = body || '{\"room_name\": \"empty\"}' where id = $1": { values: [string]; row: Record<never, never> };
  "insert into private.voice_records (kind, body) select kind, body || '{\"room_name\": \"nothing\"}' from private.voice_records where id = $1": { values: [string]; row: Record<never, never> };
  "update private.voice_records set body = body || '{\"room_name\": \"seen\"}' where id = $1": { values: [string]; row: Record<never, never> };
  // tests/journeys/messages.test.ts
  "insert into public.customers (user_id, credits) values ($1, 2)\n     on conflict (user_id) do update set credits = 2": { values: [string]; row: Record<never, never> };
  // tests/journeys/narrow-screens.test.ts
  "insert into public.customers (user_id, credits) values ($1, 9)\n         on conflict (user_id) do update set credits = 9": { values: [string]; row: Record<never, never> };
  // tests/journeys/operator-console.test.ts
  "insert into public.enquiries (id, name, email, phone, company_name, website, enquiry_type, additional_notes,\n         suspect_reasons, address_hash, text_hash, created_at, due_at)\n       values ($1, $2, 'visitor@example.com', '+44 20 7946 0000', 'Shah & Sons', 'https://shah.example/', $3, $4, $5, 'a', 't',\n         now() - make_interval(mins => $6), now() - make_interval(mins => $6) + interval '24 hours')": { values: [string, string, string, string, readonly (string | null)[], number]; row: Record<never, never> };
  "insert into private.mail_suppressions (address, reason, source, detail)\n     values ('gone@example.com', 'bounce', 'smtp', '550 5.1.1 No such user here')": { values: []; row: Record<never, never> };
  "insert into public.customers (user_id, credits) values ($1, 24)\n     on conflict (user_id) do update set credits = 24 returning id": { values: [string]; row: { id: string } };
  "insert into public.credit_transactions (user_id, customer_row, amount, kind, description, state, created_at) values\n     ($1, $2, 25, 'grant', 'Basic, November', 'settled', now() - interval '2 days'),\n     ($1, $2, -1, 'spend', 'Document Analysis', 'settled', now() - interval '1 day')": { values: [string, string]; row: Record<never, never> };
  "insert into northline_app.bookings (starts_at, minutes, name, phone) values (now() + interval '2 days', 20, 'Ms Lindqvist', '+44 20 7946 0018')": { values: []; row: Record<never, never> };
  "insert into northline_app.messages (user_id, from_agency, body) values ($1, false, 'Is the draft ready?')": { values: [string]; row: Record<never, never> };
  "with object as (\n       insert into storage.objects (bucket_id, name, version) values ('course-videos', 'x/1.mp4', 'x') returning id),\n     course as (\n       insert into northline_app.courses (user_id, title, position) values ($1, 'Contracts', 1) returning id)\n     insert into northline_app.course_lessons\n       (user_id, object_id, course_id, file_path, file_name, file_size, mime_type, duration_seconds, title, position)\n     select $1, object.id, course.id, 'x/1.mp4', 'one.mp4', 5000000, 'video/mp4', 754, 'How to read a contract', 1\n       from object, course": { values: [string]; row: Record<never, never> };
  "insert into northline_app.bookings (starts_at, minutes, name, phone)\n       select now() + make_interval(days => n), 30, 'Caller ' || n, '02079460018' from generate_series(1, 60) n": { values: []; row: Record<never, never> };
  "select suspect_reasons, proof_hash from public.enquiries where name = 'Ada Byron'": { values: []; row: { suspect_reasons: string[]; proof_hash: string | null } };
  // tests/journeys/phone-console.soak.test.ts
  "insert into private.voice_records (kind, body) values ('call', '{\"type\": \"webCall\", \"status\": \"in-progress\"}')\n       returning id": { values: []; row: { id: string } };
  "insert into private.voice_live_calls (call_id, worker, seen_at) values ($1, 'elsewhere 1 x', now() + interval '1 hour')": { values: [string]; row: Record<never, never> };
  "delete from private.voice_records where id = $1": { values: [string]; row: Record<never, never> };
  "select id from private.voice_records where id = $1": { values: [string]; row: { id: string } };
  // tests/journeys/report-page.test.ts
  "update public.user_files set status = 'queued', progress = 0, waits_until = now() + interval '10 minutes' where id = $1": { values: [string]; row: Record<never, never> };
  // tests/journeys/spoken-calls.soak.test.ts
  "select name, email, enquiry_type, additional_notes from public.enquiries": { values: []; row: { name: string; email: string; enquiry_type: string; additional_notes: string | null } };
  "select name, phone, minutes, to_char(starts_at at time zone 'Europe/London', 'FMDay HH24:MI') as at\n           from northline_app.bookings": { values: []; row: { name: string; phone: string; minutes: number; at: string } };
  // tests/journeys/subscription-life.test.ts
  "select s.current_period_end as \"end\" /* not null */ from public.subscriptions s\n     join public.customers c using (customer_id) where c.user_id = $1": { values: [string]; row: { end: Date } };
  // tests/journeys/takeover-console.test.ts
  "update private.voice_records set body = body || $2 where id = $1": { values: [string, object | string]; row: Record<never, never> };
  "update private.voice_recordings set started_at = to_timestamp($2::float8 / 1000) where call_id = $1": { values: [string, number]; row: Record<never, never> };
  // tests/journeys/team.test.ts
  "select user_id from northline_app.team_members": { values: []; row: { user_id: string } };
  "select file_id from northline_app.team_files": { values: []; row: { file_id: string } };
  "insert into northline_app.team_files (file_id, team_id, shared_by)\n         select $1, team_id, user_id from northline_app.team_members where user_id = $2": { values: [string, string]; row: Record<never, never> };
  "update auth.users set raw_user_meta_data = '{}' where id = $1": { values: [string]; row: Record<never, never> };
  // tests/journeys/test-now.test.ts
  "select name, email, additional_notes from public.enquiries": { values: []; row: { name: string; email: string; additional_notes: string | null } };
  "select body from private.voice_records where kind = 'call'": { values: []; row: { body: JsonColumn<'private.voice_records.body'> } };
  // tests/mail-languages.test.ts
  "update auth.users set raw_user_meta_data = raw_user_meta_data || '{\"locale\": \"de\"}' where id = $1": { values: [string]; row: Record<never, never> };
  "select private.write_message($1, true, 'Hello.', '{}')": { values: [string]; row: { write_message: string | null } };
  "update northline_app.messages set sent_at = now() - interval '2 minutes' where user_id = $1": { values: [string]; row: Record<never, never> };
  "update private.message_notes n set told_at = now() - interval '1 hour' from northline_app.messages m\n        where m.id = n.message_id and m.user_id = $1 and n.told_at is not null": { values: [string]; row: Record<never, never> };
  "insert into private.analyses (file_id, user_id, target, state, deadline_at, finished_at, context)\n     values ($1, $2, 'embedded', 'completed', now() + interval '1 hour', now(), '{}')": { values: [string, string]; row: Record<never, never> };
  "select private.write_message($1, true, 'Guten Tag.', '{}')": { values: [string]; row: { write_message: string | null } };
  "insert into northline_app.bookings (id, starts_at, minutes, name, phone, email, confirmed_by)\n     values ($1, '2099-03-03T15:30:00Z', 30, 'A', '+447400123456', $2, 'mail')": { values: [string, string]; row: Record<never, never> };
  "update northline_app.bookings set state = 'cancelled', changes = 1, changed_by = 'link' where id = $1": { values: [string]; row: Record<never, never> };
  // tests/month/account-steps.ts
  "update auth.mfa_factors set last_step = last_step - 10 where user_id = $1 and last_step is not null": { values: [string]; row: Record<never, never> };
  "select u.email_proven_at is not null as proven /* not null */, c.customer_id from auth.users u\n       left join public.customers c on c.user_id = u.id where u.id = $1": { values: [string]; row: { proven: boolean; customer_id: string | null } };
  "select table_name from private.personal_data where on_erasure = 'kept'": { values: []; row: { table_name: string } };
  // tests/month/agency-steps.ts
  "select email_proven_at from auth.users where id = $1": { values: [string]; row: { email_proven_at: Date | null } };
  // tests/month/invariants.ts
  "select (select customer_id from public.customers where user_id = $1) as customer,\n              coalesce((select credits from public.customers where user_id = $1), 0) as credits /* not null */,\n              private.storage_limit_bytes($1)::float8 as limit /* not null */, private.storage_used_bytes($1)::float8 as used /* not null */": { values: [string]; row: { customer: string | null; credits: number; limit: number; used: number } };
  "select 'a file without its object' as what /* not null */, f.id::text as id /* not null */ from public.user_files f\n        where f.user_id = any ($1) and not exists (\n          select from storage.objects o where o.bucket_id = 'user-uploads' and o.name = f.file_path)\n       union all select 'an object without its record', o.name from storage.objects o\n        where o.owner = any ($1) and o.bucket_id = 'user-uploads'\n          and not exists (select from public.user_files f where f.file_path = o.name)\n       union all select 'a state that the reports do not agree with', f.id::text from public.user_files f\n        where f.user_id = any ($1) and (f.status = 'analyzed') <> exists (\n          select from northline_app.analysis_reports r where r.file_id = f.id)\n       union all select 'a credit that is under way', t.id::text from public.credit_transactions t\n        where t.user_id = any ($1) and t.state in ('reserved', 'claimed', 'stored')": { values: [readonly (string | null)[]]; row: { what: string; id: string } };
  // tests/month/world.ts
  "delete from private.provider_state where key = 'clock'": { values: []; row: Record<never, never> };
  "update private.provider_objects set due_at = null where due_at is not null": { values: []; row: Record<never, never> };
  "update private.customers_to_end set done_at = now() where done_at is null": { values: []; row: Record<never, never> };
  "select (select count(*) from private.provider_events where delivered_at is null)::int\n              + (select count(*) from private.payment_events where handled_at is null)::int as open /* not null */": { values: []; row: { open: number } };
  "select id, subject, body_text from private.mails where lower(recipient) = lower($1)\n        order by created_at desc limit 20": { values: [string]; row: { id: string; subject: string; body_text: string } };
  // tests/payments/api-routes.test.ts
  "select status, price_id from public.subscriptions where subscription_id = $1": { values: [string]; row: { status: string; price_id: string } };
  // tests/payments/other-currencies.test.ts
  "select subject, to_jsonb(m)::text as whole from private.mails m": { values: []; row: { subject: string; whole: string } };
  // tests/payments/vat-invoices.test.ts
  "select 1 from pg_stat_activity\n            where datname = current_database() and wait_event_type = 'Lock' and query like '%provider_objects%'": { values: []; row: { "?column?": number } };
  // tests/security/account-enumeration.soak.test.ts
  "update auth.users set email_confirmed_at = now() where email = $1": { values: [string]; row: Record<never, never> };
  // tests/security/log-secrets.test.ts
  "select log from private.voice_call_logs": { values: []; row: { log: string } };
  // tests/security/money-attacks.test.ts
  "select data from private.provider_events": { values: []; row: { data: JsonColumn<'private.provider_events.data'> } };
  "select * from private.unexplained_balances": { values: []; row: { customer_row: string; credits: number; ledger: number; grants: number } };
  // tests/security/request-attacks.test.ts
  "select 1 from storage.objects where bucket_id = 'user-uploads'": { values: []; row: { "?column?": number } };
  // tests/security/roles-and-routes.test.ts
  "select c.relname as name,\n            c.relrowsecurity or coalesce(array_to_string(c.reloptions, ',') like '%security_invoker=true%', false) as guarded,\n            has_table_privilege('anon', c.oid, 'select') as anon,\n            has_table_privilege('authenticated', c.oid, 'select') or has_any_column_privilege('authenticated', c.oid, 'select') as user\n     from pg_class c where c.relnamespace in ('public'::regnamespace, 'northline_app'::regnamespace) and c.relkind in ('r', 'v', 'm', 'p') order by 1": { values: []; row: { name: string; guarded: boolean; anon: boolean | null; user: boolean | null } };
  "select distinct c.relname as name from pg_class c\n     where c.relnamespace in ('public'::regnamespace, 'northline_app'::regnamespace) and c.relkind in ('r', 'p', 'v')\n       and has_table_privilege('anon', c.oid, 'insert, update, delete, truncate')": { values: []; row: { name: string } };
  "insert into public.customers (user_id, credits) values ($1, 7) on conflict (user_id) do update set credits = 7": { values: [string]; row: Record<never, never> };
  // tests/security/second-factor.test.ts
  "insert into public.customers (user_id, credits, customer_id) values ($1, 5, $2)": { values: [string, string]; row: Record<never, never> };
  "insert into public.subscriptions (customer_id, subscription_id, price_id, tier, status)\n     values ($1, $1, 'price_documents_pro', 'Pro', 'active')": { values: [string]; row: Record<never, never> };
  "insert into northline_app.analysis_reports (file_id, user_id, analysis_id, report, blocks)\n     select id, user_id, id, '{}', '[]' from public.user_files where user_id = $1": { values: [string]; row: Record<never, never> };
  // tests/security/voice-attacks.test.ts
  "insert into public.enquiries (id, name, email, phone, enquiry_type, additional_notes, address_hash, text_hash)\n       values ('ENQ-1-other', $1, 'w@other.example', $2, 'Website Builder', $3, 'none', 'none')": { values: [string, string, string]; row: Record<never, never> };
  "select name from public.enquiries where id <> 'ENQ-1-other'": { values: []; row: { name: string } };
  "select phone from northline_app.bookings": { values: []; row: { phone: string } };
  // tests/support/auth/authenticator.ts
  "update auth.mfa_factors set last_step = last_step - 10": { values: []; row: Record<never, never> };
  // tests/support/customers/analysis-customer.ts
  "insert into public.customers (user_id, credits) values ($1, 50)\n     on conflict (user_id) do update set credits = 50": { values: [string]; row: Record<never, never> };
  "select status, progress, status_reason, analyzed, analyzed_url from public.user_files where id = $1": { values: [string]; row: { status: 'uploaded' | 'queued' | 'analyzing' | 'analyzed' | 'failed' | 'needs_password'; progress: number | null; status_reason: string | null; analyzed: boolean; analyzed_url: string | null } };
  "select report, blocks from northline_app.analysis_reports where file_id = $1": { values: [string]; row: { report: JsonColumn<'northline_app.analysis_reports.report'>; blocks: JsonColumn<'northline_app.analysis_reports.blocks'> } };
  // tests/support/customers/plan-purchase.ts
  "select (select count(*)::int from private.provider_events where delivered_at is null) as sent,\n                  (select count(*)::int from private.payment_events where handled_at is null) as worked": { values: []; row: { sent: number; worked: number } };
  "select credits from public.customers": { values: []; row: { credits: number } };
  "select * from public.user_subscription": { values: []; row: { tier: string; subscription_status: string; price_id: string; current_period_start: string | null; current_period_end: string | null; cancel_at_period_end: boolean; payment_method_brand: string | null; payment_method_last4: string | null; course_uploads_used: number; document_pages_used: number; video_minutes_used: number } };
  // tests/support/customers/push-browser.ts
  "with session as (insert into auth.sessions (user_id) values ($1) returning id)\n     insert into private.push_subscriptions (user_id, session_id, endpoint, public_key, auth_secret, server_key)\n     select $1::uuid, id, $2, $3::bytea, $4::bytea, $5 from session": { values: [string, string, Uint8Array, Uint8Array, string]; row: Record<never, never> };
  // tests/support/customers/stored-report.ts
  "insert into private.analyses (file_id, user_id, target, deadline_at, state)\n       values ($1, $2, 'embedded', now() + interval '1 hour', 'sent') returning id": { values: [string, string]; row: { id: string } };
  // tests/support/customers/uploading-customer.ts
  "insert into auth.users (id, email) values ($1, $2)": { values: [string, string]; row: Record<never, never> };
  "with customer as (insert into public.customers (user_id, credits) values ($1, $2) returning id)\n     insert into public.credit_transactions (user_id, customer_row, amount, kind)\n     select $1, id, $2, 'grant' from customer": { values: [string, number]; row: Record<never, never> };
  "select state from public.credit_transactions where user_id = $1 and kind = 'spend' order by created_at": { values: [string]; row: { state: 'reserved' | 'claimed' | 'stored' | 'settled' | 'returned' } };
  // tests/support/voice/recordings/left-recording.ts
  "insert into private.voice_recordings (call_id, worker, expires_at, video)\n     values ($1, $2, now() + interval '1 day', 'recorded')": { values: [string, string]; row: Record<never, never> };
  "insert into private.voice_records (id, kind, body) values ($1, 'recording', $2)": { values: [string, object | string]; row: Record<never, never> };
  }
}
