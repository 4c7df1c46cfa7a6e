import type { DailyCaps } from '../calls/record/daily-caps.server.ts';
import { metricsSchema } from '../records/voice-resources.contract.ts';
import { parseVoice, type VoiceScope } from '../records/voice-scope.server.ts';
import { usualStart } from './voice-analytics.contract.ts';

interface Day {
  readonly date: string;
  readonly count: string;
  readonly minutes: number;
  readonly cost: number;
}

const DAYS_SHOWN = 30;

/**
 * Mounts GET /metrics: figures of the calls within a range, by days of a time zone (docs/contracts/voice.md
 * §3). A limit counts as kept as long as the next call would not be refused for it.
 */
export function mountMetrics({ server, resources, orgId }: VoiceScope, caps: Pick<DailyCaps, 'use'>): void {
  const { VOICE_DAILY_SPEND: mostSpent, VOICE_MAX_CALLS: mostCalls } = resources.settings;
  server.get('/metrics', async (request) => {
    const { timezone, rangeStart, rangeEnd } = parseVoice(metricsSchema, request.query);
    const end = rangeEnd ?? new Date().toISOString();
    const start = rangeStart ?? usualStart(end, DAYS_SHOWN);
    const days = await resources.database.many(
      `select to_char(created_at at time zone $3, 'YYYY-MM-DD') as date /* not null */, count(*) as count,
              coalesce(sum(greatest(0, extract(epoch from
                (body ->> 'endedAt')::timestamptz - (body ->> 'startedAt')::timestamptz))) / 60, 0)::float8 as minutes,
              coalesce(sum((body ->> 'cost')::float8), 0) as cost
         from private.voice_records
        where kind = 'call' and created_at >= $1 and created_at < $2
        group by 1 order by 1`,
      [start, end, timezone],
    );
    const { active } = await resources.database.one(
      `select count(*) as active from private.voice_records
        where kind = 'call' and body ->> 'status' in ('ringing', 'in-progress', 'forwarding')`,
    );
    const { spent } = await caps.use();
    const sum = (of: (day: Day) => number): number => days.reduce((total, day) => total + of(day), 0);
    const count = sum((day) => Number(day.count));
    const minutes = sum((day) => day.minutes);
    const average = (total: number, calls: number): number => (calls === 0 ? 0 : total / calls);
    return [
      {
        orgId,
        rangeStart: start,
        rangeEnd: end,
        bill: sum((day) => day.cost),
        billWithinBillingLimit: spent <= mostSpent,
        billDailyBreakdown: days.map(({ date, cost }) => ({ date, cost })),
        callActive: active,
        callActiveWithinConcurrencyLimit: Number(active) < mostCalls,
        callMinutes: String(minutes),
        callMinutesDailyBreakdown: days.map((day) => ({ date: day.date, minutes: day.minutes })),
        callMinutesAverage: average(minutes, count),
        callMinutesAverageDailyBreakdown: days.map((day) => ({
          date: day.date,
          minutes: average(day.minutes, Number(day.count)),
        })),
        callCount: String(count),
        callCountDailyBreakdown: days.map((day) => ({ date: day.date, count: Number(day.count) })),
      },
    ];
  });
}
