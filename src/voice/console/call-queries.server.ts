import { z } from 'zod';
import {
  containing,
  declareForOperators,
  numberEnding,
  type OperatorScope,
  pageOf,
  SEARCH,
  sent,
} from '../../business/console/operator-gate.server.ts';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import { calendarDay } from '../../kernel/contract/times.ts';
import type { Queries } from '../../kernel/resources/database/database.ts';
import type { Evidence } from '../calls/record/evidence.server.ts';
import {
  CALL_LISTS,
  type CallDetail,
  type CallsPage,
  type LiveCalls,
  type TranscriptMessage,
} from './call-list.contract.ts';
import { pictureOf, whyUnrecorded } from './playback/recording-state.server.ts';

/** The members of a call's record that the console reads; each may be missing. */
type CallBody = Readonly<Record<string, unknown>> & {
  readonly messages?: readonly TranscriptMessage[];
  readonly artifactPlan?: { readonly videoRecordingEnabled?: unknown };
  readonly analysis?: { readonly summary?: string; readonly structuredData?: unknown };
  readonly costBreakdown?: Readonly<Record<string, number>>;
  readonly artifact?: {
    readonly performanceMetrics?: { readonly turnLatencies?: CallDetail['latencies'] };
  };
};

const PER_PAGE = 50;
const LINES_SHOWN = 60;
const LOGS_SHOWN = 500;
const DAY = calendarDay.or(z.literal('')).default('');
const ID = z.uuid().or(z.literal('')).default('');

/**
 * Calls at the console: a list with filters, one call with everything about it, and the calls in progress.
 */
export function serveCalls(scope: OperatorScope, evidence: Evidence): void {
  const { settings } = scope.resources;
  declareForOperators(scope, {
    name: 'calls',
    method: 'GET',
    input: z.object({
      list: z.enum(CALL_LISTS).default('all'),
      q: SEARCH,
      reason: z.string().max(120).default(''),
      assistant: ID,
      from: DAY,
      to: DAY,
      after: ID,
    }),
    async answer(queries, { list, q, reason, assistant, from, to, after }): Promise<CallsPage> {
      const rows = await queries.many(
        `select id /* not null */, body ->> 'type' as type, body ->> 'status' as status,
                body ->> 'endedReason' as ended_reason,
                coalesce(body #>> '{customer,name}', body #>> '{customer,number}') as caller,
                assistant_name, created_at /* not null */, body ->> 'startedAt' as started_at,
                body ->> 'endedAt' as ended_at, body #>> '{analysis,successEvaluation}' as success,
                (body ->> 'cost')::float8 as cost, recording_seconds is not null as recorded
           from operator.calls
          where ($1 = 'all' or $1 = 'ended' and body ->> 'status' = 'ended'
                 or $1 = 'scheduled' and body ->> 'status' = 'scheduled'
                 or $1 = 'live' and body ->> 'status' in ('queued', 'ringing', 'in-progress', 'forwarding'))
            and ($2 = '' or concat_ws(' ', id, body #>> '{customer,number}', body #>> '{customer,name}',
                 assistant_name, body ->> 'transcript', body #>> '{analysis,summary}') ilike $3
                 or $11 <> '' and regexp_replace(body #>> '{customer,number}', '\\D', '', 'g') like $11)
            and ($4 = '' or body ->> 'endedReason' = $4)
            and ($5 = '' or body ->> 'assistantId' = $5)
            and ($6 = '' or created_at >= nullif($6, '')::timestamp at time zone $8)
            and ($7 = '' or created_at < (nullif($7, '')::timestamp + interval '1 day') at time zone $8)
            and ($9 = '' or (created_at, id) < (select created_at, id from operator.calls where id::text = $9))
          order by created_at desc, id desc limit $10`,
        [
          list,
          q,
          containing(q),
          reason,
          assistant,
          from,
          to,
          settings.TIME_ZONE,
          after,
          PER_PAGE + 1,
          numberEnding(q),
        ],
      );
      return { ...pageOf(rows, PER_PAGE, sentCall, (row) => row.id), ...(await choices(queries)) };
    },
  });
  serveCall(scope, evidence);
  serveLiveCalls(scope);
}

const sentCall = <
  Row extends { created_at: Date; type: string | null; status: string | null; recorded: boolean | null },
>(
  row: Row,
) => ({
  ...sent(row),
  created_at: row.created_at.toISOString(),
  type: row.type ?? 'webCall',
  status: row.status ?? 'queued',
  recorded: row.recorded === true,
});

/** The choices of the filters. */
async function choices(queries: Queries): Promise<Pick<CallsPage, 'reasons' | 'assistants'>> {
  const reasons = await queries.many(
    `select distinct body ->> 'endedReason' as reason from operator.calls where body ? 'endedReason' order by 1`,
  );
  const assistants = await queries.many(
    `select body ->> 'assistantId' as id, max(assistant_name) as name from operator.calls
      where body ? 'assistantId' group by 1 order by 2`,
  );
  return {
    reasons: reasons.flatMap(({ reason }) => reason ?? []),
    assistants: assistants.flatMap(({ id, name }) => (id === null ? [] : [{ id, name }])),
  };
}

