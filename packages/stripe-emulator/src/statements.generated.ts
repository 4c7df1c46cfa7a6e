// Written by `npm run docs` from the statements in the sources and the schema in migrations/: do not edit.
import type { JsonColumn } from './json-columns.ts';

/** Every statement of the provider with the values that it takes and the rows that it returns. */
export interface Statements {
  // packages/stripe-emulator/src/api/api-replies.ts
  "select data from private.provider_events where id = $1": { values: [string]; row: { data: JsonColumn<'private.provider_events.data'> } };
  "select data from private.provider_events where ($1::text is null or type = $1)\n         and ($2::text is null or position < (select position from private.provider_events where id = $2))\n       order by position desc limit $3": { values: [string, string, number | bigint | string]; row: { data: JsonColumn<'private.provider_events.data'> } };
  // packages/stripe-emulator/src/api/api-routes.ts
  "select pg_advisory_xact_lock(hashtextextended('idempotency ' || $1, 0))": { values: [string]; row: { pg_advisory_xact_lock: string | null } };
  "select fingerprint, status, body from private.provider_idempotency_keys where key = $1": { values: [string]; row: { fingerprint: Buffer; status: number; body: JsonColumn<'private.provider_idempotency_keys.body'> } };
  "insert into private.provider_idempotency_keys (key, fingerprint, status, body) values ($1, $2, 200, $3)": { values: [string, Uint8Array, object | string]; row: Record<never, never> };
  // packages/stripe-emulator/src/api/object-expansion.ts
  "select data from private.provider_objects where id = $1": { values: [string]; row: { data: JsonColumn<'private.provider_objects.data'> } };
  // packages/stripe-emulator/src/api/tax-id-replies.ts
  "delete from private.provider_objects where id = $1": { values: [string]; row: Record<never, never> };
  // packages/stripe-emulator/src/api/test-helper-replies.ts
  "delete from private.provider_objects where id = $1 or data ->> 'test_clock' = $1\n         or customer in (select id from private.provider_objects where kind = 'customer' and data ->> 'test_clock' = $1)": { values: [string]; row: Record<never, never> };
  "delete from private.provider_state where key = $1": { values: [string]; row: Record<never, never> };
  "insert into private.provider_state (key, value) values ($1, $2)\n     on conflict (key) do update set value = excluded.value": { values: [string, object | string]; row: Record<never, never> };
  // packages/stripe-emulator/src/ledger/event-delivery.ts
  "update private.provider_events set attempts = attempts + 1 where id = $1 and copies > 0 returning data": { values: [string]; row: { data: JsonColumn<'private.provider_events.data'> } };
  "update private.provider_events set copies = copies - 1,\n           delivered_at = case when copies = 1 then now() else delivered_at end where id = $1": { values: [string]; row: Record<never, never> };
  // packages/stripe-emulator/src/ledger/event-record.ts
  "insert into private.provider_events (id, type, data, delivered_at)\n     values ($1, $2, $3, case when $4 then null else now() end)\n     returning position, (select value from private.provider_state where key = $5) as mischief": { values: [string, string, object | string, boolean, string]; row: { position: string; mischief: unknown } };
  "update private.provider_events set copies = $2 where id = $1": { values: [string, number]; row: Record<never, never> };
  // packages/stripe-emulator/src/ledger/invoice-issue.ts
  "select count(*)::int as count from private.provider_objects where kind = 'invoice' and customer = $1": { values: [string]; row: { count: number } };
  // packages/stripe-emulator/src/ledger/payment-retries.ts
  "select value from private.provider_state where key = $1": { values: [string]; row: { value: JsonColumn<'private.provider_state.value'> } };
  // packages/stripe-emulator/src/ledger/renewal-round.ts
  "select id, kind, due_at from private.provider_objects\n       where due_at <= $1 and ($2::text is null or customer = $2)\n         and (case when $3::text is null then $2::text is not null or data ->> 'test_clock' is null\n              else data ->> 'test_clock' = $3 end)\n       order by due_at, position limit 1": { values: [number | bigint | string, string, string]; row: { id: string; kind: string; due_at: string } };
  // packages/stripe-emulator/src/object-shapes.ts
  "insert into private.provider_objects (id, kind, data)\n     select o ->> 'id', o ->> 'object', o from jsonb_array_elements($1::jsonb) with ordinality as t (o, n)\n     order by n on conflict (id) do nothing": { values: [object | string]; row: Record<never, never> };
  // packages/stripe-emulator/src/pages/pay-page.ts
  "select hidden -> 'pending' as pending from private.provider_objects where id = $1": { values: [string]; row: { pending: unknown } };
  // packages/stripe-emulator/src/provider-clock.ts
  "select (value ->> 'ahead')::int as ahead from private.provider_state where key = $1": { values: [string]; row: { ahead: number | null } };
  "insert into private.provider_state as s (key, value) values ($1, jsonb_build_object('ahead', $2::int))\n     on conflict (key) do update set value = jsonb_build_object('ahead', (s.value ->> 'ahead')::int + $2::int)": { values: [string, number]; row: Record<never, never> };
  // packages/stripe-emulator/src/provider-routes.ts
  "delete from private.provider_idempotency_keys where created_at < now() - interval '24 hours'": { values: []; row: Record<never, never> };
  // packages/stripe-emulator/src/provider-store.ts
  "insert into private.provider_objects (id, kind, customer, data, hidden, due_at) values ($1, $2, $3, $4, $5, $6)": { values: [string, string, string, object | string, object | string, number | bigint | string]; row: Record<never, never> };
  "insert into private.provider_objects (id, kind, customer, data, hidden) values ($1, $2, $3, $4, '{}')\n     on conflict (id) do nothing": { values: [string, string, string, object | string]; row: Record<never, never> };
  "update private.provider_objects set data = $2, customer = $3, hidden = coalesce($4::jsonb, hidden), due_at = $5\n     where id = $1": { values: [string, object | string, string, object | string, number | bigint | string]; row: Record<never, never> };
  "select data from private.provider_objects where id = $1 and kind = $2": { values: [string, string]; row: { data: JsonColumn<'private.provider_objects.data'> } };
  "select data, hidden from private.provider_objects where id = $1 and kind = $2 for update": { values: [string, string]; row: { data: JsonColumn<'private.provider_objects.data'>; hidden: JsonColumn<'private.provider_objects.hidden'> } };
  "select data from private.provider_objects\n     where kind = $1 and ($2::text is null or customer = $2) and data @> $3::jsonb\n       and ($4::text is null or position < (select position from private.provider_objects where id = $4))\n     order by position desc limit $5": { values: [string, string, object | string, string, number | bigint | string]; row: { data: JsonColumn<'private.provider_objects.data'> } };
}
