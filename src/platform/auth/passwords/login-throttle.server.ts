const MEMORY_MS = 15 * 60 * 1000;
const FAMILIAR_MS = 30 * 24 * 3600 * 1000;
const MOST_KEPT = 100_000;
/** So many wrong guesses within so long are a flood. */
const FLOOD_GUESSES = 20;
const FLOOD_MS = 10_000;

/** Who has guessed wrong lately, and who has got in, in this process: it orders the process's own queue (decision 0380). */
export interface LoginThrottle {
  /** A wrong guess at an account from an address. */
  add(account: string, address: string): void;
  /** The right password of an account from an address. */
  right(account: string, address: string): void;
  /**
   * Who goes first when hashes have to wait: people who got in from there before, whatever others guess at their
   * account; late are those who guessed wrong, and while there is a flood everybody of whom nothing is known.
   */
  laneOf(account: string, address: string): 'first' | 'new' | 'late';
}

/**
 * Remembers wrong guesses for a quarter of an hour and right ones for thirty days. The next ones of a wrong guesser are
 * not refused, they only wait behind everybody else's, so that a flood of guesses costs others no time
 * (docs/security-attacks.md, attack 18).
 *
 * @param now milliseconds, for tests with their own clock
 * @param mostKept how many guesses, and how many who got in, are remembered
 */
export function createLoginThrottle(now: () => number = Date.now, mostKept = MOST_KEPT): LoginThrottle {
  const wrong = new Map<string, number>();
  const familiar = new Map<string, number>();
  const lately: number[] = [];
  const pair = (account: string, address: string): string => `${account}\n${address}`;
  /** Keeps it at the end, so that the first of the map is the oldest, which goes when there are too many. */
  const keep = (map: Map<string, number>, key: string, until: number): void => {
    map.delete(key);
    map.set(key, until);
    const [oldest] = map.size > mostKept ? map.keys() : [];
    if (oldest !== undefined) map.delete(oldest);
  };
  const isFlood = (): boolean => lately.length >= FLOOD_GUESSES && (lately[0] ?? 0) > now() - FLOOD_MS;
  return {
    add(account, address) {
      for (const key of [`account ${account}`, `address ${address}`]) keep(wrong, key, now() + MEMORY_MS);
      lately.push(now());
      if (lately.length > FLOOD_GUESSES) lately.shift();
    },
    right: (account, address) => keep(familiar, pair(account, address), now() + FAMILIAR_MS),
    laneOf(account, address) {
      const holds = (map: ReadonlyMap<string, number>, key: string): boolean => (map.get(key) ?? 0) > now();
      // An address that guesses wrong is late with every account; others' guesses at an account are not its owner's.
      if (holds(wrong, `address ${address}`)) return 'late';
      if (holds(familiar, pair(account, address))) return 'first';
      return holds(wrong, `account ${account}`) || isFlood() ? 'late' : 'new';
    },
  };
}
