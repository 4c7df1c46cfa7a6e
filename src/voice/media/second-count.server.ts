/** How much has come within the present second: a limit that starts anew with each. */
export class SecondCount {
  #second = 0;
  #amount = 0;

  /**
   * Adds to the present second. Returns what it has now.
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
