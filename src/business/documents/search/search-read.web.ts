import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { callServer } from '../../../ui/session/server-call.ts';
import { SEARCH_FUNCTIONS, type SearchAnswer, type SimilarDocument } from './document-search.contract.ts';

/** The answer to a search over all documents; an empty search is not sent. */
export function searchQuery(query: string) {
  return queryOptions({
    queryKey: ['search', query],
    enabled: query !== '',
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }): Promise<SearchAnswer> => {
      const reply = await callServer(SEARCH_FUNCTIONS.search, { as: 'user', body: { query }, signal });
      return reply.json() as Promise<SearchAnswer>;
    },
  });
}

/** The user's documents that are similar to this one. */
export function similarQuery(userId: string, fileId: string) {
  return queryOptions({
    queryKey: ['files', userId, fileId, 'similar'],
    queryFn: async ({ signal }): Promise<readonly SimilarDocument[]> => {
      const reply = await callServer(SEARCH_FUNCTIONS.similar, {
        as: 'user',
        body: { file_id: fileId },
        signal,
      });
      return ((await reply.json()) as { documents: SimilarDocument[] }).documents;
    },
  });
}
