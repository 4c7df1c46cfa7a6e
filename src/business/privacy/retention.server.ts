import type { Queries } from '../../kernel/resources/database/database.ts';
import type { Resources } from '../../kernel/resources/resources.ts';

const ROUND_SECONDS = 3600;

/** How many days the words that people sent us are kept; 0: until somebody deletes them. */
export interface RetentionDays {
  readonly ENQUIRY_DAYS: number;
  readonly CALL_DAYS: number;
}

/** Deletes each hour what is older than the settings allow. */
export function scheduleRetention({ database, jobs, log, settings }: Resources): void {
  jobs.everyByOne('old personal data', ROUND_SECONDS, async () => {
    const removed = await forgetOld(database, settings);
    if (removed.enquiries + removed.calls + removed.bookings > 0)
      log.info({ removed }, 'kept for long enough');
  });
}

/** Deletes enquiries, calls (with their sound, which a trigger removes) and bookings after their days. */
export async function forgetOld(
  queries: Queries,
  { ENQUIRY_DAYS, CALL_DAYS }: RetentionDays,
): Promise<{ enquiries: number; calls: number; bookings: number }> {
  const none = { enquiries: 0, calls: 0, bookings: 0 };
  const enquiries =
    ENQUIRY_DAYS === 0
      ? 0
      : await queries.run(
          'delete from public.enquiries where created_at < now() - make_interval(days => $1)',
          [ENQUIRY_DAYS],
        );
  if (CALL_DAYS === 0) return { ...none, enquiries };
  const calls = await queries.run(
    `delete from private.voice_records where kind = 'call' and updated_at < now() - make_interval(days => $1)
       and not exists (select from private.voice_live_calls l where l.call_id = id)`,
    [CALL_DAYS],
  );
  const bookings = await queries.run(
    'delete from northline_app.bookings where starts_at < now() - make_interval(days => $1)',
    [CALL_DAYS],
  );
  return { enquiries, calls, bookings };
}
