import { ServiceError } from '../contract/service-error.ts';

/** How many requests of one caller may wait; further ones are refused. */
const MOST_WAITING = 100;

/** The requests of one caller in this queue. */
interface Line {
  running: boolean;
  readonly waiting: (() => void)[];
}

/**
 * A queue for expensive requests, so that cheap ones keep most of the machine. A few run at a time, at most
 * one for each caller. Callers take turns, however many requests each of them sends.
 */
export class HeavyLane {
  #free: number;
  /** Callers in the order in which they get the next place. */
  readonly #lines = new Map<string, Line>();

  /** @param places how many requests run at a time */
  constructor(places: number) {
    this.#free = places;
  }

  /**
   * @param caller on whose behalf the work runs
   * @throws ServiceError 429 `over_request_rate_limit` when too many requests of this caller wait
   */
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
      // The caller goes to the end of the queue.
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
