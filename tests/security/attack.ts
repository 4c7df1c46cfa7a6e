/** One attack of the project's list, the defence against it, and the tests that show its failure. */
export interface Attack {
  readonly number: number;
  readonly attack: string;
  /** The product's defence. */
  readonly holds: string;
  /** `file | the test's title, or a part of it that no other test there has`. */
  readonly tests: readonly string[];
  /** The part of it that has no test yet, and why. */
  readonly notBuilt?: string;
}
