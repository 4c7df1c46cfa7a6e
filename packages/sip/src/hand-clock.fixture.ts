import type { SipClock } from './transaction/sip-clock.ts';

/** A clock that the test moves. */
export interface HandClock {
  readonly clock: SipClock;
  /** The waiting timers. */
  readonly timers: ReadonlySet<{ readonly at: number; run(): void }>;
  /** Lets milliseconds pass; timers that become due run in order. */
  advance(ms: number): void;
}

/** A clock at zero. */
export function handClock(): HandClock {
  let now = 0;
  const timers = new Set<{ at: number; run: () => void }>();
  const clock: SipClock = {
    now: () => now,
    after(ms, run) {
      const timer = { at: now + ms, run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
  };
  function advance(ms: number): void {
    const end = now + ms;
    for (;;) {
      const next = [...timers].filter(({ at }) => at <= end).sort((one, other) => one.at - other.at)[0];
      if (next === undefined) break;
      timers.delete(next);
      now = next.at;
      next.run();
    }
    now = end;
  }
  return { clock, advance, timers };
}
