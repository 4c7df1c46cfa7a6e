const MEMORY_MS = 15 * 60 * 1000;
const FAMILIAR_MS = 30 * 24 * 3600 * 1000;
const MOST_KEPT = 100_000;
/** This many wrong guesses within the time below are a flood. */
const FLOOD_GUESSES = 20;
const FLOOD_MS = 10_000;

/**
 * Remembers, in this process, wrong guesses and successful sign-ins; it orders the process's own queue of
 * hashes (decision 0380).
 */
export interface SignInPriority {
  /** Records a wrong guess at an account from an address. */
  add(account: string, address: string): void;
  /** Records the right password for an account from an address. */
  right(account: string, address: string): void;
  /**
   * The priority when hashes have to wait. People who signed in from this address before are `first`,
   * whatever others guess at their account. Addresses that guessed wrong are `late`; so is, during a flood of
   * guesses, everybody without a history.
   */
  priorityOf(account: string, address: string): 'first' | 'new' | 'late';
}

/**
 * Remembers wrong guesses for a quarter of an hour and successful sign-ins for thirty days. Further attempts
 * after a wrong guess are not refused; they only wait behind all others, so that a flood of guesses costs
 * others no time (docs/security-attacks.md, attack 18).
 *
 * @param now milliseconds, for tests with their own clock
 * @param mostKept how many guesses, and how many sign-ins, are remembered
 */
export function createSignInPriority(now: () => number = Date.now, mostKept = MOST_KEPT): SignInPriority {
  const wrong = new Map<string, number>();
  const familiar = new Map<string, number>();
  const lately: number[] = [];
  const pair = (account: string, address: string): string => `${account}\n${address}`;
  /**
   * Moves the key to the end, so that the first key of the map is the oldest, which is removed when there are
   * too many.
   */
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
    priorityOf(account, address) {
      const holds = (map: ReadonlyMap<string, number>, key: string): boolean => (map.get(key) ?? 0) > now();
      // An address that guesses wrong is late for every account; wrong guesses of others do not count against
      // an account's owner.
      if (holds(wrong, `address ${address}`)) return 'late';
      if (holds(familiar, pair(account, address))) return 'first';
      return holds(wrong, `account ${account}`) || isFlood() ? 'late' : 'new';
    },
  };
}