function serveCall(scope: OperatorScope, evidence: Evidence): void {
  declareForOperators(scope, {
    name: 'call',
    method: 'GET',
    input: z.object({ id: z.uuid() }),
    async answer(queries, { id }): Promise<CallDetail> {
      const row = await queries.maybe(
        `select id /* not null */, body /* not null */, body ->> 'type' as type, body ->> 'status' as status,
                body ->> 'endedReason' as ended_reason,
                coalesce(body #>> '{customer,name}', body #>> '{customer,number}') as caller,
                assistant_name, created_at /* not null */, body ->> 'startedAt' as started_at,
                body ->> 'endedAt' as ended_at, body #>> '{analysis,successEvaluation}' as success,
                (body ->> 'cost')::float8 as cost, recording_seconds is not null as recorded, recording_seconds,
                recording_started_at, recording_expires_at, recording_video,
                recording_refused
           from operator.calls where id = $1`,
        [id],
      );
      if (row === undefined) throw new ServiceError(404, 'not_found', 'There is no such call.');
      const {
        body,
        recording_seconds,
        recording_started_at,
        recording_expires_at,
        recording_video,
        recording_refused,
        ...call
      } = row;
      const stored = { recording_video, recording_refused };
      const whole = body as CallBody;
      const proved = await queries.many(
        `select position /* not null */, kind /* not null */, at /* not null */, data
           from operator.call_evidence where call_id = $1 order by position`,
        [id],
      );
      const recording =
        recording_seconds === null || recording_started_at === null || recording_expires_at === null
          ? null
          : {
              seconds: Number(recording_seconds),
              started_at: recording_started_at.toISOString(),
              expires_at: recording_expires_at.toISOString(),
              picture: pictureOf(whole, stored),
            };
      return {
        call: sentCall(call),
        ...partsOf(whole),
        recording,
        unrecorded: recording === null ? whyUnrecorded(whole, proved, stored) : null,
        logs: (
          await queries.many(
            `select level /* not null */, log /* not null */, time /* not null */ from operator.call_logs
              where call_id = $1 order by time, id limit $2`,
            [id, LOGS_SHOWN],
          )
        ).map(sent),
        evidence: {
          entries: proved.map(({ data: _data, ...entry }) => sent(entry)),
          faults: (await evidence.verify(id)).faults,
        },
      };
    },
  });
}

/** The parts of a record that are shown; each may be missing. */
function partsOf(
  body: CallBody,
): Pick<CallDetail, 'erased' | 'messages' | 'summary' | 'structured_data' | 'cost_breakdown' | 'latencies'> {
  return {
    erased: body.erased === true,
    messages: (body.messages ?? []).map(({ role, message, secondsFromStart, endTime, ...more }) => ({
      ...{ role, message, secondsFromStart, endTime },
      ...{ confidence: more.confidence, typed: more.typed, result: more.result, kind: more.kind },
    })),
    summary: body.analysis?.summary ?? null,
    structured_data: body.analysis?.structuredData ?? null,
    cost_breakdown: body.costBreakdown ?? {},
    latencies: body.artifact?.performanceMetrics?.turnLatencies ?? [],
  };
}

function serveLiveCalls(scope: OperatorScope): void {
  declareForOperators(scope, {
    name: 'live-calls',
    method: 'GET',
    input: z.object({}),
    async answer(queries): Promise<LiveCalls> {
      const calls = await queries.many(
        `select c.id /* not null */, c.body ->> 'type' as type, l.status /* not null */,
                coalesce(c.body #>> '{customer,name}', c.body #>> '{customer,number}') as caller, c.assistant_name,
                c.created_at /* not null */, c.body ->> 'startedAt' as started_at, l.taken_by
           from northline_app.live_calls l join operator.calls c on c.id = l.call_id
          where l.status <> 'ended' order by c.created_at desc, c.id limit 100`,
      );
      const lines = await queries.many(
        `select call_id, position, role, text, final from (
           select *, row_number() over (partition by call_id order by position desc) as nth
             from northline_app.live_call_words where call_id = any($1::uuid[])) w
          where nth <= $2 order by call_id, position`,
        [calls.map(({ id }) => id), LINES_SHOWN],
      );
      const byCall = Map.groupBy(lines, ({ call_id }) => call_id);
      return {
        calls: calls.map((call) => ({
          ...sent(call),
          type: call.type ?? 'webCall',
          lines: (byCall.get(call.id) ?? []) as LiveCalls['calls'][number]['lines'],
        })),
      };
    },
  });
}
