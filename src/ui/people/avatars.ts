import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import { AVATARS_BUCKET, avatarPath } from '../../kernel/contract/avatars.ts';
import { supabase } from '../session/client.ts';

/** How long a picture's address is valid, and for how long it is used. */
const SIGNED_SECONDS = 3600;
const FRESH_MS = 30 * 60_000;

/**
 * The addresses of people's pictures by account. Accounts without a picture, or with one that the reader may
 * not see, are left out.
 */
export function avatarsQuery(userIds: readonly string[]) {
  return queryOptions({
    queryKey: ['avatars', ...userIds],
    // Where there was no picture, there may be one at any moment.
    staleTime: ({ state }) => ((state.data?.size ?? 0) > 0 ? FRESH_MS : 2000),
    enabled: userIds.length > 0,
    queryFn: async (): Promise<ReadonlyMap<string, string>> => {
      const bucket = (await supabase()).storage.from(AVATARS_BUCKET);
      const { data, error } = await bucket.createSignedUrls(userIds.map(avatarPath), SIGNED_SECONDS);
      if (error !== null) throw error;
      return new Map(
        data.flatMap(({ path, signedUrl }) =>
          path && signedUrl ? [[path.split('/')[0] ?? '', signedUrl]] : [],
        ),
      );
    },
  });
}

/** The address of a person's picture; undefined when there is none, and while it is not known. */
export function useAvatar(userId: string): string | undefined {
  return useQuery(avatarsQuery([userId])).data?.get(userId);
}

/** Loads every visible picture again, after one was changed. */
export function refreshAvatars(queries: QueryClient): Promise<void> {
  return queries.invalidateQueries({ queryKey: ['avatars'] });
}
