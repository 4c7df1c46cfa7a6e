import { jsonFields, jsonList } from '../../kernel/http/json-slices.ts';
import { pagedCallSchema, pagedNumberSchema } from '../records/voice-resources.contract.ts';
import { parseVoice, sendRows, type VoiceScope } from '../records/voice-scope.server.ts';

/** One page of a list. */
export interface Page<Item> {
  readonly results: readonly Item[];
  readonly metadata: { itemsPerPage: number; totalItems: number; currentPage: number };
}

/** Mounts the lists by pages: GET /v2/call and GET /v2/phone-number (docs/contracts/voice.md §3). */
export function mountPages(scope: VoiceScope): void {
  const { server, records } = scope;
  const lists = { call: pagedCallSchema, 'phone-number': pagedNumberSchema } as const;
  for (const kind of ['call', 'phone-number'] as const) {
    server.get(`/v2/${kind}`, async (request, reply) => {
      const query = parseVoice(lists[kind], request.query);
      const { limit, page, sortOrder } = query;
      const found = { offset: (page - 1) * limit, oldestFirst: sortOrder === 'ASC' };
      return sendRows(scope, reply, limit, async () =>
        jsonFields({
          results: await jsonList(await records.list(kind, query, found)),
          metadata: {
            itemsPerPage: limit,
            totalItems: await records.count(kind, query),
            currentPage: page,
          },
        }),
      );
    });
  }
}
