const MEMORY_MS = 15 * 60 * 1000;
const MOST_KEPT = 100_000;

/** Who has guessed wrong lately, in this process. */
export interface WrongGuesses {
  add(keys: readonly string[]): void;
  /** Whether any of them has. */
  has(keys: readonly string[]): boolean;
}

/**
 * Remembers wrong guesses for a quarter of an hour. Their next ones are not refused, they only wait
 * behind everybody else's, so that a flood of guesses costs others no time (security.md, attack 18).
 *
 * @param now milliseconds, for tests with their own clock
 */
export function createWrongGuesses(now: () => number = Date.now): WrongGuesses {
  const until = new Map<string, number>();
  return {
    add(keys) {
      for (const key of keys) {
        // Moved to the end, so that the first of the map is the oldest.
        until.delete(key);
        until.set(key, now() + MEMORY_MS);
      }
      for (const oldest of until.keys()) {
        if (until.size <= MOST_KEPT) return;
        until.delete(oldest);
      }
    },
    has: (keys) => keys.some((key) => (until.get(key) ?? 0) > now()),
  };
}
