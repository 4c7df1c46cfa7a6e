import { z } from 'zod';
import { declareFunction } from '../../kernel/functions/function-declaration.server.ts';
import type { HttpContext } from '../../kernel/http/http-context.ts';
import type { Database } from '../../kernel/resources/database/database.ts';
import { uncheckedSql } from '../../kernel/resources/database/fixed-sql.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { SMALLEST_SAMPLE, type Statistics } from './statistics.contract.ts';

/** How many days the figures cover, and how long their data is kept. */
const DAYS = 30;
const MINUTE_SECONDS = 60;
/** Pages ask every 30 s; one result serves all requests within this time. */
const FRESH_MS = 10_000;

/** The function `statistics`, and the job that records each minute in which the product is running. */
export function mountStatistics(http: HttpContext, { database, jobs, settings }: Resources): void {
  jobs.every('minutes of service', MINUTE_SECONDS, () => noteMinute(database));
  let kept: { at: number; answer: Promise<Statistics> } | undefined;
  declareFunction(http, {
    name: 'statistics',
    method: 'GET',
    callers: 'anyone',
    body: z.object({}),
    limit: { count: 120, seconds: 60 },
    async handle() {
      if (settings.STATISTICS === 'illustrative') return illustrative(0, []);
      if (kept === undefined || Date.now() - kept.at > FRESH_MS) {
        kept = { at: Date.now(), answer: measure(database) };
        kept.answer.catch(() => {
          kept = undefined;
        });
      }
      return kept.answer;
    },
  });
}

function illustrative(sample: number, days: Statistics['uptime_days']): Statistics {
  return {
    basis: 'illustrative',
    sample,
    days: DAYS,
    median_analysis_seconds: null,
    success_share: null,
    documents_analysed: null,
    uptime_share: null,
    uptime_days: days,
  };
}

/** The days since the first recorded minute; a day without any record is one on which the service did not run. */
async function measureDays(database: Database): Promise<Statistics['uptime_days']> {
  const rows = await database.many(
    `select day::date::text as day /* not null */,
            (count(r.minute) / greatest(1, extract(epoch from least(day + interval '1 day', now_utc)
              - greatest(day, first)) / 60))::double precision as share /* not null */
       from (select min(minute) at time zone 'UTC' as first, date_trunc('minute', now()) at time zone 'UTC' as now_utc
               from private.running_minutes where minute > now() - make_interval(days => $1)) as span
      cross join generate_series(date_trunc('day', first), now_utc, interval '1 day') as day
       left join private.running_minutes r on r.minute >= day at time zone 'UTC'
             and r.minute < least(day + interval '1 day', now_utc) at time zone 'UTC'
             and r.minute >= first at time zone 'UTC'
      group by day, first, now_utc order by day`,
    [DAYS],
  );
  return rows.map(({ day, share }) => ({ day, share: Math.min(1, share) }));
}

async function measure(database: Database): Promise<Statistics> {
  const row = await database.one(
    `select count(*) as sample,
            count(*) filter (where made_report) as reports,
            percentile_cont(0.5) within group (order by seconds) filter (where made_report) as median,
            (select least(1, count(*) / greatest(1, extract(epoch from date_trunc('minute', now()) - min(minute)) / 60 + 1))
             from private.running_minutes where minute > now() - make_interval(days => $1))::double precision as uptime
     from private.analysis_outcomes where finished_at > now() - make_interval(days => $1)`,
    [DAYS],
  );
  const sample = Number(row.sample);
  const days = await measureDays(database);
  if (sample < SMALLEST_SAMPLE) return illustrative(sample, days);
  return {
    basis: 'measured',
    sample,
    days: DAYS,
    median_analysis_seconds: row.median,
    success_share: Number(row.reports) / sample,
    documents_analysed: Number(row.reports),
    uptime_share: row.uptime,
    uptime_days: days,
  };
}

async function noteMinute(database: Database): Promise<void> {
  await database.run(
    `insert into private.running_minutes (minute) values (date_trunc('minute', now())) on conflict do nothing`,
  );
  for (const [table, column] of [
    ['running_minutes', 'minute'],
    ['analysis_outcomes', 'finished_at'],
  ]) {
    await database.run(
      uncheckedSql(
        `delete from private.${table} where ${column} < now() - make_interval(days => $1)`,
        'composed',
      ),
      [2 * DAYS],
    );
  }
}
