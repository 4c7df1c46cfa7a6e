import { z } from 'zod';
import type { EventAttempts, EventsPage } from './console.contract.ts';
import { declareForOperators, type OperatorScope, sent } from './operator-gate.server.ts';

const MAX_EVENTS = 100;

/** Outgoing events: the targets with their queues, the newest events of a state, and one event's attempts. */
export function serveEvents(scope: OperatorScope): void {
  declareForOperators(scope, {
    name: 'events',
    method: 'GET',
    input: z.object({
      state: z.enum(['pending', 'delivered', 'dead', 'cancelled', 'all']).default('all'),
      target: z.string().max(40).default(''),
    }),
    async answer(queries, { state, target }): Promise<EventsPage> {
      const targets = await queries.many(
        `select name, url, events, active, paused_at, disabled_at, previous_until, pending, delivered, dead
         from operator.targets where active or pending + dead > 0 order by name`,
      );
      return {
        targets: targets.map((row) => ({ ...sent(row), url: originOf(row.url) })),
        events: (
          await queries.many(
            `select id, kind, target, subject_id, state, attempts, created_at, due_at, last_status, last_reply
           from operator.events where ($1 = 'all' or state = $1) and ($2 = '' or target = $2)
           order by created_at desc, id limit $3`,
            [state, target, MAX_EVENTS],
          )
        ).map(sent),
      };
    },
  });
  declareForOperators(scope, {
    name: 'event',
    method: 'GET',
    input: z.object({ id: z.uuid() }),
    async answer(queries, { id }): Promise<EventAttempts> {
      return {
        attempts: (
          await queries.many(
            `select attempt, status, reply, duration_ms, created_at from operator.deliveries
           where event_id = $1 order by created_at, attempt`,
            [id],
          )
        ).map(sent),
      };
    },
  });
}

/** The path of a hook is often its password. */
const originOf = (url: string): string => URL.parse(url)?.origin ?? '';
