import type { SupabaseClient } from '@supabase/supabase-js';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { OWN_SCHEMA } from '../../../kernel/contract/routes.ts';
import { supabase } from '../../../ui/session/client.ts';

let topics = 0;

/**
 * Reads the team and its content again as soon as something changes, for a member of a team: the row of
 * `team_changes`, or the user's own membership (decision 0460). Follows nothing when undefined.
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
      // Without the client the page does not work, and says so itself.
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
    // A removed member sees no row of the team any more, but is notified about their own.
    .on('postgres_changes', { ...changes, table: 'team_members', filter: `user_id=eq.${userId}` }, ask)
    .subscribe((status) => {
      // Earlier changes, or changes while the connection was lost, were not reported.
      if (status === 'SUBSCRIBED') ask();
    });
  return () => void client.removeChannel(channel);
}
