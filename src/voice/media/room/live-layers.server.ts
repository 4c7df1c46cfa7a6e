/**
 * A size that did not come for this many milliseconds has stopped: browsers stop the larger ones when they
 * have to.
 */
const LIVE_MS = 1500;

/**
 * Which sizes of a picture arrive at present, 0 the smallest; times are milliseconds of a clock that never
 * goes back.
 */
export class LiveLayers {
  readonly #seen = new Map<number, number>();

  /** Records a packet of this size. Returns true when the size was not live before. */
  hear(layer: number, now: number): boolean {
    const isNew = !this.#isLive(layer, now);
    this.#seen.set(layer, now);
    return isNew;
  }

  /**
   * The largest live size up to the wished one (without a wish, the largest); where all are larger, the
   * smallest.
   */
  best(wished: number | undefined, now: number): number {
    const live = [...this.#seen.keys()].filter((layer) => this.#isLive(layer, now)).sort((a, b) => a - b);
    return live.findLast((layer) => layer <= (wished ?? layer)) ?? live[0] ?? 0;
  }

  #isLive(layer: number, now: number): boolean {
    return now - (this.#seen.get(layer) ?? Number.NEGATIVE_INFINITY) < LIVE_MS;
  }
}
