import type { Queries } from '../database/database.ts';

/**
 * Sends a delivered or given-up event again, under the same id. Its schedule of attempts begins again; the
 * earlier attempts stay recorded. The console uses `operator.replay_event`, which does the same and writes to
 * the audit log.
 *
 * @returns 1; 0 when there is no such event or it is still pending
 */
export function replayEvent(database: Queries, id: string): Promise<number> {
  return database.run(
    `update private.outbox_events set state = 'pending', attempts = 0, queued_at = null, due_at = null,
            updated_at = now() where id = $1 and state <> 'pending'`,
    [id],
  );
}

/** Sends all given-up events of a target again; returns how many. */
export function replayDeadEvents(database: Queries, target: string): Promise<number> {
  return database.run(
    `update private.outbox_events set state = 'pending', attempts = 0, queued_at = null, due_at = null,
            updated_at = now() where target = $1 and state = 'dead'`,
    [target],
  );
}
