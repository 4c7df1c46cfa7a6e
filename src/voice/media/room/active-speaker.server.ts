/** Loudness below which nobody speaks: root of the mean square, 0 to 1. */
const QUIET = 0.01;
/** Half-life of a person's remembered loudness, milliseconds. */
const HALF_LIFE_MS = 400;
/** How many times louder than the present speaker somebody has to be to become the speaker. */
const MARGIN = 1.5;
/** A speaker stays the speaker for at least this many milliseconds. */
const SHORTEST_MS = 1000;

/** Decides from loudness who is speaking, without input or output; times are milliseconds. */
export class ActiveSpeaker {
  readonly #levels = new Map<string, { level: number; at: number }>();
  #speaker: string | undefined;
  #since = Number.NEGATIVE_INFINITY;

  /** The last person who spoke; undefined before anybody did. */
  get speaker(): string | undefined {
    return this.#speaker;
  }

  /** Takes a piece of somebody's sound. Returns true when the speaker changes. */
  hear(person: string, level: number, now: number): boolean {
    this.#levels.set(person, { level: Math.max(level, this.#levelOf(person, now)), at: now });
    if (person === this.#speaker || this.#levelOf(person, now) < QUIET) return false;
    if (this.#speaker !== undefined) {
      if (now - this.#since < SHORTEST_MS) return false;
      if (this.#levelOf(person, now) < MARGIN * this.#levelOf(this.#speaker, now)) return false;
    }
    this.#speaker = person;
    this.#since = now;
    return true;
  }

  leave(person: string): void {
    this.#levels.delete(person);
    if (this.#speaker === person) this.#speaker = undefined;
  }

  #levelOf(person: string, now: number): number {
    const known = this.#levels.get(person);
    return known === undefined ? 0 : known.level * 0.5 ** ((now - known.at) / HALF_LIFE_MS);
  }
}
