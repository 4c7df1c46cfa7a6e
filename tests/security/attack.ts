/** One attack of the project's list, and the tests that it fails. */
export interface Attack {
  readonly number: number;
  readonly attack: string;
  /** `file | the test's name, or a part of it that is nobody else's there`. */
  readonly tests: readonly string[];
}
