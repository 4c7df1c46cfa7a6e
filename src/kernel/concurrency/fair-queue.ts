/** The rules of a queue. A key names the caller on whose behalf the work runs, or a priority. */
interface QueueRules<Key extends string> {
  /** How many tasks run at a time. */
  readonly places: number;
  /** How many tasks of one key run at a time; by default, as many as there are places. */
  readonly each?: (key: Key) => number;
  /** Keys from the most to the least urgent. Without priorities, keys take turns, however many tasks each of them has. */
  readonly priorities?: readonly Key[];
  /** How many tasks of one key may wait, and the error for a further one. */
  readonly waiting?: { readonly most: number; readonly refusal: () => Error };
}

/** The tasks of one key. */
interface Line {
  running: number;
  readonly waiting: (() => void)[];
}

/** Runs a few tasks at a time. The others wait, in order within each key. */
export class FairQueue<Key extends string = string> {
  readonly #rules: QueueRules<Key>;
  #free: number;
  /** Keys in the order in which they get the next place. */
  readonly #lines = new Map<Key, Line>();

  constructor(rules: QueueRules<Key>) {
    this.#rules = rules;
    this.#free = rules.places;
    for (const key of rules.priorities ?? []) this.#lines.set(key, { running: 0, waiting: [] });
  }

  /** Number of waiting tasks of a key. */
  waiting(key: Key): number {
    return this.#lines.get(key)?.waiting.length ?? 0;
  }

  /** Number of waiting and running tasks of a key. */
  held(key: Key): number {
    return this.waiting(key) + (this.#lines.get(key)?.running ?? 0);
  }

  /** Runs the task when its turn comes. @throws the refusal of the rules when too many tasks of the key wait */
  async run<T>(key: Key, work: () => Promise<T>): Promise<T> {
    const { waiting: limit } = this.#rules;
    if (limit !== undefined && this.waiting(key) >= limit.most) throw limit.refusal();
    const line = this.#lines.get(key) ?? { running: 0, waiting: [] };
    this.#lines.set(key, line);
    if (this.#mayStart(key, line)) this.#start(line);
    else await new Promise<void>((resolve) => line.waiting.push(resolve));
    try {
      return await work();
    } finally {
      line.running -= 1;
      this.#free += 1;
      this.#moveBack(key, line);
      this.#startNext();
    }
  }

  #mayStart(key: Key, { running }: Line): boolean {
    return this.#free > 0 && running < (this.#rules.each?.(key) ?? this.#rules.places);
  }

  #start(line: Line): void {
    this.#free -= 1;
    line.running += 1;
  }

  /** Moves the key to the end of the queue. A key without tasks is removed. */
  #moveBack(key: Key, line: Line): void {
    if (this.#rules.priorities !== undefined) return;
    this.#lines.delete(key);
    if (line.running + line.waiting.length > 0) this.#lines.set(key, line);
  }

  #startNext(): void {
    for (const [key, line] of this.#lines) {
      if (this.#free === 0) return;
      if (!this.#mayStart(key, line)) continue;
      const begin = line.waiting.shift();
      if (begin === undefined) continue;
      this.#start(line);
      begin();
    }
  }
}
