import type { JWTPayload } from 'jose';
import { isUuid } from '../../../kernel/contract/uuid.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import { counterOf } from './session-issue.server.ts';

/** A session that has ended: by sign-out, a ban, a deletion or a replayed refresh token. */
export interface EndedSession {
  readonly sessionId: string;
  readonly userId: string;
}

/** Knows which sessions are still valid; one for the whole process. */
export interface SessionGate {
  /** Whether the session and the user of a verified access token are still valid. */
  allows(claims: JWTPayload): Promise<boolean>;
  /** Calls `listener` whenever a session ends in any process; returns a function that stops this. */
  onEnded(listener: (ended: EndedSession) => void): () => void;
}

/** An ended session is refused after this time at the latest, even if the notification was lost. */
const TRUST_MS = 4000;
const MAX_KNOWN = 50_000;

interface Known {
  readonly until: number;
  readonly usedCounter: number;
}

/**
 * Opens the gate. It asks the database about each session at most every 4 s, and forgets a session at once
 * when PostgreSQL reports its end (docs/security-attacks.md, attack 15).
 *
 * @param now milliseconds, for tests with their own clock
 * @param mostKnown how many sessions are remembered; the oldest is forgotten first
 * @trigger auth.sessions session_ended
 */
export async function createSessionGate(
  resources: Pick<Resources, 'database' | 'log'>,
  now: () => number = Date.now,
  mostKnown = MAX_KNOWN,
): Promise<SessionGate> {
  const { database, log } = resources;
  const known = new Map<string, Known>();
  const listeners = new Set<(ended: EndedSession) => void>();

  await database.listen(
    'auth_ended',
    (payload) => {
      const { session, user } = JSON.parse(payload) as { session: string; user: string };
      known.delete(`${user} ${session}`);
      for (const listener of listeners) {
        try {
          listener({ sessionId: session, userId: user });
        } catch (error) {
          log.error({ err: error }, 'a listener of ended sessions failed');
        }
      }
    },
    () => known.clear(),
  );

  async function look(key: string, userId: string, sessionId: string | null, counter: number) {
    const startedAt = now();
    const row = await database.maybe(
      `select s.used_counter from auth.users u
       left join auth.sessions s on s.user_id = u.id and s.id = $2
       where u.id = $1 and u.deleted_at is null and coalesce(u.banned_until <= now(), true)
         and ($2::uuid is null or (s.id is not null and coalesce(s.not_after > now(), true)))`,
      [userId, sessionId],
    );
    if (row === undefined) return false;
    const usedCounter = Math.max(counter, Number(row.used_counter ?? 0));
    if (sessionId !== null && Number(row.used_counter) < counter)
      await recordTokenUse(database, sessionId, counter);
    if (known.size >= mostKnown) known.delete(known.keys().next().value ?? '');
    known.set(key, { until: startedAt + TRUST_MS, usedCounter });
    return true;
  }

  return {
    async allows({ sub, session_id: session, jti }) {
      if (!isUuid(sub)) return false;
      if (session !== undefined && !isUuid(session)) return false;
      const key = `${sub} ${session ?? ''}`;
      const counter = counterOf(jti);
      const fresh = known.get(key);
      if (fresh !== undefined && fresh.until > now() && fresh.usedCounter >= counter) return true;
      return look(key, sub, session ?? null, counter);
    },
    onEnded(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Records that an access token was used, so its client has saved the refresh token with the same counter. */
export async function recordTokenUse(queries: Queries, sessionId: string, counter: number): Promise<void> {
  await queries.run('update auth.sessions set used_counter = $2 where id = $1 and used_counter < $2', [
    sessionId,
    counter,
  ]);
}
