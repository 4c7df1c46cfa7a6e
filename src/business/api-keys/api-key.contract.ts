import type { ApiRight } from '../../kernel/contract/api-rights.ts';

/** The functions for the owner of keys. */
export const API_KEY_FUNCTIONS = {
  list: '/functions/v1/api-keys',
  create: '/functions/v1/create-api-key',
  end: '/functions/v1/end-api-key',
} as const;

/** For how many days a key can be valid. */
export const KEY_DAYS = [7, 30, 90, 365] as const;
/** Longest name of a key, characters. */
export const KEY_NAME_LENGTH = 60;
/** Most valid keys of one account. */
export const MOST_KEYS = 20;

/** An API key as its owner sees it; times are ISO 8601. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  /** The last four characters of the key. */
  readonly hint: string;
  readonly rights: readonly ApiRight[];
  readonly created_at: string;
  readonly expires_at: string;
  /** Within five minutes; null if it was never used. */
  readonly last_used_at: string | null;
  readonly ended_at: string | null;
  readonly ended_by: 'owner' | 'operator' | 'command line' | 'restore' | null;
}

/** `GET api-keys`: the caller's keys, newest first, and the rights that a new one may have. */
export interface ApiKeyList {
  readonly keys: readonly ApiKey[];
  readonly rights: readonly ApiRight[];
  /** The address of the MCP server. */
  readonly mcp: string;
}

/** Answer of `create-api-key`: the only time that the key itself is shown. */
export interface CreatedApiKey {
  readonly key: string;
  readonly made: ApiKey;
}

/** A row of `GET operator-api-keys`. */
export interface ConsoleApiKey extends ApiKey {
  readonly user_id: string;
  readonly email: string | null;
  readonly is_mine: boolean;
}

/** `GET operator-api-keys?q=&after=`: the keys of all accounts, newest first; `next` goes into `after`. */
export interface ConsoleApiKeyPage {
  readonly rows: readonly ConsoleApiKey[];
  readonly next: string | null;
}
