import type { z } from 'zod';
import { uncheckedSql } from '../../kernel/resources/database/fixed-sql.ts';
import { parseVoice, type VoiceScope } from '../records/voice-scope.server.ts';
import { type analyticsQuery, analyticsSchema, usualStart } from './voice-analytics.contract.ts';

type Query = z.output<typeof analyticsQuery>;
type Operation = Query['operations'][number];

const USUAL_DAYS = 7;
const MOST_ROWS = 10_000;

/** Minutes that a call took; zero for a call that was never joined. */
const MINUTES = `greatest(0, extract(epoch from (body ->> 'endedAt')::timestamptz - (body ->> 'startedAt')::timestamptz) / 60)::float8`;
/** Names for grouping → SQL; both are fixed texts, never a client's. */
const GROUPS: Readonly<Record<string, string>> = {
  type: "body ->> 'type'",
  assistantId: "body ->> 'assistantId'",
  endedReason: "body ->> 'endedReason'",
  'analysis.successEvaluation': "body #>> '{analysis,successEvaluation}'",
  status: "body ->> 'status'",
};

/** Mounts POST /analytics: sums and counts over calls, as the server SDK requests them. */
export function mountAnalytics({ server, resources }: VoiceScope): void {
  server.post('/analytics', async (request, reply) => {
    const { queries } = parseVoice(analyticsSchema, request.body);
    const results: object[] = [];
    for (const query of queries) results.push(await answer(query));
    // The status of every POST of the published API.
    return reply.code(201).send(results);
  });

  async function answer(query: Query): Promise<object> {
    const { step, timezone = 'UTC' } = query.timeRange ?? {};
    const end = query.timeRange?.end ?? new Date().toISOString();
    const start = query.timeRange?.start ?? usualStart(end, USUAL_DAYS);
    const values: unknown[] = [start, end];
    const place = (value: unknown): string => `$${values.push(value)}`;
    const groups = [
      ...(step === undefined
        ? []
        : [{ name: 'date', sql: dateOf(step, `created_at at time zone ${place(timezone)}`) }]),
      ...(query.groupBy ?? []).map((name) => ({ name, sql: GROUPS[name] ?? 'null' })),
      ...(query.groupByVariableValue ?? []).map(({ key }) => ({
        name: key,
        sql: `body #>> array['assistantOverrides', 'variableValues', ${place(key)}::text]`,
      })),
    ];
    const operations = query.operations.map((operation) => ({
      name: operation.alias ?? aliasOf(operation),
      sql: measure(operation, (column) => `${place(column.split('.'))}::text[]`),
    }));
    const columns = [...groups, ...operations];
    const selected = columns.map(({ sql }, index) => `${sql} as c${index}`).join(', ');
    const grouped = groups.map((_group, index) => index + 1).join(', ');
    const rows = await resources.database.many(
      uncheckedSql<Record<string, unknown>>(
        `select ${selected} from private.voice_records
        where kind = 'call' and created_at >= $1::timestamptz and created_at < $2::timestamptz
        ${grouped === '' ? '' : `group by ${grouped} order by ${grouped}`} limit ${MOST_ROWS}`,
        'composed',
      ),
      values,
    );
    return {
      name: query.name,
      timeRange: { ...(step === undefined ? {} : { step }), start, end, timezone },
      result: rows.map((row) =>
        Object.fromEntries(columns.map(({ name }, index) => [name, row[`c${index}`] ?? null])),
      ),
    };
  }
}

/** `step` is one of the contract's words. */
const dateOf = (step: string, time: string): string =>
  `to_char(date_trunc('${step}', ${time}), 'YYYY-MM-DD"T"HH24:MI:SS')`;

/** The name of a result: `sum` of `costBreakdown.llm` is called `sumCostBreakdownLlm`. */
function aliasOf({ operation, column }: Operation): string {
  const words = column.split('.').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${operation}${words.join('')}`;
}

function measure({ operation, column }: Operation, place: (column: string) => string): string {
  if (column === 'id') return 'count(*)::float8';
  const value =
    column === 'duration' || column === 'minutesUsed'
      ? MINUTES
      : `case when jsonb_typeof(body #> ${place(column)}) = 'number' then (body #>> ${place(column)})::float8 end`;
  return operation === 'count' ? `count(${value})::float8` : `${operation}(${value})::float8`;
}
