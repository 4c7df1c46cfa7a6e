import { z } from 'zod';
import type { BookingsPage } from './operator.contract.ts';
import {
  containing,
  declareForOperators,
  type OperatorScope,
  SEARCH,
  sent,
} from './operator-scope.server.ts';

const PER_PAGE = 50;

/** Booked calls: those to come with the next first, or those that are over with the last first. */
export function serveBookings(scope: OperatorScope): void {
  declareForOperators(scope, {
    name: 'bookings',
    method: 'GET',
    input: z.object({
      list: z.enum(['coming', 'past']).default('coming'),
      q: SEARCH,
      after: z.iso.datetime({ offset: true }).or(z.literal('')).default(''),
    }),
    async answer(queries, { list, q, after }): Promise<BookingsPage> {
      // A start belongs to one booking only, so that it is where a page ends.
      const rows = await queries.many(
        `select id /* not null */, starts_at /* not null */, minutes /* not null */, name /* not null */,
                phone /* not null */, call_id, created_at /* not null */
           from operator.bookings
          where ($1 = 'coming') = (starts_at + make_interval(mins => minutes) > now())
            and ($2 = '' or name ilike $3 or phone ilike $3)
            and ($4 = '' or case when $1 = 'coming' then starts_at > $4::timestamptz else starts_at < $4::timestamptz end)
          order by case when $1 = 'coming' then starts_at end, starts_at desc limit $5`,
        [list, q, containing(q), after, PER_PAGE + 1],
      );
      const shown = rows.slice(0, PER_PAGE);
      const last = shown.at(-1)?.starts_at.toISOString() ?? null;
      return { rows: shown.map(sent), next: rows.length > PER_PAGE ? last : null };
    },
  });
}
