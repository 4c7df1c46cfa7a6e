/** How a queue serves. A key is whoever the work is for, or a priority. */
interface QueueRules<Key extends string> {
  /** Pieces of work at a time. */
  readonly places: number;
  /** Of these, most for one key; all of them where it is missing. */
  readonly each?: (key: Key) => number;
  /** Keys from the most to the least urgent. Without them keys take turns, no matter which of them asks most. */
  readonly priorities?: readonly Key[];
  /** Most pieces of work of one key that wait, and the error for one more. */
  readonly waiting?: { readonly most: number; readonly refusal: () => Error };
}

interface Line {
  running: number;
  readonly waiting: (() => void)[];
}

/** Work that is done a few pieces at a time; the rest waits, in order for each key. */
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

  /** Pieces of work of a key that wait. */
  waiting(key: Key): number {
    return this.#lines.get(key)?.waiting.length ?? 0;
  }

  /** Pieces of work of a key that wait or run. */
  held(key: Key): number {
    return this.waiting(key) + (this.#lines.get(key)?.running ?? 0);
  }

  /** Does the work when it is its turn. @throws the refusal of the rules when too much of the key waits */
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

  /** Behind everybody else who waits; a key without work is forgotten. */
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
