import { QueryClient } from '@tanstack/react-query';

let current: { userId: string; client: QueryClient } | undefined;

/** The dashboard's cache of replies, for one user at a time: another user starts with an empty one. */
export function queriesOf(userId: string): QueryClient {
  if (current?.userId !== userId) {
    forgetQueries();
    current = {
      userId,
      client: new QueryClient({
        // Realtime reports changes; returning to the page reads again all the same.
        defaultOptions: { queries: { staleTime: 2000, refetchOnWindowFocus: true, retry: 1 } },
      }),
    };
  }
  return current.client;
}

/** Empties the cache, as signing out does. */
export function forgetQueries(): void {
  current?.client.clear();
  current = undefined;
}
