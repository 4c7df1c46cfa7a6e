import type { SupabaseClient } from '@supabase/supabase-js';
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { operatorQuery } from '../../business/console/parts/operator-client.web.ts';
import { OWN_SCHEMA } from '../../kernel/contract/routes.ts';
import { supabase } from '../../ui/session/client.ts';
import type { LiveCalls, LiveLine } from './call-list.contract.ts';

const LIVE = operatorQuery<LiveCalls>('live-calls');
let topics = 0;

/**
 * Calls in progress with their words, kept up to date by realtime from two tables. For a new call or another
 * state the list is fetched again; a line is inserted directly.
 *
 * @returns the query, and whether changes are being received
 */
export function useLiveCalls() {
  const queries = useQueryClient();
  const query = useQuery(LIVE);
  const [live, setLive] = useState(false);
  useEffect(() => {
    let stopped = false;
    let close = (): void => undefined;
    supabase().then(
      (client) => {
        if (!stopped) close = follow(client, queries, setLive);
      },
      () => setLive(false),
    );
    return () => {
      stopped = true;
      close();
    };
  }, [queries]);
  return { query, live };
}

function follow(client: SupabaseClient, queries: QueryClient, setLive: (live: boolean) => void): () => void {
  topics += 1;
  const ask = (): void => {
    void queries.invalidateQueries({ queryKey: ['operator'] });
  };
  const channel = client
    .channel(`console-calls-${topics}`)
    .on('postgres_changes', { event: '*', schema: OWN_SCHEMA, table: 'live_calls' }, ask)
    .on('postgres_changes', { event: '*', schema: OWN_SCHEMA, table: 'live_call_words' }, ({ new: line }) => {
      if ('call_id' in line)
        queries.setQueryData(LIVE.queryKey, (known) => withLine(known, line as LiveLine));
    })
    .subscribe((status) => {
      setLive(status === 'SUBSCRIBED');
      // Changes between the first answer and the subscription were missed, so the list is fetched again.
      if (status === 'SUBSCRIBED') ask();
    });
  return () => void client.removeChannel(channel);
}

/** The calls with a line added, or changed where it is there already. */
export function withLine(known: LiveCalls | undefined, line: LiveLine): LiveCalls | undefined {
  if (known === undefined) return undefined;
  return {
    calls: known.calls.map((call) => {
      if (call.id !== line.call_id) return call;
      const others = call.lines.filter(({ position }) => position !== line.position);
      return { ...call, lines: [...others, line].sort((one, other) => one.position - other.position) };
    }),
  };
}
