import type { ProviderObject } from './provider-store.ts';

/** The JSON columns of the provider's tables, and what it writes there. */
export interface JsonColumns {
  'private.provider_objects.data': ProviderObject;
  'private.provider_objects.hidden': Record<string, unknown>;
  'private.provider_events.data': ProviderObject;
  'private.provider_idempotency_keys.body': object;
}

/** The type of a JSON column; `unknown` for one whose content depends on its row. */
export type JsonColumn<Name extends string> = Name extends keyof JsonColumns ? JsonColumns[Name] : unknown;
