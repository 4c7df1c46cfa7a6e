/** Time for transactions and dialogs; tests bring their own. */
export interface SipClock {
  /** Milliseconds; never goes back. */
  now(): number;
  /** Runs `run` once after `ms`, unless the returned function is called before. */
  after(ms: number, run: () => void): () => void;
}

/** The machine's time. Its timers do not keep the process alive. */
export const systemClock: SipClock = {
  now: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** The times of RFC 3261 §17, milliseconds: round trip, longest gap, longest life of a message. */
export const T1 = 500;
export const T2 = 4000;
export const T4 = 5000;
/** Timers B, F, H, J, L and M. */
export const TIMEOUT = 64 * T1;

/**
 * Repeats something after `T1`, and then each time after twice as long, up to `most` (timers A, E and G).
 * Returns a function that ends it.
 */
export function repeatWithBackoff(clock: SipClock, run: () => void, most: number = Infinity): () => void {
  let gap = T1;
  let cancel = (): void => {};
  const next = (): void => {
    cancel = clock.after(gap, () => {
      gap = Math.min(gap * 2, most);
      next();
      run();
    });
  };
  next();
  return () => cancel();
}
