/** Counts within the present second, for limits that start anew with each second. */
export class SecondCount {
  #second = 0;
  #amount = 0;

  /**
   * Adds to the present second and returns its count.
   *
   * @param now milliseconds of a clock that never goes back
   */
  add(amount = 1, now = performance.now()): number {
    const second = Math.floor(now / 1000);
    this.#amount = second === this.#second ? this.#amount + amount : amount;
    this.#second = second;
    return this.#amount;
  }
}
