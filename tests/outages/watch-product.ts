import { setTimeout as pause } from 'node:timers/promises';
import { createClient, type RealtimeChannel, type SupabaseClient } from '@supabase/supabase-js';
import type { OutageWorld } from './outage-world.ts';

const PASSWORD = 'A-long-password-of-an-outage-77';
const PROBE_PAUSE_MS = 50;
/** A probe without a reply by then counts as unanswered. */
const PROBE_PATIENCE_MS = 30_000;

/** The replies of `/livez` and `/readyz` during the watch. */
export interface Probes {
  /** Milliseconds that each reply of `/livez` took. */
  readonly latencies: readonly number[];
  /** Failures of `/livez`. */
  readonly failures: readonly string[];
  /** The latest status of `/readyz`. */
  readiness(): number | undefined;
  stop(): Promise<void>;
}

/** Calls `/livez` and `/readyz` repeatedly, each in its own loop. */
export function watchProbes(url: string): Probes {
  const latencies: number[] = [];
  const failures: string[] = [];
  let readiness: number | undefined;
  let watching = true;
  const ask = (path: string) => fetch(url + path, { signal: AbortSignal.timeout(PROBE_PATIENCE_MS) });
  const lives = (async () => {
    while (watching) {
      const startedAt = performance.now();
      try {
        const { status } = await ask('/livez');
        if (status !== 200) failures.push(`/livez said ${status}`);
        latencies.push(performance.now() - startedAt);
      } catch (error) {
        failures.push(`/livez: ${String(error)}`);
      }
      await pause(PROBE_PAUSE_MS);
    }
  })();
  const readies = (async () => {
    while (watching) {
      readiness = await ask('/readyz').then(
        ({ status }) => status,
        () => undefined,
      );
      await pause(PROBE_PAUSE_MS);
    }
  })();
  return {
    latencies,
    failures,
    readiness: () => readiness,
    async stop() {
      watching = false;
      await Promise.all([lives, readies]);
    },
  };
}

/** A signed-in customer with credits. */
export interface Customer {
  readonly id: string;
  readonly token: string;
  readonly client: SupabaseClient;
  /** Spends one credit, which makes one change of the ledger. */
  spend(description: string): Promise<void>;
}

/** Signs up a customer and gives credits that the ledger explains. */
export async function createCustomer(world: OutageWorld, name: string, credits = 1000): Promise<Customer> {
  const client = connectClient(world);
  const { data, error } = await client.auth.signUp({ email: `${name}@outages.example`, password: PASSWORD });
  if (error !== null || data.session === null) throw error ?? new Error('nobody was signed up');
  const { id } = data.session.user;
  await world.ask(
    `with customer as (
       insert into public.customers (user_id, credits) values ($1, $2)
       on conflict (user_id) do update set credits = customers.credits + excluded.credits returning id)
     insert into public.credit_transactions (user_id, customer_row, amount, kind)
     select $1, id, $2, 'grant' from customer`,
    [id, credits],
  );
  return {
    id,
    token: data.session.access_token,
    client,
    async spend(description) {
      const spent = await client.rpc('use_credits', {
        p_user_id: id,
        p_amount: 1,
        p_description: description,
      });
      if (spent.error !== null || spent.data !== true) {
        throw new Error(`the credit was not spent: ${JSON.stringify(spent.error ?? spent.data)}`);
      }
    },
  };
}

function connectClient(world: OutageWorld): SupabaseClient {
  return createClient(world.url, world.anonKey, { auth: { persistSession: false, autoRefreshToken: false } });
}

/** A page that follows the customer's ledger and is present in a channel. */
export interface Subscriber {
  /** Descriptions of the spendings that it received, in order. */
  readonly told: readonly string[];
  /** How often its channel was accepted. */
  joined(): number;
  /** The present people, with the references of their presences. */
  presence(): unknown;
  /** Presences that it saw join and leave. */
  readonly movements: readonly string[];
  close(): Promise<void>;
}

/** Opens a page of the customer. Resolves when it is subscribed and present. */
export async function openSubscriber(
  world: OutageWorld,
  customer: Customer,
  name: string,
): Promise<Subscriber> {
  const client = createClient(world.url, world.anonKey, { accessToken: async () => customer.token });
  await client.realtime.setAuth();
  const told: string[] = [];
  const movements: string[] = [];
  let joined = 0;
  const ledger = client
    .channel(`ledger ${name}`)
    .on(
      'postgres_changes',
      { event: 'INSERT', schema: 'public', table: 'credit_transactions' },
      (change: { new: Record<string, unknown> }) => told.push(String(change.new.description)),
    );
  await subscribe(ledger, () => {
    joined += 1;
  });
  const room = client.channel('room', { config: { presence: { key: name } } });
  room
    .on('presence', { event: 'join' }, ({ key }) => movements.push(`${key} came`))
    .on('presence', { event: 'leave' }, ({ key }) => movements.push(`${key} left`));
  await subscribe(room, () => {});
  await room.track({ name });
  return {
    told,
    movements,
    joined: () => joined,
    presence: () => structuredClone(room.presenceState()),
    close: async () => void (await client.realtime.disconnect()),
  };
}

function subscribe(channel: RealtimeChannel, accepted: () => void): Promise<void> {
  return new Promise((resolve) => {
    channel.subscribe((status) => {
      if (status !== 'SUBSCRIBED') return;
      accepted();
      resolve();
    });
  });
}
