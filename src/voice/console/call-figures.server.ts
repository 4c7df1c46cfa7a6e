import { z } from 'zod';
import { declareForOperators, type OperatorScope } from '../../business/console/operator-gate.server.ts';
import type { CallFigures } from './call-list.contract.ts';

const MOST_DAYS = 90;
const PARTS = [
  'turnLatency',
  'endpointingLatency',
  'transcriberLatency',
  'modelLatency',
  'voiceLatency',
  'playoutLatency',
];

/** Figures of calls for the console's charts; days are those of the installation's time zone. */
export function serveCallFigures(scope: OperatorScope): void {
  declareForOperators(scope, {
    name: 'call-figures',
    method: 'GET',
    heavy: true,
    input: z.object({ days: z.coerce.number().int().min(1).max(MOST_DAYS).default(30) }),
    async answer(queries, { days }): Promise<CallFigures> {
      const zone = scope.resources.settings.TIME_ZONE;
      const perDay = await queries.many(
        `select to_char(d.day, 'YYYY-MM-DD') as day /* not null */, coalesce(c.calls, 0)::integer as calls /* not null */,
                coalesce(c.answered, 0)::integer as answered /* not null */,
                coalesce(c.seconds / 60, 0)::float8 as minutes /* not null */,
                coalesce(c.judged, 0)::integer as judged /* not null */,
                coalesce(c.successful, 0)::integer as successful /* not null */
           from generate_series(date_trunc('day', now() at time zone $1) - make_interval(days => $2 - 1),
                                date_trunc('day', now() at time zone $1), interval '1 day') as d (day)
           left join (
             select date_trunc('day', created_at at time zone $1) as day, count(*) as calls,
                    count(body ->> 'startedAt') as answered,
                    sum(greatest(0, extract(epoch from (body ->> 'endedAt')::timestamptz
                      - (body ->> 'startedAt')::timestamptz))) as seconds,
                    count(*) filter (where body #>> '{analysis,successEvaluation}' in ('true', 'false')) as judged,
                    count(*) filter (where body #>> '{analysis,successEvaluation}' = 'true') as successful
               from operator.calls
              where created_at >= (date_trunc('day', now() at time zone $1) - make_interval(days => $2 - 1)) at time zone $1
              group by 1) as c on c.day = d.day
          order by d.day`,
        [zone, days],
      );
      const reasons = await queries.many(
        `select body ->> 'endedReason' as reason, count(*)::integer as calls /* not null */ from operator.calls
          where body ? 'endedReason' and created_at >= (date_trunc('day', now() at time zone $1)
            - make_interval(days => $2 - 1)) at time zone $1
          group by 1 order by 2 desc, 1`,
        [zone, days],
      );
      const latency = await queries.many(
        `select p.part /* not null */, count(t.turn)::integer as turns /* not null */,
                (percentile_cont(0.5) within group (order by (t.turn ->> p.part)::float8))::float8 as p50,
                (percentile_cont(0.95) within group (order by (t.turn ->> p.part)::float8))::float8 as p95,
                (percentile_cont(0.99) within group (order by (t.turn ->> p.part)::float8))::float8 as p99
           from unnest($3::text[]) with ordinality as p (part, at)
           left join (operator.calls c cross join lateral
             jsonb_array_elements(c.body #> '{artifact,performanceMetrics,turnLatencies}') as t (turn))
             on c.created_at >= (date_trunc('day', now() at time zone $1) - make_interval(days => $2 - 1)) at time zone $1
          group by p.part, p.at order by p.at`,
        [zone, days, PARTS],
      );
      const sum = (name: 'calls' | 'answered' | 'minutes' | 'judged' | 'successful'): number =>
        perDay.reduce((total, row) => total + row[name], 0);
      return {
        calls: sum('calls'),
        answered: sum('answered'),
        minutes: sum('minutes'),
        judged: sum('judged'),
        successful: sum('successful'),
        days: perDay.map(({ day, calls, answered, minutes }) => ({ day, calls, answered, minutes })),
        reasons: reasons.flatMap(({ reason, calls }) => (reason === null ? [] : [{ reason, calls }])),
        latency: latency.map(({ part, p50, p95, p99 }) => ({ part, p50, p95, p99 })),
        turns: latency[0]?.turns ?? 0,
      };
    },
  });
}
