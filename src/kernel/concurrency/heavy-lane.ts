import { ServiceError } from '../contract/service-error.ts';

/** Requests of one caller that may wait; more are refused. */
const MOST_WAITING = 100;

/** What one caller has in a lane. */
interface Line {
  running: boolean;
  readonly waiting: (() => void)[];
}

/**
 * Where requests that are much work queue, so that all other requests have most of the machine: few at a time, and of
 * each caller one. Callers take turns, whoever of them asks most.
 */
export class HeavyLane {
  #free: number;
  /** Callers in the order in which they get the next place. */
  readonly #lines = new Map<string, Line>();

  /** @param places pieces of work at a time */
  constructor(places: number) {
    this.#free = places;
  }

  /** @param caller whose work it is @throws ServiceError 429 `over_request_rate_limit` when too much of the caller's waits */
  async run<T>(caller: string, work: () => Promise<T>): Promise<T> {
    const line = this.#lines.get(caller) ?? { running: false, waiting: [] };
    if (line.waiting.length >= MOST_WAITING) throw tooMany();
    this.#lines.set(caller, line);
    await new Promise<void>((resolve) => {
      line.waiting.push(resolve);
      this.#next();
    });
    try {
      return await work();
    } finally {
      line.running = false;
      this.#free += 1;
      // Behind everybody else who waits.
      this.#lines.delete(caller);
      if (line.waiting.length > 0) this.#lines.set(caller, line);
      this.#next();
    }
  }

  #next(): void {
    for (const line of this.#lines.values()) {
      if (this.#free === 0) return;
      if (line.running) continue;
      const start = line.waiting.shift();
      if (start === undefined) continue;
      this.#free -= 1;
      line.running = true;
      start();
    }
  }
}

function tooMany(): ServiceError {
  return new ServiceError(
    429,
    'over_request_rate_limit',
    'Too many requests at a time: wait for the replies to earlier ones.',
    { headers: { 'retry-after': '1' } },
  );
}
