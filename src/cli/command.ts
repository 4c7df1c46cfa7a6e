import type { Settings } from '../kernel/config/settings.ts';

/** How the operator calls this program: by npm in a clone, by its name in a release. */
export const PROGRAM = process.env.npm_lifecycle_event === 'northline' ? 'npm run northline --' : 'northline';

/** What a command printed, and the exit code: 0 when all is well. */
export interface Outcome {
  readonly text: string;
  /** 0: done and right; 1: done, and something is wrong that the text names. */
  readonly exitCode: 0 | 1;
}

/** One command of the operator: `northline NAME WORDS…`. */
export interface Command {
  /** One line for the list of commands. */
  readonly summary: string;
  /** One line for each form: the words after the name, two spaces, what it does. */
  readonly usage: readonly string[];
  /**
   * Carries the command out.
   *
   * @param words the words after the command's name
   * @throws UsageError when the words fit no form; Error with a sentence for the operator
   */
  run(settings: Settings, words: readonly string[]): Promise<Outcome | string>;
}

/** The words of a command fit none of its forms. */
export class UsageError extends Error {}
