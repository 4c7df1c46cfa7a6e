/** Random numbers that are the same for the same seed (mulberry32). */
export interface Random {
  /** A number from 0 up to, but not including, 1. */
  part(): number;
  /** A whole number from 0 up to, but not including, `end`. */
  below(end: number): number;
  chance(part: number): boolean;
  pick<T>(from: readonly T[]): T;
}

export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const part = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
  const below = (end: number): number => Math.floor(part() * end);
  return {
    part,
    below,
    chance: (limit) => part() < limit,
    pick<T>(from: readonly T[]): T {
      if (from.length === 0) throw new Error('there is nothing to pick');
      return from[below(from.length)] as T;
    },
  };
}
