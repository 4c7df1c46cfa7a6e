import type { VoiceRecord } from '../records/voice-records.server.ts';
import { pagedCallSchema, pagedNumberSchema } from '../records/voice-resources.contract.ts';
import { parseVoice, type VoiceScope } from '../records/voice-scope.server.ts';

/** One page of a list. */
export interface Page<Item> {
  readonly results: readonly Item[];
  readonly metadata: { itemsPerPage: number; totalItems: number; currentPage: number };
}

/** Mounts the lists by pages: GET /v2/call and GET /v2/phone-number (docs/contracts/voice.md §3). */
export function mountPages({ server, records }: VoiceScope): void {
  const lists = { call: pagedCallSchema, 'phone-number': pagedNumberSchema } as const;
  for (const kind of ['call', 'phone-number'] as const) {
    server.get(`/v2/${kind}`, async (request): Promise<Page<VoiceRecord>> => {
      const query = parseVoice(lists[kind], request.query);
      const { limit, page, sortOrder } = query;
      const found = { offset: (page - 1) * limit, oldestFirst: sortOrder === 'ASC' };
      return {
        results: await records.list(kind, query, found),
        metadata: {
          itemsPerPage: limit,
          totalItems: await records.count(kind, query),
          currentPage: page,
        },
      };
    });
  }
}
