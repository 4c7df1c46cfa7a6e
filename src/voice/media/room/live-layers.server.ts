/** A size of which nothing came for this long is not sent any more: browsers stop the larger ones as they have to. */
const LIVE_MS = 1500;

/** Which sizes of a picture come, 0 the smallest; times are milliseconds of a clock that never goes back. */
export class LiveLayers {
  readonly #seen = new Map<number, number>();

  /** A packet of this size has come. Returns true when the size was not live before. */
  hear(layer: number, now: number): boolean {
    const isNew = !this.#isLive(layer, now);
    this.#seen.set(layer, now);
    return isNew;
  }

  /** The largest live size that is not above the wish (none: any); the smallest live one where all are above. */
  best(wished: number | undefined, now: number): number {
    const live = [...this.#seen.keys()].filter((layer) => this.#isLive(layer, now)).sort((a, b) => a - b);
    return live.findLast((layer) => layer <= (wished ?? layer)) ?? live[0] ?? 0;
  }

  #isLive(layer: number, now: number): boolean {
    return now - (this.#seen.get(layer) ?? Number.NEGATIVE_INFINITY) < LIVE_MS;
  }
}
