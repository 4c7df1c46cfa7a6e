/** One attack of the project's list, what holds against it, and the tests that it fails. */
export interface Attack {
  readonly number: number;
  readonly attack: string;
  /** What the product does instead. */
  readonly holds: string;
  /** `file | the test's name, or a part of it that is nobody else's there`. */
  readonly tests: readonly string[];
  /** What of it has no test yet, and why. */
  readonly notBuilt?: string;
}
