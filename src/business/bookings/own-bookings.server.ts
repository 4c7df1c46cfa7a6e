import { z } from 'zod';
import { declareFunction } from '../../kernel/functions/function-declaration.server.ts';
import type { HttpContext } from '../../kernel/http/http-context.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { linkOf } from './booking-notices.server.ts';
import type { OwnBookings } from './own-bookings.contract.ts';

const MOST = 20;

/**
 * Mounts `GET own-bookings`: the calls to come that the user booked with the account's address, on the page or
 * in a call. Only a proven address leads to them, because anybody may sign up with somebody else's.
 */
export function mountOwnBookings(http: HttpContext, resources: Resources): void {
  declareFunction(http, {
    name: 'own-bookings',
    method: 'GET',
    callers: 'users',
    body: z.object({}),
    limit: { count: 60, seconds: 60 },
    async handle({ caller }): Promise<OwnBookings> {
      const rows = await resources.database.many(
        `select b.id, b.starts_at, b.minutes, b.service from northline_app.bookings b
           join auth.users u on lower(u.email) = lower(b.email) and u.email_proven_at is not null
          where u.id = $1 and b.state = 'booked'
            and b.starts_at + make_interval(mins => b.minutes) > now()
          order by b.starts_at limit $2`,
        [caller.userId ?? '', MOST],
      );
      return {
        bookings: rows.map(({ id, starts_at, minutes, service }) => ({
          id,
          starts_at: starts_at.toISOString(),
          minutes,
          service,
          href: linkOf(resources, id),
        })),
      };
    },
  });
}
