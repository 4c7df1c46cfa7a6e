import { z } from 'zod';
import { moment } from '../../kernel/contract/times.ts';

import { timeZone } from '../records/voice-fields.contract.ts';

const NUMBER_COLUMNS = [
  'cost',
  'costBreakdown.llm',
  'costBreakdown.stt',
  'costBreakdown.tts',
  'costBreakdown.vapi',
  'costBreakdown.transport',
  'costBreakdown.analysisBreakdown.summary',
  'costBreakdown.transcriber',
  'costBreakdown.ttsCharacters',
  'costBreakdown.llmPromptTokens',
  'costBreakdown.llmCompletionTokens',
  'costBreakdown.llmCachedPromptTokens',
  'duration',
  'minutesUsed',
] as const;
const STEPS = [
  'second',
  'minute',
  'hour',
  'day',
  'week',
  'month',
  'quarter',
  'year',
  'decade',
  'century',
  'millennium',
] as const;
const GROUPS = ['type', 'assistantId', 'endedReason', 'analysis.successEvaluation', 'status'] as const;

const operation = z
  .strictObject({
    operation: z.enum(['sum', 'avg', 'count', 'min', 'max'], {
      error: 'must be sum, avg, count, min or max',
    }),
    column: z.enum(['id', ...NUMBER_COLUMNS]),
    alias: z
      .string()
      .regex(/^[A-Za-z_][A-Za-z0-9_]{0,39}$/, 'must be a name of at most 40 letters, digits and _')
      .optional(),
  })
  .refine((given) => given.column !== 'id' || given.operation === 'count', {
    path: ['operation'],
    error: 'must be count for the column id',
  });

/** One query of POST /analytics. Durations are in minutes, costs in US dollars. */
export const analyticsQuery = z.strictObject({
  table: z.literal('call', { error: 'must be call; there are no subscriptions here' }),
  name: z.string().min(1).max(40),
  groupBy: z.array(z.enum(GROUPS)).max(GROUPS.length).optional(),
  groupByVariableValue: z
    .array(z.strictObject({ key: z.string().min(1).max(60) }))
    .max(5)
    .optional(),
  timeRange: z
    .strictObject({
      step: z.enum(STEPS).optional(),
      start: moment.optional(),
      end: moment.optional(),
      timezone: timeZone.optional(),
    })
    .refine(({ start, end }) => !start || !end || Date.parse(start) < Date.parse(end), {
      path: ['end'],
      error: 'must be after start',
    })
    .optional(),
  operations: z.array(operation).min(1).max(20),
});

/** POST /analytics (docs/contracts/voice.md §3). */
export const analyticsSchema = z.strictObject({ queries: z.array(analyticsQuery).min(1).max(20) });

const DAY_MS = 86_400_000;
/** The first moment of the year 1: PostgreSQL prints earlier ones in another form. */
const FIRST_MOMENT = Date.parse('0001-01-01T00:00:00Z');

/** The beginning of a range that names only its end: `days` days before it, ISO 8601. */
export function usualStart(end: string, days: number): string {
  return new Date(Math.max(FIRST_MOMENT, Date.parse(end) - days * DAY_MS)).toISOString();
}
