import { QueryClient } from '@tanstack/react-query';

let current: { userId: string; client: QueryClient } | undefined;

/** The answers that the dashboard holds, of one user at a time: another user starts with none. */
export function queriesOf(userId: string): QueryClient {
  if (current?.userId !== userId) {
    forgetQueries();
    current = {
      userId,
      client: new QueryClient({
        // Realtime says what changed; coming back to the page asks again all the same.
        defaultOptions: { queries: { staleTime: 2000, refetchOnWindowFocus: true, retry: 1 } },
      }),
    };
  }
  return current.client;
}

/** Drops what was read, as signing out does. */
export function forgetQueries(): void {
  current?.client.clear();
  current = undefined;
}
