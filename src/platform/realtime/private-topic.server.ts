import type { Caller } from '../../kernel/resources/database/caller.ts';
import { type Database, sqlState } from '../../kernel/resources/database/database.ts';

class Undone extends Error {}

/**
 * Whether a caller may receive from or send to a private channel. The policies on `realtime.messages` decide;
 * they read `realtime.topic()` (docs/contracts/platform.md §8).
 *
 * @param topic with the prefix `realtime:`
 */
export async function mayUseTopic(
  database: Database,
  caller: Caller,
  topic: string,
  use: 'read' | 'write',
): Promise<boolean> {
  const name = topic.replace(/^realtime:/, '');
  try {
    return await database.asCaller(caller, async (queries) => {
      await queries.run("select set_config('realtime.topic', $1, true)", [name]);
      if (use === 'read') {
        const row = await queries.maybe("select 1 from realtime.messages where topic in ('', $1) limit 1", [
          name,
        ]);
        return row !== undefined;
      }
      await queries.run("insert into realtime.messages (topic, extension) values ($1, 'broadcast')", [name]);
      throw new Undone();
    });
  } catch (error) {
    if (error instanceof Undone) return true;
    if (sqlState(error)?.code === '42501') return false;
    throw error;
  }
}
