/**
 * Passwords of documents whose analysis is running. They are only in the memory of this process, never in the database,
 * a log or a file, and no longer than the analysis or a day. If several processes share the jobs, another process may get
 * the analysis; the document then asks for its password again.
 */
export interface DocumentPasswords {
  hold(analysisId: string, password: string): void;
  get(analysisId: string): string | undefined;
  drop(analysisId: string): void;
}

/** A document may wait for its reader; a day later it asks for its password again. */
export const HELD_MS = 24 * 60 * 60 * 1000;
/** More analyses than run at the same time anywhere; beyond it, the oldest password is dropped. */
const MOST = 500;

/** @param now milliseconds of a monotonic clock */
export function createDocumentPasswords(now: () => number = () => performance.now()): DocumentPasswords {
  const held = new Map<string, { password: string; until: number }>();
  const forget = (): void => {
    for (const [id, { until }] of held) if (until <= now()) held.delete(id);
    for (const id of [...held.keys()].slice(0, Math.max(0, held.size - MOST))) held.delete(id);
  };
  return {
    hold(analysisId, password) {
      held.set(analysisId, { password, until: now() + HELD_MS });
      forget();
    },
    get(analysisId) {
      forget();
      return held.get(analysisId)?.password;
    },
    drop(analysisId) {
      held.delete(analysisId);
    },
  };
}
