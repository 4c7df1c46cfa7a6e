import type { Settings } from '../../kernel/config/settings.ts';
import type { Database, Queries } from '../../kernel/resources/database/database.ts';
import type { Resources } from '../../kernel/resources/resources.ts';

/** How often expired recordings are deleted. */
const ROUND_SECONDS = 3600;

/** Adds to a call's evidence that its recording was deleted, in the transaction of the deletion. */
export type NoteDeletion = (queries: Queries, callId: string) => Promise<void>;

/** How many days a recording is kept: as the plan of its call says, otherwise as the setting says. */
export const daysKept = (
  planned: number | undefined,
  { VOICE_RECORDING_DAYS }: Pick<Settings, 'VOICE_RECORDING_DAYS'>,
): number => planned ?? VOICE_RECORDING_DAYS;

/** Deletes each hour the recordings whose days are over. */
export function scheduleRecordingExpiry(
  { jobs }: Pick<Resources, 'jobs'>,
  recordings: { expire(): Promise<number> },
): void {
  jobs.everyByOne('old recordings', ROUND_SECONDS, async () => void (await recordings.expire()));
}

/** Deletes the recordings that have expired, also those that the store refused. Returns how many. */
export function expireRecordings(database: Database, note: NoteDeletion): Promise<number> {
  return database.transaction(async (queries) => {
    const gone = await queries.many(
      `delete from private.voice_recordings where expires_at <= now() and (object_id is not null or refused is not null)
          returning call_id`,
    );
    for (const { call_id } of gone) await note(queries, call_id);
    return gone.length;
  });
}
