import { createClient, type SupabaseClient, type SupabaseClientOptions } from '@supabase/supabase-js';
import { type RecordedCall, record, spreadFetch } from './record-calls.ts';

/** A case: the call as a reader would write it, what it does, and which of its data to show. */
export type Call = readonly [
  call: string,
  run: () => PromiseLike<unknown>,
  // biome-ignore lint/suspicious/noExplicitAny: what it is depends on the call
  shows?: (data: any) => string | number | boolean | undefined,
];

/** Where a run of the cases finds the product. */
export interface Place {
  /** Addresses of the processes; requests go to them in turn. */
  readonly origins: readonly string[];
  readonly anonKey: string;
  readonly serviceKey: string;
  /** The identity provider beside the product; its `/test-token` returns an ID token for a new person. */
  readonly issuer: string;
}

/** What the cases of every service share. Runs in Node and in a page. */
export interface World extends Place {
  readonly visitor: SupabaseClient;
  readonly user: SupabaseClient;
  readonly service: SupabaseClient;
  /** Address of the account that `user` signs up. */
  readonly email: string;
  /** A client of its own; `home` chooses the process for its socket. */
  connect(key?: string, home?: number, auth?: SupabaseClientOptions<'public'>['auth']): SupabaseClient;
  /** Runs the cases one after another and records them. */
  make(service: string, caller: string, calls: readonly Call[]): Promise<void>;
}

/** Accepted by every rule. */
export const PASSWORD = 'quiet harbour lantern 42';

/** An address without an account. */
export const newEmail = (): string => `person-${crypto.randomUUID()}@customers.example`;

/** Opens the clients for one run; `calls` receives the results. */
export function openWorld(place: Place, calls: RecordedCall[]): World & { close(): Promise<void> } {
  const opened: SupabaseClient[] = [];
  const spread = spreadFetch(place.origins);
  const connect: World['connect'] = (key = place.anonKey, home = 0, auth = {}) => {
    const client = createClient(place.origins[home % place.origins.length] ?? '', key, {
      auth: {
        persistSession: false,
        autoRefreshToken: false,
        detectSessionInUrl: false,
        storageKey: newEmail(),
        ...auth,
      },
      global: { fetch: spread },
    });
    opened.push(client);
    return client;
  };
  return {
    ...place,
    connect,
    visitor: connect(),
    user: connect(),
    service: connect(place.serviceKey),
    email: newEmail(),
    async make(service, caller, list) {
      for (const [name, run, shows] of list) calls.push(await record([service, caller, name], run, shows));
    },
    async close() {
      await Promise.all(opened.map((client) => client.realtime.disconnect()));
    },
  };
}
