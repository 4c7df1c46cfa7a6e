import type { RunMessage } from '../../evaluations/evaluation.contract.ts';

/** How the words of a reply are judged. Times in these shapes are ISO 8601. */
export const JUDGES = ['contains', 'exact', 'regex'] as const;
export type Judge = (typeof JUDGES)[number];

/** One line of a caller, and what the assistant has to answer or do. */
export interface TestLine {
  readonly say: string;
  readonly judge: Judge;
  /** Empty where the words are not judged. */
  readonly expect: string;
  /** A tool that has to be called; empty for none. */
  readonly tool: string;
}

/** A run in the form of the list. */
export interface TestRun {
  readonly id: string;
  /** The version of the assistant; null for a draft. */
  readonly version: number | null;
  readonly passed: boolean | null;
  readonly running: boolean;
  readonly at: string;
}

/** A test of an assistant. */
export interface ConsoleTest {
  readonly id: string;
  readonly name: string;
  /** Null for a test from the platform's API that has more than lines. */
  readonly lines: readonly TestLine[] | null;
  /** The newest run of each version, newest version first. */
  readonly runs: readonly TestRun[];
}

/** `GET operator-tests?assistant=`: at most 100, oldest first. */
export interface TestsPage {
  readonly tests: readonly ConsoleTest[];
}

/** `GET operator-test-run?id=`. */
export interface TestRunDetail extends TestRun {
  readonly messages: readonly RunMessage[];
  /** Why it ended before its last line; null where it did not. */
  readonly fault: string | null;
  readonly warnings: readonly string[];
}

/** Most lines of a test, and most characters of a line, an expectation, a name and a tool. */
export const TEST_LENGTHS = { lines: 40, line: 500, expect: 500, name: 80, tool: 64 } as const;
