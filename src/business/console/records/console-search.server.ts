import { z } from 'zod';
import { declareForOperators, type OperatorScope, SEARCH, sent } from '../operator-gate.server.ts';
import {
  FEWEST_SEARCHED,
  MOST_OF_A_KIND,
  type SearchHits,
  type SearchKind,
} from './console-search.contract.ts';

/** `GET operator-search?q=`: everything that holds the words or ends in the digits, by the indexes of the database. */
export function serveSearch(scope: OperatorScope): void {
  declareForOperators(scope, {
    name: 'search',
    method: 'GET',
    input: z.object({ q: SEARCH }),
    async answer(queries, { q }): Promise<SearchHits> {
      if (q.length < FEWEST_SEARCHED) return { hits: [] };
      const hits = await queries.many(
        `select kind /* not null */, id /* not null */, owner, title /* not null */, about /* not null */,
                at /* not null */
           from operator.search($1, $2)`,
        [q, MOST_OF_A_KIND],
      );
      return { hits: hits.map((hit) => ({ ...sent(hit), kind: hit.kind as SearchKind })) };
    },
  });
}
