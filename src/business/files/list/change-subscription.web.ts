import type { RealtimeChannel, SupabaseClient } from '@supabase/supabase-js';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { LIMITS } from '../../../kernel/contract/limits.ts';
import { OWN_SCHEMA } from '../../../kernel/contract/routes.ts';
import { supabase } from '../../../ui/session/client.ts';
import { confirmSession } from '../../../ui/session/session.ts';

let topics = 0;

const EVERYTHING = ['files', 'customer', 'subscription', 'billing'] as const;
/** Milliseconds: one payment changes several tables, and the result is read once. */
const BILLING_DELAY = 400;

/**
 * Follows the four tables of the dashboard by Realtime and reads again what has changed; after a change of a
 * file it waits 100 ms (docs/specification/site.md §4). After a lost connection everything is read again,
 * because changes may have been missed.
 *
 * @param customerId the provider's customer, by which subscriptions are found; null before the first purchase
 * @returns whether all channels are live
 */
export function useChanges(userId: string, customerId: string | null): boolean {
  const queries = useQueryClient();
  const [live, setLive] = useState(true);
  useEffect(() => {
    let stopped = false;
    let close = (): void => undefined;
    supabase().then(
      (client) => {
        if (!stopped) close = openChannels(client, queries, { userId, customerId }, setLive);
      },
      () => setLive(false),
    );
    return () => {
      stopped = true;
      close();
    };
  }, [queries, userId, customerId]);
  return live;
}

/** A table, the caller's rows in it, and the queries to repeat when one of them changes. */
interface FollowedTable {
  readonly table: string;
  /** Another table with the same filter, on the same channel. */
  readonly beside?: string;
  /** Realtime's filter, e.g. `user_id=eq.…`. */
  readonly filter: string;
  changed(): void;
}

function openChannels(
  client: SupabaseClient,
  queries: QueryClient,
  { userId, customerId }: { userId: string; customerId: string | null },
  setLive: (live: boolean) => void,
): () => void {
  const ask = (...keys: string[]): void => {
    for (const key of keys) void queries.invalidateQueries({ queryKey: [key] });
  };
  let delayed: ReturnType<typeof setTimeout> | undefined;
  let billing: ReturnType<typeof setTimeout> | undefined;
  const paid = (...keys: string[]): void => {
    ask(...keys);
    clearTimeout(billing);
    billing = setTimeout(() => ask('billing'), BILLING_DELAY);
  };
  const fileChanged = (): void => {
    clearTimeout(delayed);
    delayed = setTimeout(() => ask('files', 'customer'), LIMITS.fileChangeRefresh);
  };
  const ofUser = `user_id=eq.${userId}`;
  const wanted: FollowedTable[] = [
    { table: 'credit_transactions', filter: ofUser, changed: () => paid('customer', 'team') },
    { table: 'customers', filter: ofUser, changed: () => paid('customer', 'subscription') },
    { table: 'user_files', beside: 'file_tags', filter: ofUser, changed: fileChanged },
  ];
  if (customerId !== null) {
    const filter = `customer_id=eq.${customerId}`;
    wanted.push({ table: 'subscriptions', filter, changed: () => paid('subscription', 'customer') });
  }
  const joined = new Set<string>();
  // Also true at first: changes between the first query and the subscription were not delivered.
  let dropped = true;
  const report = (table: string, isJoined: boolean): void => {
    if (isJoined) joined.add(table);
    else joined.delete(table);
    const all = joined.size === wanted.length;
    if (!isJoined) dropped = true;
    if (all && dropped) {
      dropped = false;
      ask(...EVERYTHING);
    }
    // A channel may be joined by a reply that arrived just as the connection was lost.
    if (all || !isJoined) setLive(all && navigator.onLine);
  };
  let leaving = false;
  const closed = (): void => {
    if (leaving) return;
    setLive(false);
    // The server closes the channels of a session that was ended here or on another device.
    void confirmSession().catch(() => {});
  };
  const channels = wanted.map((followed) => follow(client, { ...followed, report, closed }));
  const offline = (): void => setLive(false);
  // The socket may have survived the gap; then no channel joins again, but changes may have been missed.
  const online = (): void => {
    setLive(joined.size === wanted.length);
    ask(...EVERYTHING);
  };
  addEventListener('offline', offline);
  addEventListener('online', online);
  if (!navigator.onLine) offline();
  return () => {
    leaving = true;
    removeEventListener('offline', offline);
    removeEventListener('online', online);
    clearTimeout(delayed);
    clearTimeout(billing);
    for (const channel of channels) void client.removeChannel(channel);
  };
}

/** A followed table, with callbacks about its channel. */
interface FollowedChannel extends FollowedTable {
  report(table: string, joined: boolean): void;
  /** The channel was closed, by us or by the server. */
  closed(): void;
}

function follow(
  client: SupabaseClient,
  { table, beside, filter, changed, report, closed }: FollowedChannel,
): RealtimeChannel {
  topics += 1;
  let over = false;
  const all = { event: '*', filter } as const;
  const channel = client
    .channel(`dashboard-${table}-${topics}`)
    .on('postgres_changes', { ...all, schema: 'public', table }, changed);
  if (beside !== undefined)
    channel.on('postgres_changes', { ...all, schema: OWN_SCHEMA, table: beside }, changed);
  return channel.subscribe((status) => {
    if (over) return;
    over = status === 'CLOSED';
    if (over) closed();
    else report(table, status === 'SUBSCRIBED');
  });
}
