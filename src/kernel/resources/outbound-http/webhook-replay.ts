import type { Queries } from '../database/database.ts';

/**
 * Sends an event again that was delivered or given up, under the same id: its schedule of attempts begins again, the
 * earlier attempts stay recorded. The console does the same by `operator.replay_event`, which also audits.
 *
 * @returns 1, or 0 where there is no such event or it still waits
 */
export function replayEvent(database: Queries, id: string): Promise<number> {
  return database.run(
    `update private.outbox_events set state = 'pending', attempts = 0, queued_at = null, due_at = null,
            updated_at = now() where id = $1 and state <> 'pending'`,
    [id],
  );
}

/** Sends all events again that a target was given up for; returns how many. */
export function replayDeadEvents(database: Queries, target: string): Promise<number> {
  return database.run(
    `update private.outbox_events set state = 'pending', attempts = 0, queued_at = null, due_at = null,
            updated_at = now() where target = $1 and state = 'dead'`,
    [target],
  );
}
