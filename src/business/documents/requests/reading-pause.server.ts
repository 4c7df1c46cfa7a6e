import type { Queries } from '../../../kernel/resources/database/database.ts';

/** Minutes before the next reading after the first, second, … document in a row that ended the reader; the last repeats. */
export const PAUSE_MINUTES: readonly number[] = [0, 1, 2, 4, 8, 15];

const MINUTE = 60_000;
/** After this time, the next document that ends the reader is the first in a row again. */
const FORGOTTEN_AFTER_MS = 24 * 60 * MINUTE;

/** How many documents of a customer in a row ended the reader, and when the last one did. */
interface FailuresInRow {
  readonly count: number;
  readonly ended_at: Date;
}

/**
 * When the customer's pause ends.
 *
 * @returns undefined if the next document can be read now
 */
export function pausedUntil({ count, ended_at: endedAt }: FailuresInRow, now: Date): Date | undefined {
  const minutes = PAUSE_MINUTES[Math.min(count, PAUSE_MINUTES.length) - 1] ?? 0;
  const until = new Date(endedAt.getTime() + minutes * MINUTE);
  // If the clock was put back, a customer must not wait for longer than the pause.
  const isAhead = until.getTime() - now.getTime() > minutes * MINUTE;
  return until > now && !isAhead ? until : undefined;
}

/** A document to read, with the failures of its customer's other documents. */
export interface HeldDocument {
  readonly userId: string;
  /** Size in bytes. */
  readonly size: number;
  readonly until: Date;
}

/** The pause that an analysis has to wait for; undefined if there is none, or if the analysis is gone. */
export async function findPause(
  queries: Queries,
  analysisId: string,
  now: Date,
): Promise<HeldDocument | undefined> {
  const row = await queries.maybe(
    `select a.user_id, f.file_size, r.count, r.ended_at
       from private.analyses a
       join public.user_files f on f.id = a.file_id
       join private.reading_failures r on r.user_id = a.user_id
      where a.id = $1 and a.state in ('queued', 'sent')`,
    [analysisId],
  );
  const until = row === undefined ? undefined : pausedUntil(row, now);
  if (row === undefined || until === undefined) return undefined;
  return { userId: row.user_id, size: Number(row.file_size), until };
}

/** Shows the document as waiting, and until when. */
export async function showPause(queries: Queries, analysisId: string, until: Date): Promise<void> {
  await queries.run(
    `update public.user_files f set status = 'queued', progress = 0, waits_until = $2, updated_at = now()
       from private.analyses a
      where a.id = $1 and a.file_id = f.id and a.state in ('queued', 'sent')`,
    [analysisId, until],
  );
}

/**
 * Notes how a reading ended: a document that was read ends the customer's pauses, a document that ended the reader makes
 * the next pause longer, and any other changes nothing. The same analysis counts once.
 */
export async function noteReading(
  queries: Queries,
  analysisId: string,
  outcome: 'read' | 'ended' | 'refused',
  now: Date,
): Promise<void> {
  if (outcome === 'read') {
    await queries.run(
      `delete from private.reading_failures
        where user_id = (select user_id from private.analyses where id = $1)`,
      [analysisId],
    );
  }
  if (outcome !== 'ended') return;
  await queries.run(
    `insert into private.reading_failures as r (user_id, count, analysis_id, ended_at)
     select a.user_id, 1, a.id, $2::timestamptz from private.analyses a join auth.users u on u.id = a.user_id
      where a.id = $1
     on conflict (user_id) do update
       set count = case when r.ended_at < $2::timestamptz - $3 * interval '1 millisecond' then 1 else least(r.count + 1, 1000) end,
           analysis_id = excluded.analysis_id, ended_at = excluded.ended_at
       where r.analysis_id <> excluded.analysis_id`,
    [analysisId, now, FORGOTTEN_AFTER_MS],
  );
}
