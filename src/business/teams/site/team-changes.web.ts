import type { SupabaseClient } from '@supabase/supabase-js';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { OWN_SCHEMA } from '../../../kernel/contract/routes.ts';
import { supabase } from '../../../ui/session/client.ts';

let topics = 0;

/**
 * Asks again for the team and what it shows as soon as something of it changes, for who is in one: the row of
 * `team_changes` moves, or the own membership does (decision 0460). Undefined follows nothing.
 */
export function useTeamChanges(userId: string, teamId: string | undefined): void {
  const queries = useQueryClient();
  useEffect(() => {
    if (teamId === undefined) return undefined;
    let stopped = false;
    let close = (): void => undefined;
    supabase().then(
      (client) => {
        if (!stopped) close = follow(client, queries, { userId, teamId });
      },
      // Without the client nothing of the page works, which it says itself.
      () => undefined,
    );
    return () => {
      stopped = true;
      close();
    };
  }, [queries, userId, teamId]);
}

function follow(
  client: SupabaseClient,
  queries: QueryClient,
  { userId, teamId }: { userId: string; teamId: string },
): () => void {
  topics += 1;
  const ask = (): void => {
    for (const key of ['team', 'files']) void queries.invalidateQueries({ queryKey: [key] });
  };
  const changes = { event: '*', schema: OWN_SCHEMA } as const;
  const channel = client
    .channel(`team-${topics}`)
    .on('postgres_changes', { ...changes, table: 'team_changes', filter: `team_id=eq.${teamId}` }, ask)
    // Who is removed sees no row of the team any more, but hears of the own one.
    .on('postgres_changes', { ...changes, table: 'team_members', filter: `user_id=eq.${userId}` }, ask)
    .subscribe((status) => {
      // What changed before, or while the line was lost, was not told.
      if (status === 'SUBSCRIBED') ask();
    });
  return () => void client.removeChannel(channel);
}
