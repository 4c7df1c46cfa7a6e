import type { RealtimeChannel, SupabaseClient } from '@supabase/supabase-js';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { LIMITS } from '../../contract/limits.ts';
import { supabase } from '../../web/session/client.ts';

let topics = 0;

const EVERYTHING = ['files', 'customer', 'subscription', 'billing'] as const;
/** One payment changes several tables; what it comes to is asked for once. */
const BILLING_DELAY = 400;

/**
 * Follows the four tables of the dashboard over Realtime and asks again for what
 * changed; a file change waits 100 ms (`spec/site.md §4`). After a dropped
 * socket everything is asked for again, since changes may have been missed.
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
        if (!stopped) close = openChannels(client, queries, userId, customerId, setLive);
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

function openChannels(
  client: SupabaseClient,
  queries: QueryClient,
  userId: string,
  customerId: string | null,
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
  const wanted: [table: string, filter: string, changed: () => void][] = [
    ['credit_transactions', `user_id=eq.${userId}`, () => paid('customer')],
    ['customers', `user_id=eq.${userId}`, () => paid('customer', 'subscription')],
    ['user_files', `user_id=eq.${userId}`, fileChanged],
  ];
  if (customerId !== null)
    wanted.push(['subscriptions', `customer_id=eq.${customerId}`, () => paid('subscription', 'customer')]);
  const joined = new Set<string>();
  // Also at first: what changed between the first look and the joining was told to nobody.
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
    if (all || !isJoined) setLive(all);
  };
  const channels = wanted.map(([table, filter, changed]) => follow(client, table, filter, changed, report));
  const offline = (): void => setLive(false);
  // The socket may have outlived the gap: then nothing joins again, but what changed meanwhile is unknown.
  const online = (): void => {
    setLive(joined.size === wanted.length);
    ask(...EVERYTHING);
  };
  addEventListener('offline', offline);
  addEventListener('online', online);
  return () => {
    removeEventListener('offline', offline);
    removeEventListener('online', online);
    clearTimeout(delayed);
    clearTimeout(billing);
    for (const channel of channels) void client.removeChannel(channel);
  };
}

function follow(
  client: SupabaseClient,
  table: string,
  filter: string,
  changed: () => void,
  report: (table: string, joined: boolean) => void,
): RealtimeChannel {
  topics += 1;
  let closed = false;
  return client
    .channel(`dashboard-${table}-${topics}`)
    .on('postgres_changes', { event: '*', schema: 'public', table, filter }, changed)
    .subscribe((status) => {
      // CLOSED comes when we leave ourselves.
      if (status === 'CLOSED') closed = true;
      if (!closed) report(table, status === 'SUBSCRIBED');
    });
}
