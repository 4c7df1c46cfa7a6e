import { z } from 'zod';
import { utcMoment } from '../../kernel/contract/times.ts';
import { isUuid } from '../../kernel/contract/uuid.ts';
import type { BookingsPage } from './console.contract.ts';
import {
  containing,
  declareForOperators,
  numberEnding,
  type OperatorScope,
  pageOf,
  SEARCH,
  sent,
} from './operator-gate.server.ts';

const PER_PAGE = 50;

/** Where a page ends: a start, which cancelled bookings share, and a booking. */
const isPlace = (place: string): boolean => {
  const [start, id, ...more] = place.split('/');
  return place === '' || (utcMoment.safeParse(start).success && isUuid(id) && more.length === 0);
};

/** Booked calls: those to come with the next first, those that are over or cancelled with the last first. */
export function serveBookings(scope: OperatorScope): void {
  declareForOperators(scope, {
    name: 'bookings',
    method: 'GET',
    input: z.object({
      list: z.enum(['coming', 'past', 'cancelled']).default('coming'),
      q: SEARCH,
      /** Only this one, whatever has become of it. */
      id: z.uuid().or(z.literal('')).default(''),
      after: z.string().refine(isPlace, { error: 'must be what `next` was' }).default(''),
    }),
    async answer(queries, { list, q, id: wanted, after }): Promise<BookingsPage> {
      const [start = '', id = ''] = after.split('/');
      const rows = await queries.many(
        `select id /* not null */, starts_at /* not null */, minutes /* not null */, name /* not null */,
                phone /* not null */, call_id, created_at /* not null */, email, state /* not null */,
                changes /* not null */, changed_at, changed_by, confirmed_by, service, source /* not null */
           from operator.bookings
          where ($7 = '' or id = nullif($7, '')::uuid)
            and ($7 <> '' or $1 = case when state = 'cancelled' then 'cancelled'
                          when starts_at + make_interval(mins => minutes) > now() then 'coming' else 'past' end)
            and ($2 = '' or name ilike $3 or phone ilike $3 or email ilike $3 or service ilike $3
                 or $8 <> '' and regexp_replace(phone, '\\D', '', 'g') like $8)
            and ($4 = '' or case when $1 = 'coming' then (starts_at, id) > (nullif($4, '')::timestamptz, nullif($5, '')::uuid)
                                 else (starts_at, id) < (nullif($4, '')::timestamptz, nullif($5, '')::uuid) end)
          order by case when $1 = 'coming' then starts_at end, case when $1 = 'coming' then id end,
                   starts_at desc, id desc limit $6`,
        [list, q, containing(q), start, id, PER_PAGE + 1, wanted, numberEnding(q)],
      );
      const held =
        list === 'coming'
          ? await queries.many(
              'select starts_at /* not null */, until /* not null */ from operator.booking_holds order by starts_at limit 20',
            )
          : [];
      const page = pageOf(rows, PER_PAGE, sent, (last) => `${last.starts_at.toISOString()}/${last.id}`);
      return { ...page, rows: page.rows as BookingsPage['rows'], held: held.map(sent) };
    },
  });
}
